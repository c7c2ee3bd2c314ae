"""What PostNorm and PreNorm share: probes, examples and frames for right and wrong answers.

Probes pass their own sublayers. A sublayer that gives 0 shows what is carried past it, one that notes its
input shows what it is fed, and one that multiplies by 10 shows whether its result is normalized.
"""

import torch
from torch import nn

from course_lib.checks.gradients import gradients_of, parameters

RETURNS = ("output: batch seq d_model",)
NAMES = (
    "In `__init__`, after `super().__init__()`: `self.norm = LayerNorm(d_model)` and "
    "`self.sublayer = sublayer`. A sublayer kept as an attribute is found by optimizers."
)


def examples(name):
    return [
        f"{name}(2, lambda h: 0 * h)(torch.tensor([[[0., 4.]]]))",
        f"{name}(2, lambda h: 10 * h.flip(-1))(torch.tensor([[[1., 4.]]]))",
        f"{name}(3, lambda h: 10 * h.roll(1, -1))(torch.tensor([[[1., 4., -2.]]]))",
        f"sum(p.numel() for p in {name}(2, torch.nn.Linear(2, 2)).parameters())",
    ]


class Wrapper(nn.Module):
    """What most implementations share."""

    def __init__(self, d_model, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.sublayer = sublayer


def carried(build, inputs):
    x = 1 + 3 * inputs.normal(2, 3, 5)
    return {"output (the sublayer gives 0): batch seq d_model": build(5, torch.zeros_like)(x)}


def fed(build, inputs):
    seen = []

    def note(h):
        seen.append(h.clone())
        return torch.zeros_like(h)

    build(5, note)(1 + 3 * inputs.normal(2, 3, 5))
    if not seen:
        return {"input of the sublayer: batch seq d_model": "Your forward never calls the sublayer."}
    return {"input of the sublayer: batch seq d_model": seen[0]}


def added(build, inputs):
    x, mixing = 1 + 3 * inputs.normal(2, 3, 5), inputs.normal(5, 5)
    results = {}
    for factor in (1, 10):
        output = build(5, lambda h, factor=factor: factor * torch.tanh(h @ mixing))(x)
        results[f"output (the sublayer's results times {factor}): batch seq d_model"] = output
    return results


def learned(build, inputs):
    layer = build(5, nn.Linear(5, 5))
    output = layer(1 + 3 * inputs.normal(2, 3, 5))
    mixed = torch.tanh(output) * inputs.normal(5)  # the squares of a normalized token have a fixed sum
    return gradients_of(mixed, parameters(layer))


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


class SublayerOfSize(Wrapper):
    def __init__(self, d_model, sublayer):
        super().__init__(d_model, sublayer(d_model))
