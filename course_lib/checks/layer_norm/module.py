"""LayerNorm: layer_norm with a weight and a bias that are learned."""

import torch
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.layer_norm.function import NORMS, layer_norm

LayerNorm = Exercise(
    "LayerNorm",
    points=5,
    returns=("output: batch seq d_model",),
    hints=[
        "`super().__init__()` first. Then `self.weight` and `self.bias`, each an `nn.Parameter` of d_model "
        "numbers: a plain tensor would never be trained.",
        "A new layer should normalize and nothing else: weight `torch.ones(d_model)`, bias "
        "`torch.zeros(d_model)`. Keep `eps` too.",
        "forward is one line: `return layer_norm(x, self.weight, self.bias, self.eps)`.",
    ],
    examples=[
        "list(LayerNorm(2).weight.shape)",
        "LayerNorm(2)(torch.tensor([[[0., 4.]]]))",
        "LayerNorm(2)(torch.tensor([[[0., 0.002]]]))",
        "LayerNorm(2)(torch.tensor([[[0., 4.], [6., 2.]]]))",
        "LayerNorm(2, eps=5.)(torch.tensor([[[0., 4.]]]))",
        "LayerNorm.fresh(2).weight",
        "LayerNorm.fresh(2).bias",
        "LayerNorm.fresh(2).weight.requires_grad",
    ],
    uses=(layer_norm,),
    ready_made=NORMS,
)


@LayerNorm.reference
class Reference(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return nn.functional.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)


@LayerNorm.part("begins as plain normalization", points=1)
def begins(build, inputs):
    norm = build.fresh(5)
    learned = sum(parameter.requires_grad for parameter in norm.parameters())
    return {"weight: d_model": norm.weight, "bias: d_model": norm.bias, "parameters that learn": learned}


@LayerNorm.part("normalizes each token, then weights and shifts it", points=2)
def normalizes(build, inputs):
    x = 1 + 3 * inputs.normal(3, 4, 5)
    return {"output: batch seq d_model": build(5)(x)}


@LayerNorm.part("eps is what the constructor was given", points=1, atol=1e-4)
def eps_given(build, inputs):
    x = 1e-5 * inputs.normal(3, 4, 5)
    return {
        "output (eps 1e-3): batch seq d_model": build(5, eps=1e-3)(x),
        "output (eps 1e-5): batch seq d_model": build(5)(x),
    }


# Accepted: other ways to write the same


@LayerNorm.accept("the function of exercise 1")
class ByFunction(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        return layer_norm(x, self.weight, self.bias, self.eps)


@LayerNorm.accept("the formula")
class ByFormula(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.full((d_model,), 1.0)), nn.Parameter(torch.zeros(d_model))
        self.smallest = eps

    def forward(self, tokens):
        mean, variance = tokens.mean(-1, keepdim=True), tokens.var(-1, correction=0, keepdim=True)
        return self.weight * (tokens - mean) / torch.sqrt(variance + self.smallest) + self.bias


@LayerNorm.accept("var_mean and rsqrt, the sizes as a tuple")
class ByMoments(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        size = (d_model,)
        self.weight, self.bias, self.eps = (
            nn.Parameter(torch.ones(size)),
            nn.Parameter(torch.zeros(size)),
            eps,
        )

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return (x - mean) * torch.rsqrt(variance + self.eps) * self.weight + self.bias


@LayerNorm.accept("registered parameters, and rows divided by their length")
class Registered(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.empty(d_model)))
        self.register_parameter("bias", nn.Parameter(torch.empty(d_model)))
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)
        self.eps = eps

    def forward(self, x):
        rows = x - x.mean(-1, keepdim=True)
        size = x.shape[-1]
        length = (rows.pow(2).sum(-1, keepdim=True) / size + self.eps).sqrt()
        return torch.addcmul(self.bias, self.weight, rows / length)


# Mistakes


