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
    """`self.bias` is a plain tensor, so no optimizer finds it. Assign an `nn.Parameter(...)` itself, because
    what is computed from one, such as its `.detach()`, is a plain tensor too.
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
    """No parameter named `bias` was found. Make an `nn.Parameter` with one number for each word, and add it
    to the scores.
    """

    def __init__(self, d_model, vocab):
        super().__init__()
        self.dense = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT


@mistake
class DenseWithoutBias(Parts):
    """Your dense layer has no bias. The formula has one, $c$, and `nn.Linear` makes it by default."""

    def __init__(self, d_model, vocab):
        super().__init__(d_model, vocab)
        self.dense = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT + self.bias


@mistake
class UnusedBias(Parts):
    """You made the bias, but the scores do not depend on it. Add it to the scores."""

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT


@mistake
class DetachedBias(Parts):
    """You add the bias, but it gets no gradient, because `.data`, `.detach()` or `no_grad` cuts it off.
    Add `self.bias` itself.
    """

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT + self.bias.data


@mistake
class SubtractedBias(Parts):
    """You subtract the bias. The formula adds it."""

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT - self.bias


@mistake
class DrawnBias(Parts):
    """Your bias does not start at 0. It must, so that no word is preferred before training."""

    def __init__(self, d_model, vocab):
        super().__init__(d_model, vocab)
        self.bias = nn.Parameter(torch.randn(vocab))

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT + self.bias


@mistake
class BiasOfOnes(Parts):
    """Your bias starts at 1. It must start at 0."""

    def __init__(self, d_model, vocab):
        super().__init__(d_model, vocab)
        self.bias = nn.Parameter(torch.ones(vocab))

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT + self.bias


@mistake
class OwnMatrix(nn.Module):
    """Your head has a matrix of its own for the words. Use the rows of `table`, so that predicting a hidden
    word also trains its embedding.
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
    """You keep the table of the first call. Use the `table` of each call, because it changes in training and
    may be another table.
    """

    def __init__(self, d_model, vocab):
        super().__init__(d_model, vocab)
        self.table = None

    def forward(self, x, table):
        if self.table is None:
            self.table = table
        return self.norm(F.gelu(self.dense(x))) @ self.table.mT + self.bias


@mistake(mentions=r"(?m)^ +[\w.]*(gelu|activation)\([^=]*\)$")
class GeluThrownAway(Parts):
    """You call GELU but do not use its result. GELU returns a new tensor and leaves the old one unchanged, so
    pass its result to the norm.
    """

    def forward(self, x, table):
        x = self.dense(x)
        F.gelu(x)
        return F.linear(self.norm(x), table, self.bias)


@mistake(lacks=r"(gelu|GELU)\(")
class WithoutGelu(Parts):
    """GELU is missing. Apply it between the dense layer and the norm."""

    def forward(self, x, table):
        return F.linear(self.norm(self.dense(x)), table, self.bias)


@mistake
class UnusedGelu(Parts):
    """GELU changes nothing in your scores. Apply it between the dense layer and the norm."""

    def __init__(self, d_model, vocab):
        super().__init__(d_model, vocab)
        self.activation = nn.GELU()

    def forward(self, x, table):
        return F.linear(self.norm(self.dense(x)), table, self.bias)


@mistake
class Relu(Parts):
    """You use ReLU. The head of BERT uses GELU (`F.gelu`)."""

    def forward(self, x, table):
        return F.linear(self.norm(F.relu(self.dense(x))), table, self.bias)


@mistake
class Tanh(Parts):
    """You use tanh. The head uses GELU (`F.gelu`)."""

    def forward(self, x, table):
        return F.linear(self.norm(torch.tanh(self.dense(x))), table, self.bias)


@mistake
class NormBeforeGelu(Parts):
    """You apply the norm before GELU. The order is dense layer, GELU, norm."""

    def forward(self, x, table):
        return F.linear(F.gelu(self.norm(self.dense(x))), table, self.bias)


@mistake
class NormFirst(Parts):
    """You apply the norm before the dense layer. The order is dense layer, GELU, norm."""

    def forward(self, x, table):
        return F.linear(F.gelu(self.dense(self.norm(x))), table, self.bias)


@mistake
class GeluFirst(Parts):
    """You apply GELU before the dense layer. The order is dense layer, GELU, norm."""

    def forward(self, x, table):
        return F.linear(self.norm(self.dense(F.gelu(x))), table, self.bias)


@mistake
class GeluTwice(Parts):
    """You apply GELU again after the norm. Nothing comes between the norm and the table."""

    def forward(self, x, table):
        return F.linear(F.gelu(self.norm(F.gelu(self.dense(x)))), table, self.bias)


@mistake
class Scaled(Parts):
    """You scale the dot products, as attention does. The formula of the head has no scale."""

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT / table.shape[1] ** 0.5 + self.bias


@mistake
class WithoutNorm(Parts):
    """The norm changes nothing in your scores. Compare the output of the norm with the table."""

    def forward(self, x, table):
        return F.linear(F.gelu(self.dense(x)), table, self.bias)


@mistake
class WithoutDense(Parts):
    """The dense layer changes nothing in your scores. It comes first, and GELU gets its output."""

    def forward(self, x, table):
        return F.linear(self.norm(F.gelu(x)), table, self.bias)


@mistake
class WithoutTransform(Parts):
    """You compare the input itself with the table. Apply the dense layer, GELU and the norm before that."""

    def forward(self, x, table):
        return F.linear(x, table, self.bias)


@mistake("T14")
class Probabilities(Parts):
    """You return probabilities. Return the scores, because `F.cross_entropy` contains the softmax."""

    def forward(self, x, table):
        return F.linear(self.norm(F.gelu(self.dense(x))), table, self.bias).softmax(dim=-1)


@mistake
class DetachedTable(Parts):
    """The table gets no gradient, because `.detach()`, `.data` or a new `nn.Parameter` cuts it off. It must
    learn from the errors of the head.
    """

    def forward(self, x, table):
        return F.linear(self.norm(F.gelu(self.dense(x))), table.detach(), self.bias)


@mistake
class Residual(Parts):
    """You add the input to the vector of the head. The formula has no such sum: leave the input out."""

    def forward(self, x, table):
        return F.linear(x + self.norm(F.gelu(self.dense(x))), table, self.bias)


@mistake
class NotTransposed(Parts):
    """You multiply by the table without a transpose. A row of the table is a word, so the scores are `h @
    table.mT`, or `F.linear(h, table)`.
    """

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table + self.bias


@mistake(mentions=r"self\.\w+ = table")
class TableTaken(Parts):
    """You assign `table` to `self`. It is a parameter, so it becomes one of the head's own too. Use `table`
    as it is, because the head only borrows it.
    """

    def forward(self, x, table):
        self.table = table
        return self.norm(F.gelu(self.dense(x))) @ self.table.mT + self.bias
