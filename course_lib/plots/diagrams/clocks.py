"""Positional encoding as clocks: fast hands to slow ones, and the same turn for the same distance."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from course_lib.language import say_list

from .layout import Column, Heading, Label, Part, Point, Row, Space, Table
from .palette import BODY, HAIR, INK, QUIET, RULE, SMALL, STEP
from .sheet import Sheet
from .signs import Clock

DIAL = 36
TURN = 2 * math.pi


def clocks(
    encoding: Tensor | int,
    pairs: Sequence[int] | None = None,
    distance: int = 3,
    starts: tuple[int, int] = (1, 5),
) -> Sheet:
    """Pairs of dimensions as hands, a column for each position: the sine points right, the cosine up.

    encoding: `(seq, d_model)`, or d_model alone for the paper's waves at positions 0 to 8. pairs: by default
    five, the fastest and the slowest among them. On the right: how far `distance` places turn from `starts`.
    """
    values = _paper(9, encoding) if isinstance(encoding, int) else encoding.detach().double()
    seq, count = len(values), values.shape[1] // 2
    pairs = sorted({0, count // 8, count // 4, count // 2, count - 1}) if pairs is None else pairs
    if max(starts) + distance >= seq or min(starts) + min(distance, 0) < 0:
        raise ValueError(f"{distance} places on from {starts}: the encoding has positions 0 to {seq - 1}")
    hands = torch.atan2(values[:, 0::2], values[:, 1::2])  # (seq, pairs)
    rows = [_header(seq, distance, starts)]
    told = []
    for pair in pairs:
        angle = hands[:, pair]
        turns = [float(angle[t + distance] - angle[t]) % TURN for t in starts]
        period = TURN / (float(angle[1] - angle[0]) % TURN)
        dials = [Clock(float(hand), diameter=DIAL) for hand in angle]
        wedges = [_turn(float(angle[t]), turn) for t, turn in zip(starts, turns, strict=True)]
        rows.append([_name(pair, period), *dials, Space(), *wedges])
        one, other = (f"{math.degrees(turn):.3g}" for turn in turns)
        told.append(
            f"dimensions {2 * pair} and {2 * pair + 1}, one turn in {_long(period)}, "
            f"turn by {one}° and {other}°"
        )
    table = Table(rows, gap=(STEP, STEP / 2), align=[0, *[0.5] * (len(rows[0]) - 1)])
    said = [
        Label("fast hands tell neighbors apart, slow hands near from far", SMALL, QUIET),
        Label(f"{distance} places on: the same turn from everywhere", SMALL, QUIET),
    ]
    caption = Row(*said, gap=table.width - sum(label.width for label in said))
    sheet = Sheet(
        Column(table, caption, gap=2 * STEP, align=0),
        "A position is a row of clocks",
        alt=say_list(
            [
                f"Positions 0 to {seq - 1} as clocks, one hand for each of {len(pairs)} pairs of dimensions.",
                f"From {starts[0]} to {starts[0] + distance} and from {starts[1]} to {starts[1] + distance}: "
                f"{say_list(told)}.",
            ],
            " ",
        ),
    )
    gap = table.parts[seq + 1]
    x = gap.x + gap.width / 2
    sheet.polyline([Point(x, table.y), Point(x, table.y + table.height)], RULE, HAIR, order=1)
    return sheet


def moved_clocks(encoding: Tensor, position: int, distance: int, pairs: Sequence[int] | None = None) -> Sheet:
    """The hands at `position`, at `position + distance`, and how far each has turned between the two."""
    end = position + distance
    if not 0 <= position < len(encoding) or not 0 <= end < len(encoding):
        raise ValueError(f"from {position} to {end}: the encoding has positions 0 to {len(encoding) - 1}")
    values = encoding.detach().double()
    count = values.shape[1] // 2
    pairs = sorted({i * (count - 1) // 8 for i in range(9)}) if pairs is None else pairs
    hands = torch.atan2(values[:, 0::2], values[:, 1::2])
    turns = [_signed(float(hands[end, pair] - hands[position, pair]), distance) for pair in pairs]
    head = [
        Heading("dimensions", SMALL, QUIET),
        *(Label(f"{2 * p}, {2 * p + 1}", SMALL) for p in pairs),
    ]
    at = [
        [
            Label(f"position {t}", BODY, align="left"),
            *(Clock(float(hands[t, p]), diameter=DIAL) for p in pairs),
        ]
        for t in (position, end)
    ]
    between = [_turn(float(hands[position, pair]), turn) for pair, turn in zip(pairs, turns, strict=True)]
    last = [Label(f"turned by {distance} places", BODY, align="left"), *between]
    degrees = [
        f"dimensions {2 * p} and {2 * p + 1} by {math.degrees(t):.3g}°"
        for p, t in zip(pairs, turns, strict=True)
    ]
    return Sheet(
        Table([head, *at, last], gap=(STEP, STEP), align=[0, *[0.5] * len(pairs)]),
        f"From position {position} to {end}",
        alt=f"Clocks at positions {position} and {end}. The hands turn: {say_list(degrees)}.",
    )


def _paper(seq: int, d_model: int) -> Tensor:
    """Vaswani et al. 2017, section 3.5."""
    rates = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angle = torch.arange(seq, dtype=torch.float64)[:, None] * rates
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(start_dim=1)


def _signed(angle: float, distance: int) -> float:
    """The same turn within one round, clockwise for steps on and counterclockwise for steps back."""
    return angle % TURN if distance >= 0 else -(-angle % TURN)


def _header(seq: int, distance: int, starts: Sequence[int]) -> list[Part]:
    numbers = [Label(str(t), BODY, INK, bold=True) for t in range(seq)]
    steps = [Label(f"{t} → {t + distance}", BODY, INK, bold=True) for t in starts]
    return [Heading("position", SMALL, QUIET), *numbers, Space(STEP), *steps]


def _name(pair: int, period: float) -> Column:
    return Column(
        Label(f"dimensions {2 * pair}, {2 * pair + 1}", BODY, align="left"),
        Label(f"one turn in {_long(period)}", SMALL, QUIET, align="left"),
        gap=6,
        align=0,
    )


def _long(period: float) -> str:
    return f"{period:,.0f} places" if period >= 100 else f"{period:.3g} places"


def _turn(before: float, turn: float) -> Column:
    dial = Clock(before + turn, before, DIAL)
    degrees = math.degrees(turn)
    size = f"{degrees:.0f}" if abs(degrees) >= 1 else f"{degrees:.2g}"
    return Column(Space(0, SMALL), dial, Label(f"{size}°".replace("-", "−"), SMALL), gap=4)
