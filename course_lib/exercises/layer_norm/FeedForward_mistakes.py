"""Wrong answers to FeedForward: name, advice, code."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.layer_norm.FeedForward import Linears

mistake = Mistakes()


@mistake(lacks=r"super\(")
class WithoutSuper(nn.Module):
    """Begin `__init__` with `super().__init__()`. It prepares the module for layers."""

    def __init__(self, d_model, d_ff):
        self.linear1 = nn.Linear(d_model, d_ff)


@mistake("F1")
class NoActivation(Linears):
    """Two linear maps in a row are the same as one linear map. Put the ReLU between them."""

    def forward(self, x):
        return self.linear2(self.linear1(x))


@mistake("F2")
class ActivationLast(Linears):
    """Your ReLU comes after the second map, so no output is negative. Put it between the two maps."""

    def forward(self, x):
        return torch.relu(self.linear2(self.linear1(x)))


@mistake("F3")
class ActivationTwice(Linears):
    """You apply a ReLU after the second map too, so no output is negative. Use only the one between
    the maps.
    """

    def forward(self, x):
        return torch.relu(self.linear2(torch.relu(self.linear1(x))))


@mistake("F4")
class ActivationFirst(Linears):
    """You apply the ReLU to the input. It belongs to the hidden layer, between the two maps."""

    def forward(self, x):
        return self.linear2(self.linear1(torch.relu(x)))


@mistake("F4")
class ActivationOnInputToo(Linears):
    """You apply the ReLU to the input too, which may be negative. Apply it only to the hidden layer."""

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(torch.relu(x))))


@mistake("F5")
class Gelu(Linears):
    """You use GELU, as BERT and GPT do. It is a good choice, but the paper's formula has ReLU."""

    def forward(self, x):
        return self.linear2(F.gelu(self.linear1(x)))


@mistake("F5")
class GeluTanh(Linears):
    """You use GELU in its tanh approximation, as GPT-2 does. It is a good choice, but the paper's formula has
    ReLU.
    """

    def forward(self, x):
        return self.linear2(F.gelu(self.linear1(x), approximate="tanh"))


@mistake
class Leaky(Linears):
    """You use a leaky ReLU, which lets a hundredth of a negative number through. The paper's ReLU gives
    exactly 0.
    """

    def forward(self, x):
        return self.linear2(F.leaky_relu(self.linear1(x)))


@mistake
class Relu6(Linears):
    """You use ReLU6, which cuts off above 6. The paper's ReLU has no upper bound."""

    def forward(self, x):
        return self.linear2(F.relu6(self.linear1(x)))


@mistake
class Elu(Linears):
    """You use ELU, which goes down to -1. The paper's ReLU gives exactly 0 below 0."""

    def forward(self, x):
        return self.linear2(F.elu(self.linear1(x)))


@mistake
class Silu(Linears):
    """You use SiLU (Swish), which is younger than the paper's activation. Use ReLU: max(0, x)."""

    def forward(self, x):
        return self.linear2(F.silu(self.linear1(x)))


@mistake(mentions=r"\bReLU\((?!\)|inplace)")
class ModuleOfTensor(Linears):
    """`nn.ReLU(x)` makes a module and does not apply it. Write `nn.ReLU()(x)`, or `torch.relu(x)`."""

    def forward(self, x):
        return self.linear2(nn.ReLU(self.linear1(x)))


@mistake
class OnlyHidden(Linears):
    """You return the d_ff hidden numbers. Apply `linear2`, which leads back to d_model."""

    def forward(self, x):
        return torch.relu(self.linear1(x))


@mistake
class Sigmoid(Linears):
    """You use a sigmoid. The paper's activation is ReLU: max(0, x)."""

    def forward(self, x):
        return self.linear2(torch.sigmoid(self.linear1(x)))


@mistake
class Tanh(Linears):
    """You use tanh. The paper's activation is ReLU: max(0, x)."""

    def forward(self, x):
        return self.linear2(torch.tanh(self.linear1(x)))


@mistake
class Softmax(Linears):
    """You use a softmax, which makes hidden numbers share a sum of 1. ReLU treats each number alone: max(0,
    x).
    """

    def forward(self, x):
        return self.linear2(torch.softmax(self.linear1(x), dim=-1))


@mistake("F6")
class Mean(Linears):
    """You average over the positions. Attention mixes words; the feed-forward layer treats each position
    alone.
    """

    def forward(self, x):
        hidden = torch.relu(self.linear1(x))
        return self.linear2(hidden.mean(dim=1, keepdim=True).expand_as(hidden))


@mistake("F6")
class Neighbor(Linears):
    """Each position also reads the one before it. Attention mixes words; the feed-forward layer treats each
    position alone.
    """

    def forward(self, x):
        before = F.pad(x, (0, 0, 1, 0))[:, :-1]
        return self.linear2(torch.relu(self.linear1(x + before)))


@mistake("F7", mentions="Conv1d")
class Convolutions(nn.Module):
    """`linear1` and `linear2` must be nn.Linear. A convolution of width 1 computes the same map, but needs
    transposed axes.
    """

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Conv1d(d_model, d_ff, 1), nn.Conv1d(d_ff, d_model, 1)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


@mistake
class SwappedSizes(nn.Module):
    """The sizes are swapped. nn.Linear takes (from, to): `linear1` goes from d_model to d_ff,
    `linear2` back.
    """

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_ff, d_model), nn.Linear(d_model, d_ff)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


@mistake
class CopiedLine(nn.Module):
    """`linear2` goes from d_model to d_ff, as `linear1` does. It must lead back: `nn.Linear(d_ff,
    d_model)`.
    """

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_model, d_ff)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


@mistake
class NotWider(nn.Module):
    """Your hidden layer has d_model units. It must have d_ff units."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


@mistake
class NoBias(nn.Module):
    """Your maps have no bias. The formula has two, b_1 and b_2: let nn.Linear keep its bias."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff, bias=False)
        self.linear2 = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


@mistake
class WithResidual(Linears):
    """You add x to the result. The wrapper around the sublayer does that (exercise 5), so leave it
    out here.
    """

    def forward(self, x):
        return x + self.linear2(torch.relu(self.linear1(x)))


@mistake("A19", mentions="[dD]ropout")
class WithDropout(Linears):
    """You use dropout, so two calls with the same input differ. This exercise asks for none."""

    def forward(self, x):
        return self.linear2(F.dropout(torch.relu(self.linear1(x)), 0.5))


@mistake("A20", mentions=r"relu_\(|inplace")
class InPlace(Linears):
    """A ReLU in place (`relu_`, `inplace=True`) overwrites x, which the caller still needs. Apply the ReLU
    only to the hidden layer.
    """

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x.relu_())))
