"""MaskedWordHead: from vectors to scores of all words, with the embedding table as the last matrix."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, parameters

MaskedWordHead = Exercise(
    "MaskedWordHead",
    points=6,
    returns=("logits: batch seq vocab",),
    hints=[
        "In `__init__`: `self.dense = nn.Linear(d_model, d_model)`, `self.norm = nn.LayerNorm(d_model)` and "
        "`self.bias = nn.Parameter(torch.zeros(vocab))`.",
        "In `forward`: `h = self.norm(F.gelu(self.dense(x)))`.",
        "The score of a word is the dot product of `h` with its row of the table: `h @ table.mT`, plus the "
        "bias. No softmax: `F.cross_entropy` has its own.",
    ],
    examples=[
        "MaskedWordHead(2, 3)(torch.tensor([[[1., 2.]]]), torch.zeros(3, 2))",
        "MaskedWordHead(2, 3)(torch.tensor([[[1., 2.]]]), torch.tensor([[1., 0.], [0., 1.], [1., 1.]]))",
        "MaskedWordHead(3, 2)(torch.tensor([[[1., 2., 3.]]]), torch.tensor([[1., 0., 0.], [0., 2., 0.]]))",
        "MaskedWordHead.fresh(2, 3)(torch.tensor([[[1., 2.]]]), torch.zeros(3, 2))",
        "(lambda table: torch.autograd.grad(MaskedWordHead(2, 3)(torch.ones(1, 1, 2), table)[0, 0, 1], "
        "table)[0])(torch.ones(3, 2, requires_grad=True))",
    ],
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


# Scores are compared as log-probabilities: a constant added to all of them, as by log_softmax, is no mistake.


def log_probabilities(head, x, table, name="log-probabilities"):
    logits = head(x, table)
    expected = (*x.shape[:-1], len(table))
    if logits.shape != expected:
        return {"logits: batch seq vocab": logits}
    return {f"{name}: batch seq vocab": logits.log_softmax(dim=-1)}


def spread_out(head, inputs) -> torch.Tensor:
    """(2, 5, 6) whose features, after GELU, differ much: neither eps nor the form of GELU matters there."""
    x = inputs.normal(80, 6)
    weight, bias = (head.get_parameter(f"dense.{name}").detach() for name in ("weight", "bias"))
    return x[F.gelu(F.linear(x, weight, bias)).var(dim=1).argsort()[-10:]].view(2, 5, 6)


@MaskedWordHead.part("a word scores by its row of the table", points=2, rtol=5e-3, atol=5e-3)
def scores(build, inputs):
    head = build(6, 11)
    return log_probabilities(head, spread_out(head, inputs), inputs.normal(11, 6))


@MaskedWordHead.part("each word has a bias, 0 at first", points=1)
def bias(build, inputs):
    zero = torch.zeros(11, 6)
    return {
        **log_probabilities(build(6, 11), inputs.normal(2, 5, 6), zero, "log-probabilities (table 0)"),
        **log_probabilities(build.fresh(6, 11), inputs.normal(2, 5, 6), zero, "the same as it begins"),
    }


@MaskedWordHead.part("the dense layer, GELU, then the norm", points=1, rtol=5e-3, atol=5e-3)
def order(build, inputs):
    head = build(6, 6)
    return log_probabilities(head, spread_out(head, inputs), torch.eye(6))


@MaskedWordHead.part("gradients reach every parameter, and the table", points=1)
def gradients(build, inputs):
    head, table = build(6, 11), inputs.normal(11, 6).requires_grad_()
    leaves = {**parameters(head), "table": table}
    return gradients_of(head(inputs.normal(2, 5, 6), table).log_softmax(dim=-1), leaves)


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
