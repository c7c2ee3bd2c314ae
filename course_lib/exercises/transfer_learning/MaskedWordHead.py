"""MaskedWordHead: from vectors to scores of all words, with the embedding table as the last matrix."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, in_both_modes, parameters
from course_lib.checks.instances import required, zeroed
from course_lib.checks.results import RejectedError

MaskedWordHead = Exercise(
    "MaskedWordHead",
    points=6,
    returns=("logits: batch seq vocab",),
    hints=[
        "Read the formula from the inside out. Which three operations act on `x` before the table is used, "
        "and which of them have parameters? Which parameter is left, with one number for each word?",
        "Make all parameters in `__init__`, with the names of the docstring. A bias outside a layer is an "
        "`nn.Parameter`. The score of a word is the dot product of `h` with the word's row of the table, "
        "plus the word's bias.",
        "In `forward`: `h = self.norm(F.gelu(self.dense(x)))`, then `h @ table.mT` plus the bias. Use no "
        "softmax, because `F.cross_entropy` contains one.",
        "In `__init__`: `self.dense = nn.Linear(d_model, d_model)`, `self.norm = nn.LayerNorm(d_model)` and "
        "`self.bias = nn.Parameter(torch.zeros(vocab))`.",
    ],
    examples=[
        "MaskedWordHead(2, 3)(torch.tensor([[[1., 2.]]]), torch.tensor([[1., 0.], [0., 1.], [0., 0.]]))",
        "MaskedWordHead(3, 2)(torch.tensor([[[1., 2., 3.]]]), torch.tensor([[1., 0., 0.], [0., 2., 0.]]))",
        "MaskedWordHead(2, 3)(torch.tensor([[[1., 2.]]]), torch.zeros(3, 2))",
        "MaskedWordHead.fresh(2, 3)(torch.tensor([[[1., 2.]]]), torch.zeros(3, 2))",
        "with_two_tables(MaskedWordHead(2, 3))",
        "learns(MaskedWordHead(2, 3))",
    ],
    optional_parameters=("bias",),
)


@MaskedWordHead.reference
class Reference(nn.Module):
    def __init__(self, d_model, vocab):
        super().__init__()
        self.dense = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model)
        self.bias = nn.Parameter(torch.zeros(vocab))

    def forward(self, x, table):
        return F.linear(self.norm(F.gelu(self.dense(x))), table, self.bias)


def with_two_tables(head):
    """The scores of one vector by a first table, then by a second one."""
    tables = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), torch.tensor([[0.0, 0.0]] * 2 + [[2.0, 1.0]])
    return [head(torch.tensor([[[1.0, 2.0]]]), table) for table in tables]


def learns(head):
    """What a gradient of the scores reaches: names of parameters, and the table."""
    table = nn.Parameter(torch.ones(3, 2))
    logits = head(torch.tensor([[[1.0, 2.0]]]), table)
    if logits.requires_grad:
        logits.sum().backward()
    leaves = [*head.named_parameters(), ("table", table)]
    return sorted(name for name, leaf in leaves if leaf.grad is not None)


MaskedWordHead.names = {"with_two_tables": with_two_tables, "learns": learns}


# A constant added to all scores, as log_softmax does, is no mistake. So each probe looks at differences of
# scores: less their mean, or less the score of a word whose row of the table is 0.


def scores_of(head, x, table):
    logits, expected = head(x, table), (*x.shape[:-1], len(table))
    if logits.shape != expected:
        raise RejectedError(f"`logits` has shape {tuple(logits.shape)}, expected {expected}.")
    return logits


def features(head, x):
    """h, the vector that is compared with the table: its scores by rows that each pick one feature."""
    table = torch.zeros(11, x.shape[-1])
    table[: x.shape[-1]] = torch.eye(x.shape[-1])
    logits = scores_of(head, x, table)
    return logits[..., : x.shape[-1]] - logits[..., -1:]


def less_their_mean(logits):
    return logits - logits.mean(dim=-1, keepdim=True)


def spread_out(head, inputs, d_model=6) -> torch.Tensor:
    """(2, 5, d_model) whose features, after GELU, differ much: neither eps nor GELU's form matters there."""
    x = inputs.normal(80, d_model)
    weight, bias = (head.get_parameter(f"dense.{name}").detach() for name in ("weight", "bias"))
    return x[F.gelu(F.linear(x.to(weight), weight, bias)).var(dim=1).argsort()[-10:]].view(2, 5, d_model)


