"""sinusoidal_encoding: sine and cosine of one angle a pair (Vaswani et al. 2017, section 3.5)."""

import math

import torch

from course_lib.checks.comparison import place
from course_lib.checks.exercise import Exercise, Values

sinusoidal_encoding = Exercise(
    "sinusoidal_encoding",
    points=5,
    returns=("encoding: position d_model",),
    hints=[
        "How fast does each pair rotate? There is one rate for every two columns, and the first one is 1.",
        "The rates are `10000 ** (-torch.arange(0, d_model, 2) / d_model)`. The arange is already 2i.",
        "Multiply every position by every rate: `torch.arange(length)[:, None] * rates` has one angle for "
        "each position and pair.",
        "Fill a table of zeros in steps of two: `table[:, 0::2] = angle.sin()`, and the cosines from "
        "column 1 on. An odd d_model has one cosine less: cut the angles to `d_model // 2` columns.",
    ],
    examples=[
        "sinusoidal_encoding(1, 2)",
        "sinusoidal_encoding(2, 4)",
        "sinusoidal_encoding(2, 6)",
        "sinusoidal_encoding(2, 3)",
    ],
)


@sinusoidal_encoding.reference
def reference(length, d_model):
    rates = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angle = torch.arange(length, dtype=torch.float64)[:, None] * rates
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(start_dim=1)[:, :d_model].float()


def _table(values: Values):
    return values["encoding: position d_model"]


def first_row(values: Values, expected: Values) -> str | None:
    """Position 0 has angle 0 in every pair."""
    row, right = _table(values)[0], _table(expected)[0]
    if torch.allclose(row, right, atol=1e-4):
        return None
    shown = ", ".join(f"{value:.2f}" for value in row[:4])
    return f"Position 0 begins {shown}, expected 0, 1, 0, 1: all its angles are 0."


def on_the_circle(values: Values, expected: Values) -> str | None:
    """Columns 2i and 2i + 1 are sine and cosine of one angle."""
    pairs = _table(values).unflatten(1, (-1, 2))
    off = (pairs.square().sum(-1) - 1).abs() > 1e-3
    if not off.any():
        return None
    position, pair = off.nonzero()[0].tolist()
    where = place("encoding", ("position",), off[:, pair])
    return (
        f"In {where} the squares of columns {2 * pair} and {2 * pair + 1} sum to "
        f"{pairs[position, pair].square().sum():.3g}: for the sine and cosine of one angle they sum to 1."
    )


RADIANS = "the angle is the position itself, in radians"
NEARLY = "that is nearly right, so look at the number 10000, and for anything that rounds"


def rates(values: Values, expected: Values) -> str | None:
    """Said last: each pair lies on its circle, so a pair turns at a wrong rate."""
    turns = [torch.atan2(table[1, 0::2], table[1, 1::2]) for table in (_table(values), _table(expected))]
    wrong = (turns[0] - turns[1]).abs() > 1e-4
    if not wrong.any():
        return None
    pair = int(wrong.nonzero()[0])
    near = torch.allclose(turns[0], turns[1], rtol=2e-2, atol=2e-3)
    where = NEARLY if near else "look at the exponent" if pair else RADIANS
    return (
        f"Columns {2 * pair} and {2 * pair + 1} turn by {turns[0][pair]:.4g} a position "
        f"(without whole turns), expected {turns[1][pair]:.4g}: {where}."
    )


@sinusoidal_encoding.part(
    "sines and cosines have the right angles and columns",
    points=2,
    properties=(first_row, on_the_circle, rates),
    atol=1e-4,
)
def values(encoding, inputs):
    return {
        "encoding: position d_model": encoding(7, 10),
        "encoding (300 positions): position d_model": encoding(300, 32),
    }


