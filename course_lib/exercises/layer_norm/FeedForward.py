"""FeedForward: two linear maps and a ReLU, at each position alone (Vaswani et al. 2017, eq. 2)."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, in_both_modes, parameters
from course_lib.checks.precision import told_of_float64
from course_lib.checks.properties import apart
from course_lib.exercises.layer_norm.moments import unmoved

STRAIGHT = (
    "Your layer is linear, as f(x) + f(-x) is 2 f(0) for every x. This happens if your two maps are one "
    "linear map, or if the result does not depend on this x."
)


FeedForward = Exercise(
    "FeedForward",
    points=6,
    returns=("output: batch seq d_model",),
    ready_made=("TransformerEncoderLayer",),
    hints=[
        "How many numbers does a word have before the first map, between the two maps, and after the second? "
        "Each map needs both of its widths.",
        "In `__init__`, after `super().__init__()`, write `self.linear1 = nn.Linear(d_model, d_ff)`. It "
        "widens the vector; `self.linear2` returns to d_model.",
        "forward applies `linear1`, then `torch.relu`, then `linear2`. nn.Linear works on the last axis of "
        "any tensor, so you need no loop and no reshape.",
    ],
    examples=[
        "FeedForward(1, 2)(torch.tensor([[[1.]]]))",
        "FeedForward(1, 2).linear1.weight",
        "FeedForward(1, 2)(torch.tensor([[[2.], [-3.]]]))",
        "FeedForward(2, 3)(torch.tensor([[[1., -1.], [3., 0.]]]))",
        "FeedForward(2, 3)(torch.tensor([[[-9., 9.], [9., -9.]]]))",
    ],
)


@FeedForward.reference
class Reference(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear2(F.relu(self.linear1(x)))


@FeedForward.part("two linear maps with a ReLU between them", points=2)
def maps(build, inputs):
    return {
        "output: batch seq d_model": build(5, 7)(3 * inputs.normal(2, 3, 5)),
        "output / 10000 (for large x): batch seq d_model": build(6, 9)(1e4 * inputs.normal(4, 2, 6)) / 1e4,
        "output (d_ff is d_model): batch seq d_model": build(6, 6)(inputs.normal(2, 4, 6)),
        "output (70 positions): batch seq d_model": build(6, 9)(inputs.normal(1, 70, 6)),
        "dtype": told_of_float64(build(6, 9), inputs.normal(2, 4, 6)),
    }


# In words, so that another activation does not cost twice.
@FeedForward.part("it is not linear: it does more than one linear map can do", points=1)
def bends(build, inputs):
    layer, x = build(5, 7), 30 * inputs.normal(2, 3, 5)  # far, for what bends only there
    zero = layer(torch.zeros(2, 3, 5))
    bends = layer(x) + layer(-x) - 2 * zero, layer(2 * x) + zero - 2 * layer(x)  # one is 0 for a tanh
    return {"bend": "bends" if any((bend.abs() > 1e-3).any() for bend in bends) else STRAIGHT}


@FeedForward.part(
    "each position is treated alone",
    points=1,
    properties=(unmoved("change at the other positions", "one position"),),
)
def alone(build, inputs):
    layer, x = build(5, 7), inputs.normal(2, 3, 5)
    changed = x.clone()
    changed[1, 1] = 3 * inputs.normal(5)
    change = apart(layer(changed), layer(x))
    moves = bool(change[1, 1].any())
    change[1, 1] = 0
    return {
        "change at the other positions: batch seq d_model": change,
        "the output at the changed position changes": moves,
    }


@FeedForward.part("gradients reach all four parameters, and x", points=1)
@in_both_modes
def learns(build, inputs):
    layer, x = build(5, 7), inputs.normal(2, 3, 5).requires_grad_()
    return gradients_of(layer(x), {"x": x} | parameters(layer))


class Linears(nn.Module):
    """What most variants, right and wrong, share: right parameters."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)


# Accepted: other ways to write the same


@FeedForward.accept("a module for the activation, inside a Sequential made in forward")
class WithModule(Linears):
    def forward(self, x):
        return nn.Sequential(self.linear1, nn.ReLU(), self.linear2)(x)


@FeedForward.accept("a ReLU that works in place on the hidden numbers")
class InPlaceOnHidden(Linears):
    def __init__(self, d_model, d_ff):
        super().__init__(d_model, d_ff)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.linear2(self.relu(self.linear1(x)))


@FeedForward.accept("matrix products and clamp")
class ByMatrices(Linears):
    def forward(self, x):
        hidden = (x @ self.linear1.weight.T + self.linear1.bias).clamp(min=0)
        return hidden @ self.linear2.weight.T + self.linear2.bias


@FeedForward.accept("a loop over positions")
class ByLoop(Linears):
    def forward(self, x):
        return torch.stack([self.linear2(self.linear1(word).relu()) for word in x.unbind(1)], dim=1)


@FeedForward.accept("two convolutions of width 1 with these weights")
class ByConvolution(Linears):
    def forward(self, x):
        hidden = F.conv1d(x.mT, self.linear1.weight[..., None], self.linear1.bias)
        hidden = torch.where(hidden > 0, hidden, torch.zeros(()))
        return F.conv1d(hidden, self.linear2.weight[..., None], self.linear2.bias).mT


@FeedForward.accept("all positions as rows of one matrix")
class ByRows(Linears):
    def forward(self, x):
        rows = self.linear1(x.reshape(-1, x.shape[-1]))
        return self.linear2(torch.maximum(rows, torch.zeros_like(rows))).view(x.shape)
