"""Two masks and their product: what both allow."""

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from course_lib.language import say_heading, say_list
from course_lib.plots.figure import array

from .layout import Column, Head, Label, Part, Row, Space
from .palette import HEADING, SMALL, STEP, shape
from .sheet import Sheet
from .signs import Cells

CELL = 24


def masks_product(padding: Tensor, causal: Tensor, words: Sequence[str]) -> Sheet:
    """The masks of one sentence, padding `(1, seq)` and causal `(seq, seq)`, and where both are True."""
    size = len(words)
    both = array(padding & causal) != 0
    told = [
        f"{word} looks at {', '.join(words[j] for j in np.flatnonzero(row).tolist()) or 'nothing'}"
        for word, row in zip(words, both, strict=True)
    ]
    parts: list[Part] = []
    for name, mask, sign in (
        (say_heading("padding"), padding, "&"),
        ("the future", causal, "="),
        (say_heading("both"), both, ""),
    ):
        seen = np.broadcast_to(array(mask) != 0, (size, size))
        detail = f"{shape(mask)}, the same for each row" if len(mask) < size else shape(mask)
        parts += [_block(name, detail, seen, words, named=not parts), Label(sign, HEADING, bold=True)]
    return Sheet(
        Row(*parts[:-1], gap=2 * STEP, align=1 / 2),
        "A query may look where both masks are True",
        alt=say_list(
            [
                f"Padding mask {shape(padding)} and causal mask {shape(causal)} over {' '.join(words)}.",
                f"{int(both.sum())} of {both.size} pairs are seen by both: {say_list(told)}.",
            ],
            " ",
        ),
    )


def _block(name: str, detail: str, seen: np.ndarray, words: Sequence[str], named: bool) -> Part:
    marks = [["✓" if yes else "" for yes in row] for row in seen]
    width = max(CELL, *(Cells([[word]]).width for word in words))
    over = Row(*(Label(word, SMALL, width=width) for word in words), gap=0)
    cells = Cells(marks, seen=seen, cell=(width, CELL)).named(name)
    edge = Space(0, (CELL - SMALL) / 2)
    names = Column(*(Column(edge, Label(word, SMALL), edge, gap=0) for word in words), gap=0, align=1)
    grid = Column(Head(name, detail), Column(over, cells, gap=6), gap=1.5 * STEP)
    return Row(names, grid, gap=6, align=1) if named else grid
