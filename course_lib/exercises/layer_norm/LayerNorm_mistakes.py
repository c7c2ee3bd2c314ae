"""Wrong answers to LayerNorm: name, advice, code."""

import torch
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.layer_norm.LayerNorm import Reference

mistake = Mistakes()


@mistake(lacks=r"super\(")
class WithoutSuper(nn.Module):
    """Begin `__init__` with `super().__init__()`. It prepares the module for parameters."""

    def __init__(self, d_model, eps=1e-5):
        self.weight = nn.Parameter(torch.ones(d_model))


def normalized(x, eps=1e-5, dim=-1):
    mean, variance = x.mean(dim, keepdim=True), x.var(dim, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps)


class Learned(Reference):
    """What most mistakes share: right parameters, and no ready-made function."""

    def forward(self, x):
        return self.weight * normalized(x, self.eps) + self.bias


@mistake(mentions=r"torch\.(ones|zeros|full|tensor|rand)", lacks="Parameter")
class PlainTensors(nn.Module):
    """A plain tensor is never trained, because no optimizer finds it. Make both tensors parameters, as in
    `nn.Parameter(torch.ones(d_model))`.
    """

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight, self.bias = torch.ones(d_model), torch.zeros(d_model)

    def forward(self, x):
        return self.weight * normalized(x, self.eps) + self.bias


@mistake
class GreekNames(nn.Module):
    """The two vectors must be named `weight` and `bias`, as in torch.nn.LayerNorm. Rename yours."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        return self.gamma * normalized(x, self.eps) + self.beta


@mistake(mentions=r"nn\.LayerNorm")
class Wrapped(nn.Module):
    """nn.LayerNorm does the work here and keeps weight and bias inside itself. Make the two parameters
    yourself, and call your `layer_norm`.
    """

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.norm = nn.LayerNorm(d_model, eps)

    def forward(self, x):
        return self.norm(x)


@mistake(mentions="requires_grad")
class Frozen(Learned):
    """Weight and bias are frozen, so they never learn. Leave `requires_grad` as nn.Parameter sets it."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps)
        self.requires_grad_(False)


@mistake("H10", mentions=r"def forward(.|\n)*(Parameter|torch\.(ones|zeros|full))\(")
class MadeInForward(nn.Module):
    """You make weight and bias in `forward`, so they are new at every call and nothing learned is kept. Make
    them in `__init__`.
    """

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.d_model, self.eps = d_model, eps

    def forward(self, x):
        weight, bias = nn.Parameter(torch.ones(self.d_model)), nn.Parameter(torch.zeros(self.d_model))
        return weight * normalized(x, self.eps) + bias


@mistake("L11")
class OnlyWeight(Learned):
    """The bias is missing. The layer learns two vectors, `weight` and `bias`."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps)
        del self.bias
        self.bias = 0.0


@mistake("L11")
class Unused(Learned):
    """Weight and bias exist, but `forward` does not use them. Pass them to `layer_norm`."""

    def forward(self, x):
        return normalized(x, self.eps)


@mistake
class SwappedArguments(Learned):
    """Weight and bias are swapped. Multiply by the weight and add the bias; check the order of your
    arguments.
    """

    def forward(self, x):
        return self.bias * normalized(x, self.eps) + self.weight


@mistake("L13")
class Scalars(Learned):
    """Your weight and your bias hold one number each. Each feature has its own: make d_model numbers each."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__(1, eps)


@mistake
class SwappedStart(Learned):
    """The initial values are swapped. The weight begins as ones, the bias as zeros."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps)
        self.weight, self.bias = nn.Parameter(torch.zeros(d_model)), nn.Parameter(torch.ones(d_model))


@mistake
class RandomStart(Learned):
    """Your initial values are random. A new layer only normalizes, so the weight begins as ones and the bias
    as zeros.
    """

    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps)
        self.weight, self.bias = nn.Parameter(torch.randn(d_model)), nn.Parameter(torch.randn(d_model))


@mistake
class ZeroStart(Learned):
    """Your weight begins as zeros, which erases every token. It must begin as ones."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps)
        self.weight = nn.Parameter(torch.zeros(d_model))


@mistake
class ForgetsEps(Learned):
    """Your eps is 1e-5, whatever the constructor got. Keep the argument in `self.eps`, and pass it on."""

    def forward(self, x):
        return self.weight * normalized(x) + self.bias


@mistake("L1")
class Unbiased(Learned):
    """Your variance is divided by d_model - 1. Call your `layer_norm`, which divides by d_model."""

    def forward(self, x):
        mean, variance = x.mean(-1, keepdim=True), x.var(-1, keepdim=True)
        return self.weight * (x - mean) / torch.sqrt(variance + self.eps) + self.bias


@mistake("L2")
class EpsOutside(Learned):
    """You add eps outside the root. Call your `layer_norm`, which adds it to the variance."""

    def forward(self, x):
        mean, deviation = x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)
        return self.weight * (x - mean) / (deviation + self.eps) + self.bias


@mistake("L1", "L2")
class Annotated(Learned):
    """Two things differ. Your deviation is divided by d_model - 1 instead of d_model, and eps is added
    outside the root. Call your `layer_norm`.
    """

    def forward(self, x):
        mean, deviation = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
        return self.weight * (x - mean) / (deviation + self.eps) + self.bias


@mistake("L10")
class OverSentence(Learned):
    """You compute one mean for a whole sentence, so earlier words depend on later ones. Call your
    `layer_norm`.
    """

    def forward(self, x):
        return self.weight * normalized(x, self.eps, dim=(-2, -1)) + self.bias


@mistake("A20", mentions=r"-=|\.sub_\(")
class InPlace(Learned):
    """You overwrite x, which the caller still needs for the residual. `x - mean` makes a new tensor; `-=` and
    `sub_` do not.
    """

    def forward(self, x):
        x -= x.mean(-1, keepdim=True)
        return super().forward(x)


@mistake(mentions=r"detach|\.data\b|no_grad|numpy|item\(")
class Detached(Learned):
    """`.detach()`, `.data` and `torch.no_grad()` cut the gradient, so weight and bias would never learn."""

    def forward(self, x):
        return self.weight.detach() * normalized(x, self.eps) + self.bias.detach()
