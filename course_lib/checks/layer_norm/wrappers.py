"""PostNorm and PreNorm: residual connection and layer norm around any sublayer.

Probes pass their own sublayers. A sublayer that gives 0 shows what is carried past it, one that notes its
input shows what it is fed, and one that multiplies by 10 shows whether its result is normalized.
"""

import torch
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, parameters
from course_lib.checks.layer_norm.module import LayerNorm

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


PostNorm = Exercise(
    "PostNorm",
    points=6,
    returns=RETURNS,
    hints=[
        NAMES,
        "forward reads from the inside out: the sublayer gets x, its result is added to x, the sum is "
        "normalized.",
        "`return self.norm(x + self.sublayer(x))`.",
    ],
    examples=examples("PostNorm"),
    uses=(LayerNorm,),
)

PreNorm = Exercise(
    "PreNorm",
    points=6,
    returns=RETURNS,
    hints=[
        NAMES,
        "Only the branch is normalized: the sublayer gets norm(x), its result is added to x itself.",
        "`return x + self.sublayer(self.norm(x))`.",
    ],
    examples=examples("PreNorm"),
    uses=(LayerNorm,),
)


class Wrapper(nn.Module):
    """What most implementations share."""

    def __init__(self, d_model, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.sublayer = sublayer


@PostNorm.reference
class PostReference(nn.Module):
    def __init__(self, d_model, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.sublayer = sublayer

    def forward(self, x):
        return self.norm(x + self.sublayer(x))


@PreNorm.reference
class PreReference(nn.Module):
    def __init__(self, d_model, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.sublayer = sublayer

    def forward(self, x):
        return x + self.sublayer(self.norm(x))


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


PostNorm.part("past a sublayer that gives 0 goes the normalized x", points=1)(carried)
PostNorm.part("the sublayer is fed x itself", points=1)(fed)
PostNorm.part("the sum of x and the sublayer's result is normalized", points=2)(added)
PostNorm.part("norm and sublayer learn", points=1)(learned)

PreNorm.part("past a sublayer that gives 0 goes x, untouched", points=1)(carried)
PreNorm.part("the sublayer is fed the normalized x", points=1)(fed)
PreNorm.part("the sublayer's result is added to x", points=2)(added)
PreNorm.part("norm and sublayer learn", points=1)(learned)


# Accepted: other ways to write the same


@PostNorm.accept("step by step")
class PostSteps(Wrapper):
    def forward(self, x):
        update = self.sublayer(x)
        total = torch.add(x, update)
        return self.norm(total)


@PostNorm.accept("the sublayer's result first, in place on a tensor of its own")
class PostOwnTensor(Wrapper):
    def forward(self, x):
        total = self.sublayer(x).clone()
        total += x
        return self.norm(total)


@PostNorm.accept("sum of a stack, functional norm")
class PostStack(Wrapper):
    def forward(self, x):
        total = torch.stack([self.sublayer(x), x]).sum(dim=0)
        return nn.functional.layer_norm(total, total.shape[-1:], self.norm.weight, self.norm.bias)


@PostNorm.accept("created in another order, residual kept first")
class PostOrder(nn.Module):
    def __init__(self, d_model, sublayer):
        super().__init__()
        self.sublayer = sublayer
        self.norm = nn.LayerNorm((d_model,), eps=1e-5)

    def forward(self, x):
        residual = x
        x = self.sublayer(x)
        return self.norm(residual + x)


@PreNorm.accept("step by step")
class PreSteps(Wrapper):
    def forward(self, x):
        residual = x
        x = self.norm(x)
        x = self.sublayer(x)
        return residual + x


@PreNorm.accept("the sublayer's result first, in place on a tensor of its own")
class PreOwnTensor(Wrapper):
    def forward(self, x):
        total = self.sublayer(self.norm(x)).clone()
        total += x
        return total


@PreNorm.accept("sum of a stack, functional norm")
class PreStack(Wrapper):
    def forward(self, x):
        normalized = nn.functional.layer_norm(x, x.shape[-1:], self.norm.weight, self.norm.bias)
        return torch.stack([x, self.sublayer(normalized)]).sum(dim=0)


@PreNorm.accept("created in another order, norm and sublayer in a loop")
class PreLoop(nn.Module):
    def __init__(self, d_model, sublayer):
        super().__init__()
        self.sublayer = sublayer
        self.norm = nn.LayerNorm((d_model,), eps=1e-5)

    def forward(self, x):
        branch = x
        for step in (self.norm, self.sublayer):
            branch = step(branch)
        return torch.add(branch, x)
