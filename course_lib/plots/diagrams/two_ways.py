"""All positions at once in training, one word after another in translating: the same triangle twice."""

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from course_lib.language import say_list
from course_lib.plots.figure import array

from .layout import Column, Label, Part, Point, Row, Space, Table, text_width
from .palette import BODY, HEADING, INK, QUIET, ROLES, SMALL, STEP
from .sheet import Sheet
from .signs import Cells, Lane

BEGIN, CELL = "<bos>", 22


class _Rows:
    """For each position what the decoder reads and what comes out; `lines` are (reads, arrow, word)."""

    def __init__(self, read: Sequence[str], words: Sequence[str], seen: np.ndarray, grows: bool) -> None:
        width = max(text_width(word, SMALL) for word in [*read, *words]) + 10
        self.reads, self.words = [], []
        for step, word in enumerate(words):
            shown = step + 1 if grows else len(read)
            row = seen[step : step + 1, :shown]
            self.reads.append(Cells([read[:shown]], "target", row, cell=(width, CELL)).named(f"reads {step}"))
            self.words.append(Cells([[word]], "target", cell=(width, CELL), strength=0.34).named(word))
        self.room = len(read) * width
        self.lines = [
            Row(cells, Space(self.room - cells.width + 3 * STEP), word, gap=0)
            for cells, word in zip(self.reads, self.words, strict=True)
        ]

    def side(self, name: str, what: str, reads: str, says: str, body: Part, verdict: str, why: str) -> list:
        over = Row(Space(STEP), _left(reads, SMALL, ROLES["target"]), gap=0)
        end = Row(Space(STEP), _left(says, SMALL, ROLES["target"]), gap=0)
        return [
            Column(_left(name, HEADING, bold=True), _left(what, SMALL, QUIET), gap=7, align=0),
            Row(over, Space(self.room + 3 * STEP - over.width), end, gap=0),
            body,
            Column(_left(verdict, BODY, bold=True), _left(why, SMALL, QUIET), gap=7, align=0),
        ]


def two_ways(answer: Sequence[str], mask: Tensor, written: Sequence[str] | None = None) -> Sheet:
    """How a decoder sees the words of one translation, while it trains and while it translates.

    answer: the right words, the end symbol among them. mask `(target, target)`: True where a position may
    look in training. written: what the model has written by itself; by default it writes the right words.
    """
    count, seen = len(answer), array(mask) != 0
    if seen.shape != (count, count):
        raise ValueError(f"mask: expected {(count, count)} for {count} words, got {seen.shape}")
    own = list(answer if written is None else written)
    training = _Rows([BEGIN, *answer[:-1]], answer, seen, grows=False)
    alone = _Rows([BEGIN, *own[:-1]], own, np.ones((len(own), len(own)), bool), grows=True)
    gap = 2.5 * STEP
    together = Lane(Column(*training.lines, gap=gap + 2 * STEP), "", "target", pad=STEP)
    apart = [Lane(line, "", "target", pad=STEP) for line in alone.lines]
    left = training.side(
        "while it trains", "the right translation is known:\nall of it goes in, the mask hides the future",
        "reads the right words", "right answer", together,
        f"1 pass for {count} words", f"{count} losses, one gradient",
    )  # fmt: skip
    right = alone.side(
        "while it translates", "nothing is known yet:\na word is written, then it is read",
        "reads its own words", "writes a word", Column(*apart, gap=gap),
        f"{len(own)} passes for {len(own)} words", "a wrong word is read in all later passes",
    )  # fmt: skip
    table = Table(list(zip(left, right, strict=True)), gap=(7 * STEP, 1.5 * STEP), align=0)
    sheet = Sheet(table, "One decoder, two ways of working", alt=_describe(answer, own, seen))
    for rows in (training, alone):
        for cells, word in zip(rows.reads, rows.words, strict=True):
            sheet.arrow(cells.right.shift(x=2), word.left, role="target")
    for lane, word, after in zip(apart, alone.words, alone.reads[1:], strict=False):
        new = after.cell(0, after.texts.shape[1] - 1)
        middle = lane.bottom.y + gap / 2
        path = word.bottom, Point(word.bottom.x, middle), Point(new.top.x, middle), new.top
        sheet.arrow(*path, role="target", dashed=True)
    return sheet


def _left(text: str, size: float = BODY, color: str = INK, bold: bool = False) -> Label:
    return Label(text, size, color, bold, align="left")


def _describe(answer: Sequence[str], own: Sequence[str], seen: np.ndarray) -> str:
    read = [BEGIN, *answer[:-1]]
    rows = [
        f"{' '.join(word for word, yes in zip(read, row, strict=True) if yes)} is seen, {says} is the answer"
        for row, says in zip(seen, answer, strict=True)
    ]
    steps = [
        f"pass {i + 1} reads {' '.join([BEGIN, *own[:i]])} and writes {word}" for i, word in enumerate(own)
    ]
    told = [
        f"Training: one pass reads {' '.join(read)} at all {len(answer)} positions; by the mask: "
        f"{say_list(rows)}.",
        f"Translating: {len(own)} passes; {say_list(steps)}.",
    ]
    return say_list(told, " ")
