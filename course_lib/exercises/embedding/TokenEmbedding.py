"""TokenEmbedding: a table of vectors that is learned, times the square root of d_model; padding is 0."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, in_both_modes
from course_lib.checks.precision import told_of_float64
from course_lib.checks.results import RejectedError


def table_gradient(embedding, vocab):
    """The gradient of the only parameter after each id from 0 to vocab - 1 was looked up once."""
    (gradient,) = torch.autograd.grad(embedding(torch.arange(vocab)[None]).sum(), embedding.parameters())
    return gradient.to_dense()


TokenEmbedding = Exercise(
    "TokenEmbedding",
    points=7,
    returns=("vectors: batch seq d_model",),
    hints=[
        "What is made once, in `__init__`, and what is computed again for each batch, in `forward`? And "
        "which row of the table is different from the others?",
        "In `__init__`, `self.table = nn.Embedding(vocab, d_model, padding_idx=pad)` makes the table. Its "
        "row `pad` is 0 and gets no gradient. In `forward`, multiply `self.table(ids)` by `math.sqrt(...)`.",
        "The entries that `nn.Embedding` draws have a standard deviation of 1. "
        "`nn.init.normal_(self.table.weight, std=d_model**-0.5)` draws new ones.",
        "`normal_` also draws new numbers for the row of padding. Set this row to 0 after the draw: "
        "`nn.init.zeros_(self.table.weight[pad])`.",
    ],
    examples=[
        "TokenEmbedding(3, 4)(torch.tensor([[1]]))",
        "TokenEmbedding(3, 4)(torch.tensor([[1, 2]]))",
        "TokenEmbedding.fresh(3, 4)(torch.tensor([[0]]))",
        "TokenEmbedding.fresh(4, 2, pad=3)(torch.tensor([[3]]))",
        "TokenEmbedding.fresh(1000, 100)(torch.arange(1, 1000)[None]).std().round()",
        "table_gradient(TokenEmbedding(4, 1, pad=3), 4)",
        "table_gradient(TokenEmbedding(4, 1), 4)",
        "list(TokenEmbedding(3, 4).table.weight.shape)",
    ],
    names={"table_gradient": table_gradient},
)


PAD = 3
TABLES = 60
SEEDED = (
    "Two tables of one size begin with the same numbers, though torch's seed was another one each time. Set "
    "no seed in the module."
)


def table_of(embedding, vocab, d_model) -> torch.Tensor:
    shapes = [tuple(parameter.shape) for parameter in embedding.parameters()]
    if shapes != [(vocab, d_model)]:
        found = ", ".join(map(str, shapes)) or "none"
        raise RejectedError(
            f"Your parameters have the shapes {found}. Expected: one table of shape {(vocab, d_model)}."
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
        self.table = nn.Embedding(vocab, d_model, padding_idx=pad)
        nn.init.normal_(self.table.weight, std=d_model**-0.5)
        nn.init.zeros_(self.table.weight[pad])

    def forward(self, ids):
        return self.table(ids) * math.sqrt(self.table.embedding_dim)


# With d_model = 1 every factor is 1, so a slip in it costs no point elsewhere.


@TokenEmbedding.part("looks up one row for each id", points=1)
def looks_up(build, inputs):
    embedding, drawn = build(11, 1, pad=PAD), ids(inputs)
    first = embedding(drawn)
    with torch.no_grad():
        table_of(embedding, 11, 1).mul_(1000).add_(0.5)  # as a step of training changes it, only more
    return {
        "finding": where_the_table_is(embedding),
        "vectors (d_model 1): batch seq d_model": first,
        "vectors (the table has changed): batch seq d_model": embedding(drawn),
    }


def where_the_table_is(embedding) -> str:
    if isinstance(getattr(embedding, "table", None), nn.Embedding):
        return ""
    return "Your `self.table` is not an `nn.Embedding`, but lesson 06 looks for one under this name."


@TokenEmbedding.part("multiplies by the square root of d_model", points=2)
def factor(build, inputs):
    return {
        "vectors: batch seq d_model": build(11, 9, pad=PAD)(ids(inputs)),
        "vectors (one sentence, d_model 6): batch seq d_model": build(11, 6, pad=PAD)(ids(inputs)[:1]),
        "dtype": told_of_float64(build(11, 9), ids(inputs)),
    }


@TokenEmbedding.part("begins with entries of about 1/√d_model", points=1)
def spread(build, inputs):
    found = {}
    for vocab, d_model in ((500, 64), (70, 400)):
        table = table_of(build.fresh(vocab, d_model, pad=PAD), vocab, d_model).detach()
        entries = table[torch.arange(vocab) != PAD].double() * math.sqrt(d_model)
        within = [entries.std(dim=0).mean(), entries.std(dim=1).mean()]  # of a column, of a row
        right = all(0.87 < spread < 1.13 for spread in within) and abs(entries.mean()) < 0.1
        right = right and not has_copies(entries)
        # To one digit, since two answers with the same spread may draw other numbers.
        size, expected = entries.square().mean().sqrt().item(), d_model**-0.5
        found_size = float(f"{size * expected:.1g}")
        told = (
            f"With d_model {d_model} the entries of your table have size {found_size:g}, expected about "
            f"{expected:.3f}."
        )
        if 0.87 < size < 1.13:
            told = "The entries have the right size, but each must be drawn separately, with the mean 0."
        found[f"spread at d_model {d_model}"] = "" if right else told
    return found | {"seed": "" if any(found.values()) else told_of_seed(build)}


def has_copies(entries) -> bool:
    """Whether two rows or two columns are the same, but for a factor."""
    return any((x.corrcoef().fill_diagonal_(0).abs() > 0.9).any() for x in (entries, entries.mT))


def told_of_seed(build) -> str:
    """A finding: whether tables begin alike though the program's random numbers differ."""
    tables = set()
    for build.seed in range(TABLES):
        tables.add(tuple(table_of(build.fresh(5, 6), 5, 6).flatten().tolist()))
    return SEEDED if len(tables) < TABLES else ""


