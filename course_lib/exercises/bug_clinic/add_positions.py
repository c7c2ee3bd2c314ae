"""add_positions: sinusoidal positions 0, 1, 2, ... added to every sentence of a batch."""

import math

import torch

from course_lib.checks.exercise import Exercise

add_positions = Exercise(
    "add_positions",
    points=5,
    returns=("output: batch seq d_model",),
    hints=[
        "The positions are those of x: as many as `x.shape[1]`, counted from 0.",
        "`sinusoidal_encoding(length, d_model)`, imported above, has a row for each position, (seq, "
        "d_model). Added to (batch, seq, d_model) it broadcasts over the batch.",
        "`return x + sinusoidal_encoding(x.shape[1], x.shape[2])`",
    ],
    examples=[
        "add_positions(torch.zeros(1, 1, 2))",
        "add_positions(torch.zeros(1, 3, 2))",
        "add_positions(torch.zeros(2, 2, 2))",
        "add_positions(torch.zeros(1, 2, 6))",
        "add_positions(torch.zeros(1, 8, 2))",
        "add_positions(torch.ones(1, 2, 2))",
    ],
)


def table(length, d_model, exponents=None):
    """Sines on even columns, cosines on odd ones; column pair i turns by position / 10000^(exponent i)."""
    exponents = torch.arange(0, d_model, 2).double() / d_model if exponents is None else exponents
    angles = torch.arange(length, dtype=torch.float64)[:, None] / 10000.0 ** exponents.double()
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1).float()


@add_positions.reference
def from_zero(x):
    return x + table(x.shape[1], x.shape[2])


@add_positions.part("word t of a sentence stands at position t", points=1)
def counts(add, inputs):
    return {"output (d_model 2): batch seq d_model": add(inputs.normal(1, 5, 2))}


@add_positions.part("longer sentences than the toy's", points=1)
def longer(add, inputs):
    return {"output (23 words): batch seq d_model": add(inputs.normal(1, 23, 2))}


@add_positions.part("a sentence gets the same positions alone and in a batch", points=1)
def alone(add, inputs):
    x = inputs.normal(3, 5, 2)
    return {
        "output - output alone: batch seq d_model": add(x)
        - torch.cat([add(sentence[None]) for sentence in x])
    }


@add_positions.part("each pair of columns has its own wavelength", points=1)
def wavelengths(add, inputs):
    x = inputs.normal(1, 4, 12)
    return {"output (d_model 12): batch seq d_model": add(x)}


@add_positions.accept("loops")
def loops(x):
    batch, seq, d_model = x.shape
    rows = [
        [
            math.cos(t / 10000 ** ((j - 1) / d_model)) if j % 2 else math.sin(t / 10000 ** (j / d_model))
            for j in range(d_model)
        ]
        for t in range(seq)
    ]
    return x + torch.tensor(rows).expand(batch, seq, d_model)


@add_positions.accept("filled column by column")
def by_column(x):
    rates = torch.exp(torch.arange(0, x.shape[-1], 2).double() * (-math.log(10000.0) / x.shape[-1]))
    angles = torch.arange(x.shape[-2]).unsqueeze(1) * rates
    encoding = torch.zeros(x.shape[-2], x.shape[-1])
    encoding[:, 0::2], encoding[:, 1::2] = angles.sin(), angles.cos()
    return x + encoding


@add_positions.accept("from a long table, sliced")
def sliced(x):
    return x + table(5000, x.size(2))[: x.size(1)]


@add_positions.accept("looked up by embedding")
def looked_up(x):
    encoding = torch.nn.Embedding.from_pretrained(table(x.shape[1], x.shape[2]))
    return encoding(torch.arange(x.shape[1]).expand(x.shape[0], -1)) + x


@add_positions.accept("angles within one turn, then float32")
def within_one_turn(x):
    rates = 10000.0 ** (-torch.arange(0, x.shape[2], 2).double() / x.shape[2])
    angles = torch.arange(x.shape[1]).double().outer(rates).remainder(2 * math.pi).float()
    return x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


@add_positions.accept("in float64 until the end")
def precise(x):
    rates = 10000.0 ** (-torch.arange(0, x.shape[2], 2).double() / x.shape[2])
    angles = torch.arange(x.shape[1]).double().outer(rates)
    return (x.double() + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)).float()