def moves_alike(values: Values, expected: Values) -> str | None:
    """The dot product of two positions, before and after both move on by one."""
    change = values["change of the dot product when both move on: position position"]
    if change.shape != (8, 8) or change.abs().max() < 1e-4:
        return None
    first, second = (change.abs() > 1e-4).nonzero()[0].tolist()
    return (
        f"Positions {first} and {second} have another dot product than {first + 1} and {second + 1}, at the "
        "same distance. cos a cos b + sin a sin b is cos(a - b) only if sine and cosine share their angles."
    )


def neighbors(table) -> str:
    """A finding: whether each position differs from the one before."""
    alike = (table[1:] == table[:-1]).all(dim=1)
    return "Two neighboring positions have the same row." if alike.any() else ""


@sinusoidal_encoding.part(
    "the dot product of two positions depends only on their distance", points=1, properties=(moves_alike,)
)
def distance_alone(encoding, inputs):
    table = encoding(9, 8).float()  # a wrong dtype costs the first part only
    products = table @ table.mT
    return {
        "change of the dot product when both move on: position position": products[1:, 1:]
        - products[:-1, :-1],
        "neighbors": neighbors(table),
    }


def odd_rates(odd, even) -> str:
    """A finding: whether 7 columns turn as every other pair of 14 does, if pair 1 of these is right."""
    comparable = torch.allclose(even[:, 0::2] ** 2 + even[:, 1::2] ** 2, torch.ones(()), atol=1e-3)
    comparable &= abs(even[1, 2] - math.sin(10000 ** (-2 / 14))).item() < 1e-3
    right = torch.allclose(odd[:, 0::2], even[:, 0::4], atol=1e-4)
    right &= torch.allclose(odd[:, 1::2], even[:, 1::4][:, :3], atol=1e-4)
    return "" if right or not comparable else ODD_RATES


ODD_RATES = (
    "With d_model = 7 your rates are not those of the formula: its exponent is 2i / 7, not 2i / 6 or 2i / 8."
)


@sinusoidal_encoding.part("an odd width works too", points=1, alone=False)
def odd_width(encoding, inputs):
    table = encoding(5, 7)
    unwritten = "The last column is 0 everywhere: its pair has no cosine, but it needs its sine."
    return {
        "shape": list(table.shape),
        "last column": "" if table[:, -1].any() else unwritten,
        "difference from column 0 of a table 8 wide (7 wide): position": (
            table[:, 0] - encoding(5, 8)[:, 0]
        ).float(),
        "rates": odd_rates(table.float(), encoding(5, 14).float()),
    }


# Accepted: other ways to write the same


@sinusoidal_encoding.accept("filled by slices, rates by exp and log")
def annotated(length, d_model):
    table = torch.zeros(length, d_model)
    position = torch.arange(length).unsqueeze(1)
    rate = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate[: d_model // 2])
    return table


@sinusoidal_encoding.accept("loops in plain Python")
def loops(length, d_model):
    rows = []
    for position in range(length):
        row = []
        for column in range(d_model):
            angle = position / 10000 ** (2 * (column // 2) / d_model)
            row.append(math.cos(angle) if column % 2 else math.sin(angle))
        rows.append(row)
    return torch.tensor(rows)


@sinusoidal_encoding.accept("a cosine is a sine a quarter turn later")
def quarter_turn(length, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(length).outer(10000.0 ** (-(column - column % 2) / d_model))
    return torch.sin(angle + column % 2 * torch.pi / 2)


@sinusoidal_encoding.accept("every column computed twice, chosen by where")
def chosen(length, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(length)[:, None] / torch.pow(10000, 2 * (column // 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@sinusoidal_encoding.accept("complex numbers")
def complex_numbers(length, d_model):
    pairs = (d_model + 1) // 2
    angle = torch.arange(length)[:, None] * 1e-4 ** (2 * torch.arange(pairs) / d_model)
    turned = torch.view_as_real(torch.polar(torch.ones(length, pairs), angle))
    return turned.flip(-1).reshape(length, 2 * pairs)[:, :d_model]
