"""TokenEmbedding: a table of vectors that is learned, times the square root of d_model; padding is 0."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.guard import RejectedError

TokenEmbedding = Exercise(
    "TokenEmbedding",
    points=7,
    returns=("vectors: batch seq d_model",),
    hints=[
        "In `__init__`: `self.table = nn.Embedding(vocab, d_model, padding_idx=pad)` makes the table; its "
        "row `pad` is 0 and gets no gradient. In `forward`: `self.table(ids)`, times `math.sqrt(...)`.",
        "The entries that `nn.Embedding` draws have a spread of 1. "
        "`nn.init.normal_(self.table.weight, std=d_model**-0.5)` draws new ones.",
        "`normal_` also draws the padding row anew. Set it to 0 after that: "
        "`nn.init.zeros_(self.table.weight[pad])`.",
    ],
    examples=[
        "TokenEmbedding(3, 4)(torch.tensor([[1]]))",
        "TokenEmbedding(3, 4)(torch.tensor([[1, 2]]))",
        "TokenEmbedding.fresh(3, 4)(torch.tensor([[0]]))",
        "TokenEmbedding.fresh(4, 2, pad=3)(torch.tensor([[3]]))",
        "TokenEmbedding.fresh(1000, 100)(torch.arange(1, 1000)[None]).std().round()",
        "torch.autograd.grad((embed := TokenEmbedding(4, 1, pad=3))(torch.arange(4)[None]).sum(), "
        "embed.parameters())[0]",
    ],
)


PAD = 3


def table_of(embedding, vocab, d_model) -> torch.Tensor:
    shapes = [tuple(parameter.shape) for parameter in embedding.parameters()]
    if shapes != [(vocab, d_model)]:
        found = ", ".join(map(str, shapes)) or "none"
        raise RejectedError(
            f"Your parameters have the shapes: {found}. Expected is one table, {(vocab, d_model)}."
        )
    return next(iter(embedding.parameters()))


def ids(inputs):
    """Ids from 0 to 10, padding left out; 0 and 1 are among them."""
    drawn = inputs.integers(4, 11, 2, 5)
    drawn[0, 1], drawn[1, 3] = 0, 1
    return drawn


@TokenEmbedding.reference
class Reference(nn.Module):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.factor, self.pad = math.sqrt(d_model), pad
        self.weight = nn.Parameter(torch.randn(vocab, d_model) / self.factor)
        with torch.no_grad():
            self.weight[pad] = 0

    def forward(self, ids):
        return self.factor * F.embedding(ids, self.weight, padding_idx=self.pad)


# With d_model = 1 every factor is 1, so a slip in it costs no point elsewhere.


@TokenEmbedding.part("looks up one row for each id", points=1)
def looks_up(build, inputs):
    return {"vectors (d_model 1): batch seq d_model": build(11, 1, pad=PAD)(ids(inputs))}


@TokenEmbedding.part("multiplies by the square root of d_model", points=2)
def factor(build, inputs):
    return {"vectors: batch seq d_model": build(11, 9, pad=PAD)(ids(inputs))}


@TokenEmbedding.part("begins with entries of about 1/√d_model", points=1)
def spread(build, inputs):
    found = {}
    for vocab, d_model in ((500, 64), (70, 400)):
        table = table_of(build.fresh(vocab, d_model, pad=PAD), vocab, d_model).detach()
        entry = table[torch.arange(vocab) != PAD].double().square().mean().sqrt().item()
        right = 0.8 < entry * math.sqrt(d_model) < 1.25
        told = f"With d_model {d_model} the entries of your table have size {entry:.3f}, expected about "
        found[f"spread at d_model {d_model}"] = "" if right else f"{told}{d_model**-0.5:.3f}."
    return found


@TokenEmbedding.part("padding begins as 0", points=1)
def padding_is_zero(build, inputs):
    padding = torch.full((2, 5), PAD)
    return {"vectors of padding, untrained: batch seq d_model": build.fresh(11, 6, pad=PAD)(padding)}


@TokenEmbedding.part("every row learns but that of padding", points=1)
def rows_that_learn(build, inputs):
    embedding = build(11, 6, pad=PAD)
    table, everything = table_of(embedding, 11, 6), torch.arange(11)[None]
    if not table.requires_grad:
        return {"finding": "Your table is frozen: it has `requires_grad` False."}
    (gradient,) = torch.autograd.grad(embedding(everything).pow(2).sum(), [table], allow_unused=True)
    if gradient is None:
        return {"finding": "No gradient reaches the table."}
    learning = (gradient != 0).any(dim=1)
    told = [f"Row {PAD}, of padding, gets a gradient."] * bool(learning[PAD])
    told += [
        f"Row {row}, of a word, gets no gradient." for row in range(11) if row != PAD and not learning[row]
    ]
    return {"finding": " ".join(told[:2])}


# Accepted: other ways to write the same


@TokenEmbedding.accept("nn.Embedding")
class Module(nn.Module):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = nn.Embedding(vocab, d_model, padding_idx=pad)
        nn.init.normal_(self.table.weight, std=d_model**-0.5)
        nn.init.zeros_(self.table.weight[pad])
        self.d_model = d_model

    def forward(self, ids):
        return self.table(ids) * self.d_model**0.5


@TokenEmbedding.accept("the drawn table is divided, its padding row stays 0")
class Divided(nn.Module):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model, padding_idx=pad)
        self.embedding.weight.data /= math.sqrt(d_model)

    def forward(self, ids):
        return self.embedding(ids) * math.sqrt(self.embedding.embedding_dim)


@TokenEmbedding.accept("padding is zeroed in the result")
class ZeroedResult(nn.Module):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.rows = nn.Parameter(torch.randn(vocab, d_model) * d_model**-0.5)
        self.pad = pad

    def forward(self, ids):
        real = (ids != self.pad).unsqueeze(-1)
        return self.rows[ids] * math.sqrt(self.rows.shape[1]) * real


@TokenEmbedding.accept("a one-hot product, uniform entries")
class OneHot(nn.Module):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        table = torch.empty(vocab, d_model).uniform_(-1, 1) * math.sqrt(3 / d_model)
        self.rows = nn.Parameter(table)
        self.pad = pad

    def forward(self, ids):
        vocab, d_model = self.rows.shape
        one_hot = F.one_hot(ids, vocab).float()
        one_hot[..., self.pad] = 0
        return one_hot @ (self.rows * math.sqrt(d_model))
