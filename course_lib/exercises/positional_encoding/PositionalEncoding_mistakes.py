"""Wrong answers to PositionalEncoding: name, advice, code."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.positional_encoding.PositionalEncoding import Reference
from course_lib.exercises.positional_encoding.sinusoidal_encoding import reference as encoding_of

mistake = Mistakes()


@mistake("O12")
class CutByBatch(Reference):
    """You cut the table to the size of the batch. x is (batch, seq, d_model), and the positions run along
    axis 1: `self.table[: x.shape[1]]`.
    """

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[0]])


@mistake("O12")
class AlongTheBatch(Reference):
    """All words of a sentence get the same position, which is the index of the sentence in the batch. You
    swapped the axes of batch and sequence: the positions run along axis 1.
    """

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[0], None])


@mistake
class WholeTable(Reference):
    """Each call must add as many rows of the table as this `x` has words in a sentence. Take only
    these rows.
    """

    def forward(self, x):
        return self.dropout(x + self.table)


@mistake("O31")
class OneRow(Reference):
    """All words get the vector of the last position. `table[n]` is one row, and `table[:n]` are the first n
    rows.
    """

    def forward(self, x):
        return self.dropout(x + self.table[x.shape[1] - 1])


@mistake("O11")
class FromOne(nn.Module):
    """Your positions start at 1. They count from 0, so the first word gets row 0."""

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("table", encoding_of(max_length + 1, d_model))

    def forward(self, x):
        return self.dropout(x + self.table[1 : x.shape[1] + 1])


@mistake
class PositionsAlone(Reference):
    """You return only the positions, so the words are lost. Add the positions to x."""

    def forward(self, x):
        return self.dropout(self.table[: x.shape[1]].expand_as(x))


@mistake
class Multiplied(Reference):
    """You multiply x by the table, and its zeros delete the words. Add the table to x."""

    def forward(self, x):
        return self.dropout(x * self.table[: x.shape[1]])


@mistake
class Concatenated(Reference):
    """You concatenate words and positions, so the width doubles. The paper adds them, and the width stays
    d_model.
    """

    def forward(self, x):
        return self.dropout(torch.cat([x, self.table[: x.shape[1]].expand_as(x)], dim=-1))


@mistake("O18")
class NoDropout(Reference):
    """Dropout is missing. Apply it to the sum of words and positions (section 5.4 of the paper)."""

    def forward(self, x):
        return x + self.table[: x.shape[1]]


@mistake("O18")
class DropsPositions(Reference):
    """You apply dropout to the positions alone. Add first, then apply dropout to the sum."""

    def forward(self, x):
        return x + self.dropout(self.table[: x.shape[1]].expand_as(x))


@mistake("O18")
class DropsWords(Reference):
    """You apply dropout to the words alone. Add first, then apply dropout to the sum."""

    def forward(self, x):
        return self.dropout(x) + self.table[: x.shape[1]]


@mistake("A19", mentions=r"(?<!self\.)\bdropout\(")
class DropsAlways(Reference):
    """Your dropout also works in evaluation. `F.dropout` does not know about eval(): pass it `self.training`,
    or use nn.Dropout, which switches itself off.
    """

    def forward(self, x):
        return F.dropout(x + self.table[: x.shape[1]], self.dropout.p)


@mistake("O16", lacks="register_buffer")
class StaysBehind(nn.Module):
    """Your table does not move with the module: a plain attribute stays behind, and `.to()` returns a new
    tensor that you have to keep. Use `self.register_buffer`.
    """

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.table = encoding_of(max_length, d_model)

    def forward(self, x):
        self.table.to(x)
        return self.dropout(x + self.table[: x.shape[1]])


@mistake
class Trained(nn.Module):
    """Your table is a trained parameter, so training would change the sinusoids. Use `register_buffer`."""

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.table = nn.Parameter(encoding_of(max_length, d_model))

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[1]])


@mistake("A20", mentions=r"\+=|\.add_\(")
class InPlace(Reference):
    """`+=` and `add_` change the caller's x. Write `x = x + ...`, which makes a new tensor."""

    def forward(self, x):
        x += self.table[: x.shape[1]]
        return self.dropout(x)


@mistake(mentions="[dD]ropout")
class OwnRate(nn.Module):
    """Your module drops numbers although `dropout` is 0. Take the rate from the argument:
    `nn.Dropout(dropout)`.
    """

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(0.1)
        self.register_buffer("table", encoding_of(max_length, d_model))

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[1]])


@mistake
class MadeAnew(nn.Module):
    """You compute the encoding again at every call. Make the table once in `__init__`, with max_length rows,
    and take its first rows in forward.
    """

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.d_model, self.dropout = d_model, nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(x + encoding_of(x.shape[1], self.d_model).to(x))


@mistake
class Scaled(Reference):
    """You multiply x by √d_model. That belongs to the embedding (lesson 01): add the table to x without a
    factor.
    """

    def forward(self, x):
        return self.dropout(x * x.shape[-1] ** 0.5 + self.table[: x.shape[1]])


@mistake
class AddedTwice(Reference):
    """You add x twice: once to the table, and once to the result of the dropout. Leave out the second one."""

    def forward(self, x):
        return x + self.dropout(x + self.table[: x.shape[1]])


@mistake(mentions=r"(shape\[|size\()(-1|2)[\])]")
class CutByWidth(Reference):
    """You cut the table to the last axis of x, which is d_model. The words run along axis 1: `self.table[:
    x.shape[1]]`.
    """

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[-1]])


@mistake(mentions=r"encoding\w*\(d_model, max_length\)")
class SwappedSizes(nn.Module):
    """You swapped the two arguments. The length comes first: `sinusoidal_encoding(max_length, d_model)`."""

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("table", encoding_of(d_model, max_length))

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[1]])


@mistake
class ZerosWithoutPosition(Reference):
    """You give vectors of zeros, which are padding, no position. They get their normal one, because masks
    hide padding later.
    """

    def forward(self, x):
        return torch.where((x == 0).all(dim=-1, keepdim=True), x, super().forward(x))
