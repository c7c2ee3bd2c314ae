"""Wrong answers to MaskedWordHead: name, advice, code."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.transfer_learning.MaskedWordHead import Reference

mistake = Mistakes()


@mistake
class WithoutBias(nn.Module):
    """No parameter `bias` is found: one number a word, as an nn.Parameter."""

    def __init__(self, d_model, vocab):
        super().__init__()
        self.dense = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT


@mistake
class DenseWithoutBias(Reference):
    """The dense layer has a bias, $c$ in the formula: leave `bias=False` out."""

    def __init__(self, d_model, vocab):
        super().__init__(d_model, vocab)
        self.dense = nn.Linear(d_model, d_model, bias=False)


@mistake
class UnusedBias(Reference):
    """You made the bias and do not add it."""

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT


@mistake
class DrawnBias(Reference):
    """The bias begins as 0: no word is preferred before training."""

    def __init__(self, d_model, vocab):
        super().__init__(d_model, vocab)
        self.bias = nn.Parameter(torch.randn(vocab))


@mistake
class OwnMatrix(nn.Module):
    """This head has a matrix of its own for the words. Use the rows of `table`: what is learned about a word
    by hiding it then moves the vector that stands for it.
    """

    def __init__(self, d_model, vocab):
        super().__init__()
        self.dense = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab)

    def forward(self, x, table):
        return self.output(self.norm(F.gelu(self.dense(x))))


@mistake
class WithoutGelu(Reference):
    """GELU is missing between the dense layer and the norm."""

    def forward(self, x, table):
        return F.linear(self.norm(self.dense(x)), table, self.bias)


@mistake
class Relu(Reference):
    """This is ReLU; the head of BERT has GELU (`F.gelu`)."""

    def forward(self, x, table):
        return F.linear(self.norm(F.relu(self.dense(x))), table, self.bias)


@mistake
class NormBeforeGelu(Reference):
    """The norm comes last: dense layer, GELU, then norm."""

    def forward(self, x, table):
        return F.linear(F.gelu(self.norm(self.dense(x))), table, self.bias)


@mistake
class NormFirst(Reference):
    """The norm comes after the dense layer and GELU, not before them."""

    def forward(self, x, table):
        return F.linear(F.gelu(self.dense(self.norm(x))), table, self.bias)


@mistake
class GeluTwice(Reference):
    """GELU comes once, before the norm. Nothing comes between norm and table."""

    def forward(self, x, table):
        return F.linear(F.gelu(self.norm(F.gelu(self.dense(x)))), table, self.bias)


@mistake
class Scaled(Reference):
    """The dot products are not scaled: that belongs to attention."""

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT / table.shape[1] ** 0.5 + self.bias


@mistake
class WithoutNorm(Reference):
    """`self.norm` is never used: normalize before the table."""

    def forward(self, x, table):
        return F.linear(F.gelu(self.dense(x)), table, self.bias)


@mistake
class WithoutDense(Reference):
    """The dense layer is never used."""

    def forward(self, x, table):
        return F.linear(self.norm(F.gelu(x)), table, self.bias)


@mistake("T14")
class Probabilities(Reference):
    """`F.cross_entropy` contains the softmax already: return the scores as they are."""

    def forward(self, x, table):
        return super().forward(x, table).softmax(dim=-1)


@mistake
class DetachedTable(Reference):
    """`.detach()` (or `.data`) cuts the table off: it must learn from what the head gets wrong."""

    def forward(self, x, table):
        return super().forward(x, table.detach())


@mistake
class Residual(Reference):
    """The vector of the input is added to that of the head: leave it out."""

    def forward(self, x, table):
        return F.linear(x + self.norm(F.gelu(self.dense(x))), table, self.bias)


@mistake
class NotTransposed(Reference):
    """A row of the table is a word: `h @ table` mixes the axes, it must be `h @ table.mT`."""

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table + self.bias
