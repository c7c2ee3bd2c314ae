"""LearnedPositions: a vector for each position, trained with everything else."""

import torch
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, in_both_modes, parameters
from course_lib.checks.precision import told_of_float64
from course_lib.exercises.positional_encoding.PositionalEncoding import short_and_long

LearnedPositions = Exercise(
    "LearnedPositions",
    points=4,
    returns=("output: batch seq d_model",),
    hints=[
        "What must the optimizer find in this module? A table with a row for each position, as a parameter.",
        "`nn.Parameter(torch.randn(max_length, d_model) * 0.02)` starts with small random numbers. In "
        "`forward`, add the first `x.shape[1]` rows to x.",
    ],
    examples=[
        "LearnedPositions(2, 1)(torch.zeros(1, 1, 2))",
        "LearnedPositions(2, 2)(torch.zeros(1, 2, 2))",
        "LearnedPositions(3, 2)(torch.zeros(1, 2, 3))",
        "LearnedPositions(2, 3)(torch.zeros(1, 2, 2))",
        "LearnedPositions(2, 3)(torch.zeros(3, 2, 2))",
        "LearnedPositions(2, 2)(torch.ones(1, 2, 2))",
        "LearnedPositions(2, 2)(torch.ones(1, 2, 2)).requires_grad",
    ],
)


@LearnedPositions.reference
class Reference(nn.Module):
    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, d_model) * 0.02)

    def forward(self, x):
        return x + self.table[: x.shape[1]]


@LearnedPositions.part("each word gets the vector of its position", points=1)
def places(build, inputs):
    large, x = build(6, 5), inputs.normal(2, 5, 6)
    (table,) = parameters(large).values()
    table.data.mul_(1e6)  # for what cuts off large numbers
    padded = inputs.normal(2, 5, 6)
    padded[0, 3:] = 0  # as the vectors of padding are
    return {
        "output (a table of large numbers): batch seq d_model": large(x),
        "dtype": told_of_float64(build(6, 5), x),
        "output: batch seq d_model": build(6, 5)(inputs.normal(3, 5, 6)),
        "output (some vectors are 0): batch seq d_model": build(6, 5)(padded),
        "output (one word): batch seq d_model": build(6, 5)(inputs.normal(2, 1, 6)),
        "output (130 words): batch seq d_model": build(4, 130)(10 * inputs.normal(1, 130, 4)),
    }


@LearnedPositions.part("sentences may be shorter than the table", points=1)
def shorter(build, inputs):
    return short_and_long(build(6, 9), build(6, 9), inputs.normal(4, 9, 6))


@LearnedPositions.part("gradients reach the table, and x", points=1)
@in_both_modes
def learns(build, inputs):
    module, x = build(6, 5), inputs.normal(5, 5, 6)
    (table,) = parameters(module).values()
    leaf = x.clone().requires_grad_()
    found = gradients_of(module(leaf), {"x": leaf})
    if not table.requires_grad:
        return found | {"gradient of table": "Your table has `requires_grad=False`, so it would never learn."}
    return found | gradients_of(module(x), {"table": table})


# Accepted: other ways to write the same


@LearnedPositions.accept("nn.Embedding")
class Embedded(nn.Module):
    def __init__(self, d_model, max_length):
        super().__init__()
        self.positions = nn.Embedding(max_length, d_model)

    def forward(self, x):
        return x + self.positions(torch.arange(x.size(1), device=x.device))


@LearnedPositions.accept("zeros to begin with")
class Zeros(nn.Module):
    def __init__(self, d_model, max_length):
        super().__init__()
        self.pe = nn.Parameter(torch.zeros(max_length, d_model))

    def forward(self, x):
        return torch.add(x, self.pe.narrow(0, 0, x.shape[-2]))


@LearnedPositions.accept("an embedding of positions expanded over the batch")
class Expanded(nn.Module):
    def __init__(self, d_model, max_length):
        super().__init__()
        self.embedding = nn.Embedding(max_length, d_model)
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(self, x):
        batch, seq, _ = x.shape
        places = torch.arange(seq).expand(batch, seq)
        return self.embedding(places) + x


@LearnedPositions.accept("a loop over the sentence")
class Loop(nn.Module):
    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = nn.Parameter(torch.empty(max_length, d_model).uniform_(-0.1, 0.1))

    def forward(self, x):
        return torch.stack([x[:, place] + self.table[place] for place in range(x.shape[1])], dim=1)
