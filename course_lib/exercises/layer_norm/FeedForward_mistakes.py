"""Wrong answers to FeedForward: name, advice, code."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.layer_norm.FeedForward import Linears

mistake = Mistakes()


@mistake(lacks=r"super\(")
class WithoutSuper(nn.Module):
    """Begin `__init__` with `super().__init__()`: it prepares the module for layers."""

    def __init__(self, d_model, d_ff):
        self.linear1 = nn.Linear(d_model, d_ff)


@mistake("F1")
class NoActivation(Linears):
    """Two linear maps in a row are one linear map: put the ReLU between them."""

    def forward(self, x):
        return self.linear2(self.linear1(x))


@mistake("F2")
class ActivationLast(Linears):
    """The ReLU sits between the two maps, not after the second: an output may be negative."""

    def forward(self, x):
        return torch.relu(self.linear2(self.linear1(x)))


@mistake("F3")
class ActivationTwice(Linears):
    """The second map has no activation: an output may be negative."""

    def forward(self, x):
        return torch.relu(self.linear2(torch.relu(self.linear1(x))))


@mistake("F4")
class ActivationFirst(Linears):
    """ReLU belongs to the hidden layer, between the two maps, not to the input."""

    def forward(self, x):
        return self.linear2(self.linear1(torch.relu(x)))


@mistake("F4")
class ActivationOnInputToo(Linears):
    """ReLU belongs to the hidden layer only: the input may be negative."""

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(torch.relu(x))))


@mistake("F5")
class Gelu(Linears):
    """This is GELU, as in BERT and GPT: a good choice, but the paper's formula has ReLU."""

    def forward(self, x):
        return self.linear2(F.gelu(self.linear1(x)))


@mistake("F5")
class GeluTanh(Linears):
    """This is GELU in its tanh approximation, as in GPT-2: a good choice, but the paper's formula
    has ReLU.
    """

    def forward(self, x):
        return self.linear2(F.gelu(self.linear1(x), approximate="tanh"))


@mistake
class Leaky(Linears):
    """The paper's activation is ReLU: exactly 0 below 0. A leaky ReLU lets a hundredth through."""

    def forward(self, x):
        return self.linear2(F.leaky_relu(self.linear1(x)))


@mistake
class Relu6(Linears):
    """This is ReLU6, which cuts off above 6. The paper's ReLU has no upper bound."""

    def forward(self, x):
        return self.linear2(F.relu6(self.linear1(x)))


@mistake
class Elu(Linears):
    """The paper's activation is ReLU: exactly 0 below 0. An ELU goes down to -1."""

    def forward(self, x):
        return self.linear2(F.elu(self.linear1(x)))


@mistake
class Silu(Linears):
    """The paper's activation is ReLU: max(0, x). SiLU (Swish) came later."""

    def forward(self, x):
        return self.linear2(F.silu(self.linear1(x)))


@mistake(mentions=r"\bReLU\((?!\)|inplace)")
class ModuleOfTensor(Linears):
    """`nn.ReLU(x)` makes a module and applies nothing: `nn.ReLU()(x)`, or `torch.relu(x)`."""

    def forward(self, x):
        return self.linear2(nn.ReLU(self.linear1(x)))


@mistake
class OnlyHidden(Linears):
    """The way back is missing: `linear2` brings the d_ff numbers to d_model again."""

    def forward(self, x):
        return torch.relu(self.linear1(x))


@mistake
class Sigmoid(Linears):
    """The paper's activation is ReLU: max(0, x). A sigmoid bends elsewhere."""

    def forward(self, x):
        return self.linear2(torch.sigmoid(self.linear1(x)))


@mistake
class Tanh(Linears):
    """The paper's activation is ReLU: max(0, x). A tanh bends elsewhere."""

    def forward(self, x):
        return self.linear2(torch.tanh(self.linear1(x)))


@mistake
class Softmax(Linears):
    """A softmax makes the hidden units share a sum of 1: ReLU looks at each number alone."""

    def forward(self, x):
        return self.linear2(torch.softmax(self.linear1(x), dim=-1))


@mistake("F6")
class Mean(Linears):
    """You average over the positions: words are mixed by attention. Here each position is alone."""

    def forward(self, x):
        hidden = torch.relu(self.linear1(x))
        return self.linear2(hidden.mean(dim=1, keepdim=True).expand_as(hidden))


@mistake("F6")
class Neighbor(Linears):
    """Each position sees the one before it too: words are mixed by attention. Here each position is alone."""

    def forward(self, x):
        before = F.pad(x, (0, 0, 1, 0))[:, :-1]
        return self.linear2(torch.relu(self.linear1(x + before)))


@mistake("F7", mentions="Conv1d")
class Convolutions(nn.Module):
    """A convolution of width 1 is the same map, if the axes are transposed for it; but here `linear1` and
    `linear2` are nn.Linear, which need no transposing.
    """

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Conv1d(d_model, d_ff, 1), nn.Conv1d(d_ff, d_model, 1)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


@mistake
class SwappedSizes(nn.Module):
    """The sizes are swapped: nn.Linear takes (from, to), here d_model, then d_ff."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_ff, d_model), nn.Linear(d_model, d_ff)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


@mistake
class CopiedLine(nn.Module):
    """`linear2` goes from d_model to d_ff, as `linear1` does. It leads back: `nn.Linear(d_ff, d_model)`."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_model, d_ff)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


@mistake
class NotWider(nn.Module):
    """The hidden layer has d_ff units: yours has d_model."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


@mistake
class NoBias(nn.Module):
    """The formula has two biases, b_1 and b_2: leave nn.Linear its bias."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff, bias=False)
        self.linear2 = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


@mistake
class WithResidual(Linears):
    """x itself is added by the wrapper around the sublayer (exercise 4), not in here."""

    def forward(self, x):
        return x + self.linear2(torch.relu(self.linear1(x)))


@mistake("A19", mentions="[dD]ropout")
class WithDropout(Linears):
    """No dropout here: it makes two calls with the same input differ."""

    def forward(self, x):
        return self.linear2(F.dropout(torch.relu(self.linear1(x)), 0.5))


@mistake("A20", mentions=r"relu_\(|inplace")
class InPlace(Linears):
    """A ReLU in place (`relu_`, `inplace=True`) writes into x, and the caller still needs x. Here the ReLU
    belongs to the hidden layer only.
    """

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x.relu_())))
