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
    """x is (batch, seq, d_model): you cut the table by the size of the batch. The positions run along axis 1:
    `self.table[: x.shape[1]]`.
    """

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[0]])


@mistake("O12")
class AlongTheBatch(Reference):
    """Every word of a sentence gets one position, that of its sentence in the batch: the axes of batch and
    sequence are swapped.
    """

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[0], None])


@mistake
class WholeTable(Reference):
    """Each call adds one row of the table for each word of its own sentence: as many rows as this `x` has
    words, no others.
    """

    def forward(self, x):
        return self.dropout(x + self.table)


@mistake("O31")
class OneRow(Reference):
    """All words get the vector of the last position: `table[n]` is one row, `table[:n]` are the first n."""

    def forward(self, x):
        return self.dropout(x + self.table[x.shape[1] - 1])


@mistake("O11")
class FromOne(nn.Module):
    """Your positions start at 1. They count from 0: the first word gets row 0."""

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("table", encoding_of(max_length + 1, d_model))

    def forward(self, x):
        return self.dropout(x + self.table[1 : x.shape[1] + 1])


@mistake
class PositionsAlone(Reference):
    """The positions come out alone. Add them to x: without x no word is left."""

    def forward(self, x):
        return self.dropout(self.table[: x.shape[1]].expand_as(x))


@mistake
class Multiplied(Reference):
    """Add the table, do not multiply by it: its zeros would delete the word."""

    def forward(self, x):
        return self.dropout(x * self.table[: x.shape[1]])


@mistake
class Concatenated(Reference):
    """You put positions beside the words, so the width doubles. The paper adds them, and the width stays."""

    def forward(self, x):
        return self.dropout(torch.cat([x, self.table[: x.shape[1]].expand_as(x)], dim=-1))


@mistake("O18")
class NoDropout(Reference):
    """Dropout is missing: apply it to the sum of words and positions (section 5.4 of the paper)."""

    def forward(self, x):
        return x + self.table[: x.shape[1]]


@mistake("O18")
class DropsPositions(Reference):
    """You drop from the positions alone. Add first, then apply dropout to the sum."""

    def forward(self, x):
        return x + self.dropout(self.table[: x.shape[1]].expand_as(x))


@mistake("O18")
class DropsWords(Reference):
    """You drop from the words alone. Add first, then apply dropout to the sum."""

    def forward(self, x):
        return self.dropout(x) + self.table[: x.shape[1]]


@mistake("A19", mentions=r"(?<!self\.)\bdropout\(")
class DropsAlways(Reference):
    """Yours drops in evaluation too. `F.dropout` does not know about eval(): pass `self.training`, or use
    nn.Dropout, which knows.
    """

    def forward(self, x):
        return F.dropout(x + self.table[: x.shape[1]], self.dropout.p)


@mistake("O16", lacks="register_buffer")
class StaysBehind(nn.Module):
    """`self.register_buffer` makes the table follow. A plain attribute stays behind, and `.to()` gives a new
    tensor that must be kept.
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
    """Your table is a parameter that is trained, and the sinusoids would not stay what they are: use
    `register_buffer`.
    """

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.table = nn.Parameter(encoding_of(max_length, d_model))

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[1]])


@mistake("A20", mentions=r"\+=|\.add_\(")
class InPlace(Reference):
    """`+=` and `add_` write into the caller's x; `x = x + ...` makes a new tensor."""

    def forward(self, x):
        x += self.table[: x.shape[1]]
        return self.dropout(x)


@mistake(mentions="[dD]ropout")
class OwnRate(nn.Module):
    """It drops although `dropout` is 0: the rate is what the argument says, `nn.Dropout(dropout)`."""

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(0.1)
        self.register_buffer("table", encoding_of(max_length, d_model))

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[1]])


@mistake
class MadeAnew(nn.Module):
    """You make the encoding anew at every call. Make the table once, in `__init__`, with room for max_length
    words, and take its first rows.
    """

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.d_model, self.dropout = d_model, nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(x + encoding_of(x.shape[1], self.d_model).to(x))


@mistake
class Scaled(Reference):
    """Multiplying by √d_model belongs to the embedding (lesson 01); here x is added as it comes."""

    def forward(self, x):
        return self.dropout(x * x.shape[-1] ** 0.5 + self.table[: x.shape[1]])


@mistake
class AddedTwice(Reference):
    """x is added twice: once to the table, once to the result of the dropout."""

    def forward(self, x):
        return x + self.dropout(x + self.table[: x.shape[1]])


@mistake(mentions=r"(shape\[|size\()(-1|2)[\])]")
class CutByWidth(Reference):
    """The last axis of x is d_model; the words follow axis 1: `self.table[: x.shape[1]]`."""

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[-1]])


@mistake(mentions=r"encoding\w*\(d_model, max_length\)")
class SwappedSizes(nn.Module):
    """The length comes first: `sinusoidal_encoding(max_length, d_model)`."""

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("table", encoding_of(d_model, max_length))

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[1]])
