"""Heads: how features are cut and axes are exchanged, and which axis of a mask meets which of the scores."""

from collections.abc import Sequence

from torch import Tensor

from course_lib.language import say_heading, say_list

from .layout import Column, Head, Heading, Label, Part, Point, Row, Space, Table
from .palette import BODY, SMALL, STEP, tint
from .sheet import Sheet
from .signs import Cells, Lane

CELL = (30, 20)


def depth(head: int, heads: int) -> float:
    """Hue says what a number is, depth of tint says whose head it is."""
    return 0.12 + 0.42 * head / max(heads - 1, 1)


def head_axes(x: Tensor, heads: int, words: Sequence[str]) -> Sheet:
    """The first sentence of x `(batch, seq, d_model)`: whole, with each word cut, and head by head."""
    batch, seq, d_model = x.shape
    pieces = x.unflatten(-1, (heads, -1))  # (batch, seq, heads, d_k)
    d_k = pieces.shape[-1]

    def cells(numbers: Tensor, of: Sequence[int]) -> Cells:
        written = [[str(int(i)) for i in row] for row in numbers.tolist()]
        fills = [[tint("value", depth(head, heads)) for head in of for _ in range(d_k)]] * len(written)
        return Cells(written, "value", cell=CELL, fills=fills)

    every, edge = range(heads), Space(0, (CELL[1] - SMALL) / 2)
    names = [Column(edge, Label(word, SMALL), edge, gap=0) for word in words]
    whole = cells(x[0], every).named("x")
    cut = [Row(*(cells(pieces[0, t, h][None], [h]) for h in every), gap=STEP) for t in range(seq)]
    stacked = [cells(pieces[0, :, h], [h]) for h in every]
    lanes = [Lane(block, f"head {h}") for h, block in enumerate(stacked)]
    middle, last = Column(*cut, gap=STEP), Row(*lanes, gap=STEP)
    first = Row(Column(*names, gap=0, align=1), whole, gap=6)
    blocks = [
        _block("1. a word's features", f"(batch, seq, d_model) = ({batch}, {seq}, {d_model})", first),
        _block("2. cut", f"(batch, seq, heads, d_k) = ({batch}, {seq}, {heads}, {d_k})", middle),
        _block("3. two axes swapped", f"(batch, heads, seq, d_k) = ({batch}, {heads}, {seq}, {d_k})", last),
    ]
    upper = Row(*blocks[:2], gap=7 * STEP, align=0)
    told = [
        f"Each word of {' '.join(words)} has {d_model} features.",
        f"They are cut into {heads} heads of {d_k}, then each head gets its piece of every word: ({batch}, "
        f"{seq}, {d_model}) becomes ({batch}, {seq}, {heads}, {d_k}), then ({batch}, {heads}, {seq}, {d_k}).",
        f"Of {words[0]} they hold {', '.join(' '.join(block.texts[0]) for block in stacked)}.",
    ]
    sheet = Sheet(
        Column(upper, blocks[2], gap=4 * STEP, align=0),
        f"{heads} heads share {d_model} features",
        alt=say_list(told, " "),
    )
    sheet.arrow(whole.right.shift(x=STEP), Point(middle.x - STEP, whole.right.y, middle))
    start, end = middle.bottom.shift(y=4), last.right.shift(x=STEP)
    if end.x < start.x:
        sheet.arrow(start, Point(start.x, end.y), end)
    else:  # many heads reach under the second step
        sheet.arrow(start, Point(start.x, blocks[2].y - STEP))
    return sheet


def aligned_axes(scores: Sequence[tuple[str, int]], masks: dict[str, Sequence[tuple[str, int]]]) -> Sheet:
    """How masks broadcast to scores, both given as (name, size) of each axis: aligned from the right.

    Under an axis of the scores is the axis of the mask that meets it. Another name there is a fault, with
    or without an error.
    """
    count, told = len(scores), []
    lines: list[list[Part | None]] = [
        [
            Heading("scores", BODY, bold=True),
            *(_axis(*axis, "source", 0.12) for axis in scores),
            None,
        ]
    ]
    for title, axes in masks.items():
        row: list[Part | None] = [None] * (count - len(axes))
        wrong = []
        for (name, size), (under, length) in zip(scores[count - len(axes) :], axes, strict=True):
            fault = length != 1 and under != name
            if fault:
                wrong.append(f"{under} meets {name}" if size == length else f"{under} meets {name}: an error")
            row.append(_axis(under if length != 1 else "1", length, "query" if fault else "source", 0.12))
        verdict = say_list(wrong or ["each axis meets its own"])
        text = Label(("✗  " if wrong else "✓  ") + verdict, BODY, align="left")
        lines.append([Heading(title), *row, text])
        told.append(f"{say_heading(title)} ({', '.join(str(length) for _, length in axes)}): {verdict}.")
    sizes = ", ".join(f"{name} {size}" for name, size in scores)
    return Sheet(
        Table(lines, gap=(1.5 * STEP, 1.5 * STEP), align=[1, *[0.5] * count, 0]),
        "PyTorch aligns axes from the right",
        alt=say_list([f"The axes of the scores are {sizes}.", *told], " "),
    )


def _axis(name: str, size: int, role: str, strength: float) -> Part:
    inner = name if name == str(size) else f"{name} {size}"
    return Cells([[inner]], role, cell=(76, 26), strength=strength)


def _block(title: str, detail: str, body: Part) -> Column:
    return Column(Head(title, detail, align=0), body, gap=1.5 * STEP, align=0)