@TokenEmbedding.part("padding begins as 0", points=1)
def padding_is_zero(build, inputs):
    padding, default = torch.full((2, 5), PAD), torch.zeros(2, 4, dtype=torch.long)
    return {
        "vectors of padding, untrained: batch seq d_model": build.fresh(11, 6, pad=PAD)(padding),
        "vectors of padding, untrained (pad is 0): batch seq d_model": build.fresh(9, 5)(default),
    }


@TokenEmbedding.part("every row learns, except the row of padding", points=1)
@in_both_modes
def rows_that_learn(build, inputs):
    embedding = build(11, 6, pad=PAD)
    real = torch.tensor([[0, 0, *(row for row in range(11) if row != PAD)]])  # one word three times
    return gradients_of(embedding(real), {"table": table_of(embedding, 11, 6)}) | {
        "finding": learning_rows(embedding, 11, PAD),
        "finding (pad is 0)": learning_rows(build(11, 6), 11, 0),
    }


def learning_rows(embedding, vocab, pad) -> str:
    """What is wrong with the rows that get a gradient, in words."""
    table, everything = table_of(embedding, vocab, 6), torch.arange(vocab)[None]
    if not table.requires_grad:
        return "Your table is frozen: it has `requires_grad` False."
    result = embedding(everything).pow(2).sum()
    if not result.requires_grad:
        return "No gradient reaches the table."
    (gradient,) = torch.autograd.grad(result, [table], allow_unused=True)
    if gradient is None:
        return "No gradient reaches the table."
    learning = (gradient.to_dense() != 0).any(dim=1)  # an embedding may have sparse gradients
    told = [f"Row {pad} belongs to padding, but it gets a gradient."] * bool(learning[pad])
    told += [
        f"Row {row} belongs to a word, but it gets no gradient."
        for row in range(vocab)
        if row != pad and not learning[row]
    ]
    return " ".join(told[:2])


# Accepted: other ways to write the same


@TokenEmbedding.accept("an nn.Parameter in the table, the factor kept")
class Kept(nn.Module):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.factor, self.pad = d_model**0.5, pad
        self.table = nn.Embedding(vocab, d_model)
        rows = torch.randn(vocab, d_model) / self.factor
        rows[pad] = 0
        self.table.weight = nn.Parameter(rows)

    def forward(self, ids):
        return self.factor * F.embedding(ids, self.table.weight, padding_idx=self.pad)


@TokenEmbedding.accept("sparse gradients, the row set without autograd")
class Sparse(nn.Module):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = nn.Embedding(vocab, d_model, padding_idx=pad, sparse=True)
        with torch.no_grad():
            self.table.weight.normal_(std=1 / math.sqrt(d_model))
            self.table.weight[pad] = 0

    def forward(self, ids):
        return math.sqrt(self.table.embedding_dim) * self.table(ids)


@TokenEmbedding.accept("the drawn table is divided, its padding row stays 0")
class Divided(nn.Module):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = nn.Embedding(vocab, d_model, padding_idx=pad)
        self.table.weight.data /= math.sqrt(d_model)

    def forward(self, ids):
        return self.table(ids) * math.sqrt(self.table.embedding_dim)


@TokenEmbedding.accept("padding is zeroed in the result")
class ZeroedResult(nn.Module):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = nn.Embedding(vocab, d_model)
        nn.init.normal_(self.table.weight, std=d_model**-0.5)
        self.pad = pad

    def forward(self, ids):
        real = (ids != self.pad).unsqueeze(-1)
        return self.table(ids) * math.sqrt(self.table.embedding_dim) * real


@TokenEmbedding.accept("a one-hot product, uniform entries")
class OneHot(nn.Module):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = nn.Embedding(vocab, d_model)
        nn.init.uniform_(self.table.weight, -math.sqrt(3 / d_model), math.sqrt(3 / d_model))
        self.pad = pad

    def forward(self, ids):
        vocab, d_model = self.table.weight.shape
        one_hot = F.one_hot(ids, vocab).float()
        one_hot[..., self.pad] = 0
        return one_hot @ (self.table.weight * math.sqrt(d_model))
