"""SwiGLU: a feed-forward layer whose hidden numbers are multiplied by a gate (Shazeer 2020, eq. 6)."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, in_both_modes, parameters
from course_lib.checks.precision import told_of_float64
from course_lib.checks.properties import apart
from course_lib.exercises.layer_norm.moments import unmoved

SwiGLU = Exercise(
    "SwiGLU",
    points=6,
    returns=("output: batch seq d_model",),
    hints=[
        "Which matrices go from d_model to d_ff, and which one goes back? How are the two results combined?",
        "In `__init__` make `self.gate` and `self.up`, both `nn.Linear(d_model, d_ff, bias=False)`, and "
        "`self.down`, which returns to d_model.",
        "silu(x) is x times sigmoid(x). It is applied to the gate alone: `silu(self.gate(x)) * self.up(x)`.",
    ],
    examples=[
        "SwiGLU(1, 2)(torch.tensor([[[1.]]]))",
        "SwiGLU(1, 2)(torch.tensor([[[2.], [-3.]]]))",
        "SwiGLU(2, 3)(torch.tensor([[[9., -9.], [3., 0.]]]))",
        "sum(p.numel() for p in SwiGLU(2, 3).parameters())",
    ],
)


class Layer(nn.Module):
    """Right parameters; a variant gives its forward."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)


@SwiGLU.reference
class Reference(Layer):
    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


@SwiGLU.part("a silu on the gate, times up, then down", points=3)
def output(build, inputs):
    return {
        "output: batch seq d_model": build(5, 7)(3 * inputs.normal(2, 3, 5)),
        "output / 10000 (for large x): batch seq d_model": build(6, 9)(100 * inputs.normal(4, 2, 6)) / 1e4,
        "output (70 positions): batch seq d_model": build(6, 9)(inputs.normal(1, 70, 6)),
        "output (d_ff below d_model): batch seq d_model": build(6, 4)(inputs.normal(1, 3, 6)),
        "dtype": told_of_float64(build(6, 9), inputs.normal(2, 4, 6)),
    }


@SwiGLU.part(
    "each position is treated alone",
    points=1,
    properties=(unmoved("change at the other positions", "one position"),),
)
def alone(build, inputs):
    layer, x = build(5, 7), inputs.normal(2, 3, 5)
    changed = x.clone()
    changed[1, 1] = 3 * inputs.normal(5)
    change = apart(layer(changed), layer(x))
    change[1, 1] = 0
    return {"change at the other positions: batch seq d_model": change}


@SwiGLU.part("gradients reach all three matrices, and x", points=1)
@in_both_modes
def learns(build, inputs):
    layer, x = build(5, 7), inputs.normal(2, 3, 5).requires_grad_()
    return gradients_of(layer(x), {"x": x} | parameters(layer))


# Accepted: other ways to write the same


@SwiGLU.accept("x times sigmoid")
class BySigmoid(Layer):
    def forward(self, x):
        gate = self.gate(x)
        return self.down(self.up(x) * gate * torch.sigmoid(gate))


@SwiGLU.accept("a module for silu")
class WithModule(Layer):
    def __init__(self, d_model, d_ff):
        super().__init__(d_model, d_ff)
        self.activation = nn.SiLU()

    def forward(self, x):
        return self.down(torch.mul(self.activation(self.gate(x)), self.up(x)))


@SwiGLU.accept("matrix products")
class ByMatrices(Layer):
    def forward(self, x):
        gate = x @ self.gate.weight.T
        hidden = gate / (1 + torch.exp(-gate)) * (x @ self.up.weight.T)
        return hidden @ self.down.weight.T


@SwiGLU.accept("one product for gate and up")
class Joined(Layer):
    def forward(self, x):
        gate, up = F.linear(x, torch.cat([self.gate.weight, self.up.weight])).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
