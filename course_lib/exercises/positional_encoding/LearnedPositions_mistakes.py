"""Wrong answers to LearnedPositions: name, advice, code."""

import torch
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.positional_encoding.LearnedPositions import Reference

mistake = Mistakes()


@mistake
class PlainTensor(nn.Module):
    """Your table is no parameter, so no optimizer will find it. Keep an nn.Parameter itself, in `__init__`:
    what is computed from one, as `nn.Parameter(...) * 0.02`, is a plain tensor.
    """

    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = torch.randn(max_length, d_model) * 0.02

    def forward(self, x):
        return x + self.table[: x.shape[1]]


@mistake(mentions=r"detach|\.data\b|no_grad|item\(|numpy")
class Detached(Reference):
    """`.detach()`, `.data` and `no_grad` cut the table off from the gradient: it would keep its random
    numbers.
    """

    def forward(self, x):
        return x + self.table[: x.shape[1]].detach()


@mistake(mentions=r"requires_grad(_\(| ?= ?)False")
class Frozen(nn.Module):
    """Your table is frozen, so it never learns: leave `requires_grad` as nn.Parameter makes it."""

    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, d_model) * 0.02, requires_grad=False)

    def forward(self, x):
        return x + self.table[: x.shape[1]]


@mistake("O12")
class CutByBatch(Reference):
    """x is (batch, seq, d_model): you cut the table by the size of the batch. The positions run along axis 1:
    `self.table[: x.shape[1]]`.
    """

    def forward(self, x):
        return x + self.table[: x.shape[0]]


@mistake("O12")
class AlongTheBatch(Reference):
    """Every word of a sentence gets one position, that of its sentence in the batch: the axes of batch and
    sequence are swapped.
    """

    def forward(self, x):
        return x + self.table[: x.shape[0], None]


@mistake
class WholeTable(Reference):
    """Each call adds one row of the table for each word of its own sentence: as many rows as this `x` has
    words, no others.
    """

    def forward(self, x):
        return x + self.table


@mistake("O31")
class OneRow(Reference):
    """All words get the vector of the last position: `table[n]` is one row, `table[:n]` are the first n."""

    def forward(self, x):
        return x + self.table[x.shape[1] - 1]


@mistake
class OneNumber(nn.Module):
    """You added one number a position; it takes a whole vector: (max_length, d_model)."""

    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, 1) * 0.02)

    def forward(self, x):
        return x + self.table[: x.shape[1]]


@mistake
class SwappedSizes(nn.Module):
    """The sizes are swapped: a row for each position, a column for each dimension, (max_length, d_model)."""

    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = nn.Embedding(d_model, max_length)

    def forward(self, x):
        return x + self.table(torch.arange(x.shape[1]))


@mistake
class PositionsAlone(Reference):
    """The positions come out alone. Add them to x: without x no word is left."""

    def forward(self, x):
        return self.table[: x.shape[1]].expand_as(x)


@mistake
class Multiplied(Reference):
    """Add the table to x, do not multiply by it."""

    def forward(self, x):
        return x * self.table[: x.shape[1]]


@mistake("A20", mentions=r"\+=|\.add_\(")
class InPlace(Reference):
    """`+=` and `add_` write into the caller's x; `x = x + ...` makes a new tensor."""

    def forward(self, x):
        x += self.table[: x.shape[1]]
        return x


@mistake("O11")
class FromOne(Reference):
    """Your rows start at 1, and for the last place none is left. The first word gets row 0."""

    def forward(self, x):
        return x + self.table[1 : x.shape[1] + 1]


@mistake
class AskedForWords(nn.Module):
    """The table is asked for places, not for words or a length: `torch.arange(x.shape[1])`."""

    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = nn.Embedding(max_length, d_model)

    def forward(self, x):
        return x + self.table(x)


@mistake
class AskedForLength(AskedForWords):
    """One number is one place; a sentence has many: `torch.arange(x.shape[1])`."""

    def forward(self, x):
        return x + self.table(x.shape[1])
