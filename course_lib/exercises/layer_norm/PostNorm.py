"""PostNorm: norm(x + sublayer(x)), the arrangement of Vaswani et al. 2017, section 3.1."""

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

PostNorm = Exercise(
    "PostNorm",
    points=6,
    returns=RETURNS,
    hints=[
        "What does the sublayer get, what is added to its result, and what is normalized?",
        NAMES,
        "Write forward from the inside out: the sublayer gets x, its result is added to x, and the sum is "
        "normalized.",
        "`return self.norm(x + self.sublayer(x))`.",
    ],
    examples=examples("PostNorm"),
    names=EXAMPLES_USE,
    uses=(LayerNorm,),
)


@PostNorm.reference
class PostReference(nn.Module):
    def __init__(self, d_model, sublayer):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.sublayer = sublayer

    def forward(self, x):
        return self.norm(x + self.sublayer(x))


PostNorm.part("if the sublayer gives 0, the output is the normalized x", points=1)(carried)
PostNorm.part("the sublayer gets x itself", points=1)(fed)
PostNorm.part("the sum of x and the sublayer's result is normalized", points=2)(added)
PostNorm.part("norm and sublayer learn, and no gradient is cut off", points=1)(learned)


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
