"""Wrong answers to LearnedPositions: name, advice, code."""

import torch
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.positional_encoding.LearnedPositions import Reference

mistake = Mistakes()


@mistake
class PlainTensor(nn.Module):
    """Your table is no parameter, so no optimizer will train it. Store an nn.Parameter itself in `__init__`:
    what is computed from one, such as `nn.Parameter(...) * 0.02`, is a plain tensor.
    """

    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = torch.randn(max_length, d_model) * 0.02

    def forward(self, x):
        return x + self.table[: x.shape[1]]


@mistake(mentions=r"detach|\.data\b|no_grad|item\(|numpy")
class Detached(Reference):
    """`.detach()`, `.data` and `no_grad` cut off the gradient of the table. The table would keep its random
    numbers: leave them out.
    """

    def forward(self, x):
        return x + self.table[: x.shape[1]].detach()


@mistake(mentions=r"requires_grad(_\(| ?= ?)False")
class Frozen(nn.Module):
    """Your table has `requires_grad=False`, so it never learns. Leave `requires_grad` as nn.Parameter sets
    it.
    """

    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, d_model) * 0.02, requires_grad=False)

    def forward(self, x):
        return x + self.table[: x.shape[1]]


@mistake("O12")
class CutByBatch(Reference):
    """You cut the table to the size of the batch. x is (batch, seq, d_model), and the positions run along
    axis 1: `self.table[: x.shape[1]]`.
    """

    def forward(self, x):
        return x + self.table[: x.shape[0]]


@mistake("O12")
class AlongTheBatch(Reference):
    """All words of a sentence get the same position, which is the index of the sentence in the batch. You
    swapped the axes of batch and sequence: the positions run along axis 1.
    """

    def forward(self, x):
        return x + self.table[: x.shape[0], None]


@mistake
class WholeTable(Reference):
    """Each call must add as many rows of the table as this `x` has words in a sentence. Take only
    these rows.
    """

    def forward(self, x):
        return x + self.table


@mistake("O31")
class OneRow(Reference):
    """All words get the vector of the last position. `table[n]` is one row, and `table[:n]` are the first n
    rows.
    """

    def forward(self, x):
        return x + self.table[x.shape[1] - 1]


@mistake
class OneNumber(nn.Module):
    """You add one number for each position. Add a whole vector: the table has shape (max_length, d_model)."""

    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, 1) * 0.02)

    def forward(self, x):
        return x + self.table[: x.shape[1]]


@mistake
class SwappedSizes(nn.Module):
    """The sizes of your table are swapped. It has a row for each position and a column for each dimension:
    (max_length, d_model).
    """

    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = nn.Embedding(d_model, max_length)

    def forward(self, x):
        return x + self.table(torch.arange(x.shape[1]))


@mistake
class PositionsAlone(Reference):
    """You return only the positions, so the words are lost. Add the positions to x."""

    def forward(self, x):
        return self.table[: x.shape[1]].expand_as(x)


@mistake
class RowsAlone(Reference):
    """You return rows of the table, and x is not in them. Add them to x."""

    def forward(self, x):
        return self.table[: x.shape[1]].clone()


@mistake
class Multiplied(Reference):
    """You multiply x by the table. Add the table to x."""

    def forward(self, x):
        return x * self.table[: x.shape[1]]


@mistake("A20", mentions=r"\+=|\.add_\(")
class InPlace(Reference):
    """`+=` and `add_` change the caller's x. Write `x = x + ...`, which makes a new tensor."""

    def forward(self, x):
        x += self.table[: x.shape[1]]
        return x


@mistake("O11")
class FromOne(Reference):
    """Your rows start at 1, so no row is left for the last position. Give row 0 to the first word."""

    def forward(self, x):
        return x + self.table[1 : x.shape[1] + 1]


@mistake
class AskedForWords(nn.Module):
    """The table is indexed by positions, not by words or a length. Write `torch.arange(x.shape[1])`."""

    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = nn.Embedding(max_length, d_model)

    def forward(self, x):
        return x + self.table(x)


@mistake
class AskedForLength(AskedForWords):
    """You index the table with one number, which is one position. A sentence has many:
    `torch.arange(x.shape[1])`.
    """

    def forward(self, x):
        return x + self.table(x.shape[1])


@mistake
class ZerosWithoutPosition(Reference):
    """You give vectors of zeros, which are padding, no position. They get their normal one, because masks
    hide padding later.
    """

    def forward(self, x):
        return torch.where((x == 0).all(dim=-1, keepdim=True), x, super().forward(x))
