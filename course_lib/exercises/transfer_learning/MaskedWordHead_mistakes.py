"""Wrong answers to MaskedWordHead: name, advice, code."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


class Parts(nn.Module):
    def __init__(self, d_model, vocab):
        super().__init__()
        self.dense = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model)
        self.bias = nn.Parameter(torch.zeros(vocab))


@mistake(mentions=r"self\.bias\b")
class PlainBias(nn.Module):
    """`self.bias` is a plain tensor, which no optimizer will find. Keep an `nn.Parameter(...)` itself: what
    is computed from one, as its `.detach()`, is a plain tensor too.
    """

    def __init__(self, d_model, vocab):
        super().__init__()
        self.dense = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model)
        self.bias = torch.zeros(vocab)

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT + self.bias


@mistake
class WithoutBias(nn.Module):
    """No parameter `bias` is found: one number a word, as an `nn.Parameter`, added to the scores."""

    def __init__(self, d_model, vocab):
        super().__init__()
        self.dense = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT


@mistake
class DenseWithoutBias(Parts):
    """The dense layer has a bias of its own, $c$ in the formula: `nn.Linear` makes one unless told not to."""

    def __init__(self, d_model, vocab):
        super().__init__(d_model, vocab)
        self.dense = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT + self.bias


@mistake
class UnusedBias(Parts):
    """You made the bias, and the scores do not depend on it: add it."""

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT


@mistake
class DetachedBias(Parts):
    """The bias is added and does not learn: `.data`, `.detach()` or `no_grad` cut it off."""

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT + self.bias.data


@mistake
class SubtractedBias(Parts):
    """The bias is subtracted; the formula adds it."""

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT - self.bias


@mistake
class DrawnBias(Parts):
    """The bias begins as 0: no word is preferred before training."""

    def __init__(self, d_model, vocab):
        super().__init__(d_model, vocab)
        self.bias = nn.Parameter(torch.randn(vocab))

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT + self.bias


@mistake
class BiasOfOnes(Parts):
    """The bias begins as 0; yours begins as 1."""

    def __init__(self, d_model, vocab):
        super().__init__(d_model, vocab)
        self.bias = nn.Parameter(torch.ones(vocab))

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT + self.bias


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
class FirstTable(Parts):
    """The table of the first call is kept. Use the `table` of each call: it learns, and it may be another."""

    def __init__(self, d_model, vocab):
        super().__init__(d_model, vocab)
        self.table = None

    def forward(self, x, table):
        if self.table is None:
            self.table = table
        return self.norm(F.gelu(self.dense(x))) @ self.table.mT + self.bias


@mistake(mentions=r"(?m)^ +[\w.]*(gelu|activation)\([^=]*\)$")
class GeluThrownAway(Parts):
    """GELU is written down, but its result goes nowhere: it makes a new tensor and leaves the old one as it
    was. Use what it returns, before the norm.
    """

    def forward(self, x, table):
        x = self.dense(x)
        F.gelu(x)
        return F.linear(self.norm(x), table, self.bias)


@mistake(lacks=r"(gelu|GELU)\(")
class WithoutGelu(Parts):
    """GELU is missing between the dense layer and the norm."""

    def forward(self, x, table):
        return F.linear(self.norm(self.dense(x)), table, self.bias)


@mistake
class UnusedGelu(Parts):
    """GELU changes nothing in your scores: it comes between the dense layer and the norm."""

    def __init__(self, d_model, vocab):
        super().__init__(d_model, vocab)
        self.activation = nn.GELU()

    def forward(self, x, table):
        return F.linear(self.norm(self.dense(x)), table, self.bias)


@mistake
class Relu(Parts):
    """This is ReLU; the head of BERT has GELU (`F.gelu`)."""

    def forward(self, x, table):
        return F.linear(self.norm(F.relu(self.dense(x))), table, self.bias)


@mistake
class Tanh(Parts):
    """This is tanh; the head has GELU (`F.gelu`)."""

    def forward(self, x, table):
        return F.linear(self.norm(torch.tanh(self.dense(x))), table, self.bias)


@mistake
class NormBeforeGelu(Parts):
    """The norm comes last: dense layer, GELU, then norm."""

    def forward(self, x, table):
        return F.linear(F.gelu(self.norm(self.dense(x))), table, self.bias)


@mistake
class NormFirst(Parts):
    """The norm comes after the dense layer and GELU, not before them."""

    def forward(self, x, table):
        return F.linear(F.gelu(self.dense(self.norm(x))), table, self.bias)


@mistake
class GeluFirst(Parts):
    """GELU comes after the dense layer, not before it."""

    def forward(self, x, table):
        return F.linear(self.norm(self.dense(F.gelu(x))), table, self.bias)


@mistake
class GeluTwice(Parts):
    """GELU comes once, before the norm. Nothing comes between norm and table."""

    def forward(self, x, table):
        return F.linear(F.gelu(self.norm(F.gelu(self.dense(x)))), table, self.bias)


@mistake
class Scaled(Parts):
    """The dot products are not scaled: that belongs to attention."""

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT / table.shape[1] ** 0.5 + self.bias


@mistake
class WithoutNorm(Parts):
    """The norm changes nothing in your scores: what it returns is what the table is compared with."""

    def forward(self, x, table):
        return F.linear(F.gelu(self.dense(x)), table, self.bias)


@mistake
class WithoutDense(Parts):
    """The dense layer changes nothing in your scores: it comes first, and GELU gets what it returns."""

    def forward(self, x, table):
        return F.linear(self.norm(F.gelu(x)), table, self.bias)


@mistake
class WithoutTransform(Parts):
    """The input itself is compared with the table: dense layer, GELU and norm come before."""

    def forward(self, x, table):
        return F.linear(x, table, self.bias)


@mistake("T14")
class Probabilities(Parts):
    """These are probabilities. Return the scores as they are: `F.cross_entropy` has the softmax inside."""

    def forward(self, x, table):
        return F.linear(self.norm(F.gelu(self.dense(x))), table, self.bias).softmax(dim=-1)


@mistake
class DetachedTable(Parts):
    """The table learns nothing: `.detach()`, `.data` or a new `nn.Parameter` cut it off. It must learn from
    what the head gets wrong.
    """

    def forward(self, x, table):
        return F.linear(self.norm(F.gelu(self.dense(x))), table.detach(), self.bias)


@mistake
class Residual(Parts):
    """The vector of the input is added to that of the head: leave it out."""

    def forward(self, x, table):
        return F.linear(x + self.norm(F.gelu(self.dense(x))), table, self.bias)


@mistake
class NotTransposed(Parts):
    """A row of the table is a word: the scores are `h @ table.mT`, or `F.linear(h, table)`. Yours multiplies
    the other way round.
    """

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table + self.bias
