"""LayerNorm: layer_norm with a weight and a bias that are learned."""

import torch
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, in_both_modes, parameters
from course_lib.checks.own_weights import unwritten_as_nan
from course_lib.checks.precision import told_of_float64
from course_lib.exercises.layer_norm.layer_norm import NORMS, layer_norm

LayerNorm = Exercise(
    "LayerNorm",
    points=5,
    returns=("output: batch seq d_model",),
    hints=[
        "What must an optimizer find in this layer? Two vectors of d_model numbers. A plain tensor would "
        "never be trained.",
        "Call `super().__init__()` first. Then make `self.weight` and `self.bias`, each an `nn.Parameter`.",
        "A new layer should normalize and do nothing else. The weight begins as `torch.ones(d_model)`, the "
        "bias as `torch.zeros(d_model)`. Keep `eps` too.",
        "forward is one line: `return layer_norm(x, self.weight, self.bias, self.eps)`.",
    ],
    examples=[
        "list(LayerNorm(2).weight.shape)",
        "LayerNorm(2)(torch.tensor([[[0., 4.]]]))",
        "LayerNorm(2)(torch.tensor([[[0., 0.002]]]))",
        "LayerNorm(2)(torch.tensor([[[0., 4.], [6., 2.]]]))",
        "LayerNorm(2, eps=5.)(torch.tensor([[[0., 4.]]]))",
        "LayerNorm(2)(torch.tensor([[[0., 4.]]])).requires_grad",
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


@LayerNorm.part("weight begins as 1, bias as 0, and both learn", points=1)
def begins(build, inputs):
    with unwritten_as_nan():
        norm = build.fresh(5)
    learned = sum(parameter.requires_grad for parameter in norm.parameters())
    return {"weight: d_model": norm.weight, "bias: d_model": norm.bias, "parameters that learn": learned}


@LayerNorm.part("normalizes each token, then applies weight and bias, and gradients flow", points=2)
@in_both_modes
def normalizes(build, inputs):
    norm, x = build(5), (1 + 3 * inputs.normal(3, 4, 5)).requires_grad_()
    output = norm(x)
    # a parameter that is frozen costs the part above
    learned = {name: leaf for name, leaf in parameters(norm).items() if leaf.requires_grad}
    wider = build(60)
    wider.filled["weight"].data.mul_(8)  # for what cuts off large numbers
    return {
        "output: batch seq d_model": output,
        "output (60 features): batch seq d_model": wider(1 + 3 * inputs.normal(1, 60, 60)),
        "dtype": told_of_float64(build(6), inputs.normal(2, 4, 6)),
    } | gradients_of(output, {"x": x} | learned)


@LayerNorm.part("uses the eps that the constructor was given", points=1, atol=1e-4)
def eps_given(build, inputs):
    x = 1e-5 * inputs.normal(3, 4, 5)
    given, usual = build(5, eps=1e-3), build(5)  # the first is called when the second is there
    return {
        "output (eps 1e-3): batch seq d_model": given(x),
        "output (eps 1e-5): batch seq d_model": usual(x),
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
