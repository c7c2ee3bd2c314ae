"""What PostNorm and PreNorm share: probes, examples and frames for right and wrong answers.

Probes pass their own sublayers. A sublayer that gives 0 shows what is carried past it, one that notes its
input shows what it is fed, and one that multiplies by 10 shows whether its result is normalized.
"""

import torch
from torch import nn

from course_lib.checks.gradients import gradients_of, in_both_modes, parameters
from course_lib.checks.instances import sharpen
from course_lib.checks.precision import told_of_float64
from course_lib.checks.results import RejectedError
from course_lib.exercises.layer_norm.layer_norm import reference as layer_norm

RETURNS = ("output: batch seq d_model",)
NAMES = (
    "In `__init__`, after `super().__init__()`, write `self.norm = LayerNorm(d_model)` and "
    "`self.sublayer = sublayer`. An optimizer finds a sublayer that is kept as an attribute."
)
COPIED = "Your `sublayer` is a copy of the one that you got, so the caller's own sublayer would never learn."
OTHER_MODE = (
    "Your layer changes the mode of the sublayer, so dropout in it would be off. The caller sets the mode, "
    "with `.train()` and `.eval()` of the whole model."
)
NOT_CALLED = "Your forward never calls the sublayer."
NOT_IN_TRAINING = "Your forward never calls the sublayer while training."
CUT = "The gradient that comes back to `x` is not the slope of your output. One of its paths is cut off."


def examples(name):
    return [
        f"{name}(2, lambda h: 0 * h)(torch.tensor([[[0., 4.]]]))",
        f"{name}(2, lambda h: 10 * h.flip(-1))(torch.tensor([[[1., 4.]]]))",
        f"{name}(3, lambda h: 10 * h.roll(1, -1))(torch.tensor([[[1., 4., -2.]]]))",
        f"slope_by_gradient({name}(3, lambda h: 0 * h), torch.tensor([[[1., 4., -2.]]]))",
        f"sum(p.numel() for p in {name}(2, torch.nn.Linear(2, 2)).parameters())",
    ]


class Wrapper(nn.Module):
    """What most implementations share."""

    def __init__(self, d_model, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.sublayer = sublayer


class Sublayer(nn.Module):
    """A function as a module: an answer may register what it gets."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, h):
        return self.function(h)


def carried(build, inputs):
    x = 1 + 30 * inputs.normal(2, 3, 5)
    return {"output (the sublayer gives 0): batch seq d_model": build(5, Sublayer(torch.zeros_like))(x)}


def fed(build, inputs):
    seen = []

    def note(h):
        seen.append(h.clone())
        return torch.zeros_like(h)

    layer, x = build(5, Sublayer(note)), 1 + 3 * inputs.normal(2, 3, 5)
    layer(x)
    called = bool(seen)
    seen.clear()
    layer.forward(x)  # a call that is not repeated, nor made in evaluation mode
    if not seen:
        raise RejectedError(NOT_IN_TRAINING if called else NOT_CALLED)
    times = "" if len(seen) == 1 else f"Your forward calls the sublayer {len(seen)} times, expected once."
    return {"input of the sublayer: batch seq d_model": seen[0], "calls": times}


def added(build, inputs):
    x, mixing = 1 + 3 * inputs.normal(2, 3, 5), inputs.normal(5, 5)
    results = {}
    for factor in (1, 10):
        scaled = Sublayer(lambda h, factor=factor: factor * torch.tanh(h @ mixing))
        output = build(5, scaled)(x)
        results[f"output (the sublayer's results times {factor}): batch seq d_model"] = output
    layer = build(5, Sublayer(lambda h: torch.tanh(h @ mixing)))
    sharpen(layer.norm)
    results["output (large weights of the norm): batch seq d_model"] = layer(x)
    results["output (the sublayer gives its input): batch seq d_model"] = build(5, Sublayer(lambda h: h))(x)
    return results | {"dtype": told_of_float64(build(5, Sublayer(torch.tanh)), x)}


def told_of_sublayer(layer, sublayer) -> str:
    if layer.sublayer is not sublayer:
        return COPIED
    return "" if sublayer.training == layer.training else OTHER_MODE


@in_both_modes
def learned(build, inputs):
    sublayer, x, mixing = nn.Linear(5, 5), inputs.normal(1, 2, 5), inputs.normal(5)
    layer = build(5, sublayer)
    kept = {"sublayer": told_of_sublayer(layer, sublayer)}

    def mixed(x):
        return torch.tanh(layer(x) / 2) * mixing  # the squares of a normalized token have a fixed sum

    output = mixed(x)
    if layer(x).dtype != x.dtype:  # too coarse for small steps; the dtype costs another part
        return gradients_of(output, parameters(layer)) | kept | {"slope": ""}
    slope = slope_by_gradient(mixed, x)
    right = torch.allclose(slope, slope_by_difference(mixed, x), rtol=1e-2, atol=2e-3)
    return gradients_of(output, parameters(layer)) | kept | {"slope": "" if right else CUT}


def slope_by_gradient(function, x):
    """The slope of the function's sum, as autograd finds it."""
    x = x.clone().requires_grad_()
    total = function(x).sum()
    (slope,) = torch.autograd.grad(total, x, allow_unused=True) if total.requires_grad else (None,)
    return torch.zeros_like(x) if slope is None else slope


EXAMPLES_USE = {"slope_by_gradient": slope_by_gradient}


@torch.no_grad()
def slope_by_difference(function, x, step=3e-3):
    """The same from small steps to either side, one for each number of x: whatever autograd says."""
    steps = step * torch.eye(x.numel()).view(-1, *x.shape)
    slopes = [(function(x + one) - function(x - one)).sum() / (2 * step) for one in steps]
    return torch.stack(slopes).view(x.shape)


# Frames of wrong answers


class Hidden(nn.Module):
    """A sublayer in a list, which modules do not look into."""

    def __init__(self, d_model, sublayer):
        super().__init__()
        self.norm, self.parts = nn.LayerNorm(d_model), [sublayer]


class NormInForward(nn.Module):
    def __init__(self, d_model, sublayer):
        super().__init__()
        self.d_model, self.sublayer = d_model, sublayer


class NormIsFunction(nn.Module):
    """Your `self.norm` is the function `layer_norm`, which holds no weight and no bias. Make a layer:
    `self.norm = LayerNorm(d_model)`.
    """

    def __init__(self, d_model, sublayer):
        super().__init__()
        self.sublayer = sublayer
        self.norm = layer_norm


class NormIsClass(nn.Module):
    """Your `self.norm` is a class, not a layer. Call the class to make a layer: `self.norm =
    LayerNorm(d_model)`.
    """

    def __init__(self, d_model, sublayer):
        super().__init__()
        self.sublayer = sublayer
        self.norm = nn.LayerNorm


class SublayerOfSize(Wrapper):
    def __init__(self, d_model, sublayer):
        super().__init__(d_model, sublayer(d_model))