@LayerNorm.mistake(
    "Z1", advice="Begin `__init__` with `super().__init__()`: it prepares the module for parameters."
)
class WithoutSuper(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        self.weight = nn.Parameter(torch.ones(d_model))


def normalized(x, eps=1e-5, dim=-1):
    mean, variance = x.mean(dim, keepdim=True), x.var(dim, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps)


class Learned(nn.Module):
    """What most mistakes share: right parameters."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return self.weight * normalized(x, self.eps) + self.bias


@LayerNorm.mistake(
    "L18",
    advice="A plain tensor is never trained, no optimizer sees it: `nn.Parameter(torch.ones(d_model))`.",
)
class PlainTensors(Learned):
    def __init__(self, d_model, eps=1e-5):
        nn.Module.__init__(self)
        self.eps = eps
        self.weight, self.bias = torch.ones(d_model), torch.zeros(d_model)


@LayerNorm.mistake(
    "L20",
    advice="The two vectors are called `weight` and `bias` here, as in torch.nn.LayerNorm: rename yours.",
)
class GreekNames(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        return self.gamma * normalized(x, self.eps) + self.beta


@LayerNorm.mistake(
    "L20",
    advice="nn.LayerNorm does the work here, and hides weight and bias inside `self.norm`. Make the two "
    "parameters yourself, and call your `layer_norm`.",
)
class Wrapped(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.norm = nn.LayerNorm(d_model, eps)

    def forward(self, x):
        return self.norm(x)


@LayerNorm.mistake("L18", advice="With `requires_grad=False` a parameter never learns: leave it out.")
class Frozen(Learned):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps)
        self.requires_grad_(False)


@LayerNorm.mistake(
    "L18",
    advice="Weight and bias are made in forward, new at every call: nothing learned is kept. Make them in "
    "`__init__`.",
)
class MadeInForward(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.d_model, self.eps = d_model, eps

    def forward(self, x):
        weight, bias = nn.Parameter(torch.ones(self.d_model)), nn.Parameter(torch.zeros(self.d_model))
        return weight * normalized(x, self.eps) + bias


@LayerNorm.mistake("L11", advice="The bias is missing: two vectors are learned, `weight` and `bias`.")
class OnlyWeight(Learned):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps)
        del self.bias
        self.bias = 0.0


@LayerNorm.mistake("L11", advice="Weight and bias exist, but forward does not use them.")
class Unused(Learned):
    def forward(self, x):
        return normalized(x, self.eps)


@LayerNorm.mistake("L23", advice="Swapped: `layer_norm` takes the weight first, then the bias.")
class SwappedArguments(Learned):
    def forward(self, x):
        return self.bias * normalized(x, self.eps) + self.weight


@LayerNorm.mistake("L13", advice="One weight and one bias for each feature: d_model numbers each, not one.")
class Scalars(Learned):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(1, eps)


@LayerNorm.mistake("L19", advice="Swapped at the start: the weight begins as ones, the bias as zeros.")
class SwappedStart(Learned):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps)
        self.weight, self.bias = nn.Parameter(torch.zeros(d_model)), nn.Parameter(torch.ones(d_model))


@LayerNorm.mistake(
    "L19", advice="Nothing random here: at the start the layer only normalizes, so weight is 1 and bias is 0."
)
class RandomStart(Learned):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps)
        self.weight, self.bias = nn.Parameter(torch.randn(d_model)), nn.Parameter(torch.randn(d_model))


@LayerNorm.mistake("L19", advice="A weight of 0 erases every token: it begins as ones.")
class ZeroStart(Learned):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps)
        self.weight = nn.Parameter(torch.zeros(d_model))


@LayerNorm.mistake(
    "L16", advice="The eps of the constructor is forgotten: keep it in `self.eps` and pass it on."
)
class ForgetsEps(Learned):
    def forward(self, x):
        return self.weight * normalized(x) + self.bias


@LayerNorm.mistake("L1", advice="Divide by d_model, not by d_model - 1: call your `layer_norm`, which does.")
class Unbiased(Learned):
    def forward(self, x):
        mean, variance = x.mean(-1, keepdim=True), x.var(-1, keepdim=True)
        return self.weight * (x - mean) / torch.sqrt(variance + self.eps) + self.bias


@LayerNorm.mistake("L2", advice="eps goes inside the root: call your `layer_norm`, which puts it there.")
class EpsOutside(Learned):
    def forward(self, x):
        mean, deviation = x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)
        return self.weight * (x - mean) / (deviation + self.eps) + self.bias


@LayerNorm.mistake(
    "L1",
    "L2",
    advice="`x.std()` divides by d_model - 1, and eps goes inside the root: call your `layer_norm`.",
)
class Annotated(Learned):
    def forward(self, x):
        mean, deviation = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
        return self.weight * (x - mean) / (deviation + self.eps) + self.bias


@LayerNorm.mistake(
    "L10", advice="One mean for a whole sentence: later words leak into earlier ones. Call your `layer_norm`."
)
class OverSentence(Learned):
    def forward(self, x):
        return self.weight * normalized(x, self.eps, dim=(-2, -1)) + self.bias


@LayerNorm.mistake("A20", advice="The caller still needs x, for the residual: do not change it in place.")
class InPlace(Learned):
    def forward(self, x):
        x -= x.mean(-1, keepdim=True)
        return super().forward(x)
