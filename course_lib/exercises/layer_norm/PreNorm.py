"""PreNorm: x + sublayer(norm(x)), with a clean path for x (Xiong et al. 2020)."""

import torch
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.exercises.layer_norm.LayerNorm import LayerNorm
from course_lib.exercises.layer_norm.residual import (
    EXAMPLES_USE,
    NAMES,
    RETURNS,
    Wrapper,
    added,
    carried,
    examples,
    fed,
    learned,
)

PreNorm = Exercise(
    "PreNorm",
    points=6,
    returns=RETURNS,
    hints=[
        "What does the sublayer get, and what is its result added to?",
        NAMES,
        "Only the branch is normalized: the sublayer gets norm(x), and its result is added to x itself.",
        "`return x + self.sublayer(self.norm(x))`.",
    ],
    examples=examples("PreNorm"),
    names=EXAMPLES_USE,
    uses=(LayerNorm,),
)


@PreNorm.reference
class PreReference(nn.Module):
    def __init__(self, d_model, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.sublayer = sublayer

    def forward(self, x):
        return x + self.sublayer(self.norm(x))


PreNorm.part("if the sublayer gives 0, the output is x, unchanged", points=1)(carried)
PreNorm.part("the sublayer gets the normalized x", points=1)(fed)
PreNorm.part("the sublayer's result is added to x", points=2)(added)
PreNorm.part("norm and sublayer learn, and no gradient is cut off", points=1)(learned)


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