TAKEN = (
    "After a call, `table` is a parameter of your head. Do not assign it to `self`: the head only uses it."
)
KEPT = "Your scores are those of the table as an earlier call got it. Use `table` as it is in each call."


@MaskedWordHead.part("the score of a word comes from its row of the given table", points=1)
def scores(build, inputs):
    head, told = zeroed(build(6, 11), "bias"), ""
    for x in (inputs.normal(2, 5, 6), inputs.normal(3, 4, 6)):
        h, table = features(head, x), inputs.normal(11, 6)
        found, wanted = less_their_mean(scores_of(head, x, table)), less_their_mean(h @ table.mT)
        if not h.any():
            told = "Your scores do not depend on the table."
        elif not torch.allclose(found, wanted, rtol=1e-3, atol=1e-3):
            told = "Your scores are not the dot products of one vector, `h`, with the rows of `table`."
    table.copy_(inputs.normal(11, 6))  # as an optimizer's step does
    learned = less_their_mean(scores_of(head, x, table)), less_their_mean(h @ table.mT)
    if not told and not torch.allclose(*learned, rtol=1e-3, atol=1e-3):
        told = KEPT
    own = len(list(head.named_parameters()))
    scores_of(head, x, nn.Parameter(table))  # as the models of the lesson do
    if not told and len(list(head.named_parameters())) != own:
        told = TAKEN
    return {"finding": told}


@MaskedWordHead.part("each word has a bias that learns and starts at 0", points=1)
@in_both_modes
def bias(build, inputs):
    head, x, zero = build(6, 11), inputs.normal(2, 5, 6), torch.zeros(11, 6)
    learns = required(head, "bias")
    logits = scores_of(head, x, zero)
    return {
        "logits (of a table of zeros, minus their mean): batch seq vocab": less_their_mean(logits),
        "logits (of a table of zeros, sentences of one word): batch seq vocab": less_their_mean(
            scores_of(head, x[:, :1], zero)
        ),
        "bias (at first): vocab": build.fresh(6, 11).bias,
        **gradients_of(logits.log_softmax(dim=-1), {"bias": learns}),
    }


@MaskedWordHead.part("the order is dense layer, GELU, norm", points=2, rtol=5e-3, atol=5e-3)
def order(build, inputs):
    head = zeroed(build(6, 11), "bias")
    head.filled["norm.bias"].data[0] += 4  # so that some features are large
    x = spread_out(head, inputs)
    return {
        "h (read from the scores): batch seq d_model": features(head, x),
        "h (read from the scores, one sentence): batch seq d_model": features(head, x[:1]),
        "h (read from the scores, sentences of one word): batch seq d_model": features(head, x[:, :1]),
    }


@MaskedWordHead.part("gradients reach the dense layer, the norm and the table", points=1)
@in_both_modes
def gradients(build, inputs):
    head, table = zeroed(build(6, 11), "bias"), inputs.normal(11, 6).requires_grad_()
    leaves = {name: leaf for name, leaf in parameters(head).items() if name != "bias"}
    x = spread_out(head, inputs).requires_grad_()
    return gradients_of(head(x, table).log_softmax(dim=-1), {**leaves, "table": table, "x": x})


# Accepted: other ways to write the same


@MaskedWordHead.accept("a sequential transform under the same names")
class Steps(nn.Module):
    def __init__(self, d_model, vocab):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(vocab))
        self.norm = nn.LayerNorm(d_model)
        self.dense = nn.Linear(d_model, d_model)
        self.activation = nn.GELU()

    def forward(self, x, table):
        for layer in (self.dense, self.activation, self.norm):
            x = layer(x)
        return x @ table.transpose(0, 1) + self.bias


@MaskedWordHead.accept("einsum")
class Einsum(Reference):
    def forward(self, x, table):
        h = self.norm(F.gelu(self.dense(x)))
        return torch.einsum("...d,vd->...v", h, table) + self.bias


@MaskedWordHead.accept("log-probabilities")
class LogProbabilities(Reference):
    def forward(self, x, table):
        return super().forward(x, table).log_softmax(dim=-1)


@MaskedWordHead.accept("as in BERT's own code: GELU by tanh, eps 1e-12")
class AsInBert(Reference):
    def __init__(self, d_model, vocab):
        super().__init__(d_model, vocab)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x), approximate="tanh")) @ table.mT + self.bias


@MaskedWordHead.accept("a loop over words")
class Loop(Reference):
    def forward(self, x, table):
        h = self.norm(F.gelu(self.dense(x)))
        return torch.stack([(h * row).sum(dim=-1) for row in table], dim=-1) + self.bias
