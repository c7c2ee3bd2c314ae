"""LearnedPositions: a vector for each position, trained with everything else."""

import torch
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, parameters

LearnedPositions = Exercise(
    "LearnedPositions",
    points=4,
    returns=("output: batch seq d_model",),
    hints=[
        "The table is a weight now: `nn.Parameter(...)` of shape (max_length, d_model), with small random "
        "numbers.",
        "`torch.randn(max_length, d_model) * 0.02` are small random numbers. In `forward`, add the first "
        "`x.shape[1]` rows to x.",
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


@LearnedPositions.part("each word gets the vector of its place", points=1)
def places(build, inputs):
    return {"output: batch seq d_model": build(6, 5)(inputs.normal(3, 5, 6))}


@LearnedPositions.part("sentences may be shorter than the table", points=1)
def shorter(build, inputs):
    module, x = build(6, 9), inputs.normal(4, 9, 6)
    start = module(x)[:, :3]
    return {"output (3 words) - output (9 words, the first 3): batch seq d_model": module(x[:, :3]) - start}


@LearnedPositions.part("the table learns", points=1)
def learns(build, inputs):
    module = build(6, 5)
    (table,) = parameters(module).values()
    return gradients_of(module(inputs.normal(5, 5, 6)), {"table": table})


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
