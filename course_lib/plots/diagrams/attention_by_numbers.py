"""Scaled dot-product attention by numbers: every number on the way from one query to its output."""

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

from .layout import Column, Head, Label, Part, Table, text_width
from .palette import BODY, INK, LINE, QUIET, ROLES, SMALL, STEP, number, shape
from .sheet import Sheet
from .signs import Bar, Box, Cells


def attention_by_numbers(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor, words: Sequence[str], asking: str
) -> Sheet:
    """One query (d_k,) through score, scale, mask, softmax and weighted sum.

    key (source, d_k), value (source, d_v), mask (source,) boolean, True where the query may look.
    """
    raw = key @ query
    scaled = raw / math.sqrt(len(query))
    masked = scaled.masked_fill(~mask, -torch.inf)
    weights = masked.softmax(dim=-1)
    output = weights @ value
    best = int(weights.argmax())
    every = torch.cat([query, key.flatten(), value.flatten(), output])
    side = 8 + max(text_width(number(x), SMALL) for x in every.tolist())

    steps: list[Part] = [
        Head("keys", f"K  {shape(key)}", color=ROLES["key"]),
        Box(Head("q · k", f"{len(key)} scores"), width=74),
        Box(Head("÷ $\\sqrt{d_k}$", f"√{len(query)} = {number(math.sqrt(len(query)))}"), width=74),
        Box(Head("mask", "may it look?"), width=74),
        Box(Head("softmax", "sum is 1"), width=74),
    ]
    values = Head("values", f"V  {shape(value)}", color=ROLES["value"])
    question = _row(query, "query", side).named("query")
    who = Column(
        Label(asking, BODY, ROLES["query"], bold=True), Label(f"query q ({len(query)},)", SMALL, QUIET), gap=6
    )
    rows: list[list[Part | None]] = [[None, *steps, None, values], [who, question, *[None] * 6], [None] * 8]
    for i, word in enumerate(words):
        seen, weight = bool(mask[i]), float(weights[i])
        shown: list[Part] = [Label(number(float(x[i]))) for x in (raw, scaled, masked)]
        if not seen:
            shown[2] = Cells([["−∞"]], "mask", mask[None, i : i + 1].numpy(), cell=(36, 22))
        name = Label(word, BODY, INK if seen else QUIET)
        share = _row(value[i], "value", side, seen, 0.06 + 0.4 * weight)
        rows.append(
            [name, _row(key[i], "key", side, seen), *shown, Bar(weight), Label("×", BODY, QUIET), share]
        )
    result = _row(output, "value", side, strength=0.3).named("output")
    answer = Head("output", "sum of the rows", color=ROLES["value"])
    rows.append([*[None] * 5, answer, Label("=", BODY, QUIET), result])
    sheet = Sheet(
        Table(rows, gap=(3 * STEP, 0.75 * STEP), align=[1, *[0.5] * 7]),
        f"One query at work: what “{asking}” reads",
        alt=(
            f"Scaled dot-product attention by numbers. The query of “{asking}”, {_list(query)}, meets "
            f"{len(key)} keys of width {len(query)}: {', '.join(words)}. Dot products: {_list(raw)}. Divided "
            f"by √{len(query)}: {_list(scaled)}. Masked: {_list(masked)}. Softmax: {_list(weights)}. The "
            f"values, averaged by these weights, give {_list(output)}; “{words[best]}” has most weight."
        ),
    )
    for before, after in pairwise(steps):
        sheet.arrow(before.right.shift(x=0 if isinstance(before, Box) else 4), after.left)
    sheet.arrow(steps[-1].right, values.left.shift(x=-4))
    pairs = zip(query.tolist(), key[best].tolist(), strict=True)
    products = " + ".join(f"{_factor(a)}·{_factor(b)}" for a, b in pairs)
    told = f"for “{words[best]}”:  {products} = {number(float(raw[best]))}"
    sheet.note(question.right.shift(x=2 * STEP), told)
    rule, half = result.top.shift(y=-STEP / 2), result.width / 2
    sheet.polyline([rule.shift(x=-half), rule.shift(x=half)], ROLES["value"], LINE)
    return sheet


def _row(vector: Tensor, role: str, side: float, seen: bool = True, strength: float = 0.12) -> Cells:
    written = [[number(x) for x in vector.tolist()]]
    hatched = torch.full((1, len(vector)), seen).numpy()
    return Cells(written, role, hatched, cell=(side, 22), strength=strength)


def _factor(value: float) -> str:
    return f"({number(value)})" if value < 0 else number(value)


def _list(vector: Tensor) -> str:
    return ", ".join(number(x) for x in vector.tolist())
