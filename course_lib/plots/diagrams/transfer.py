"""Two stages of training: a body learns beside one head, and goes on beside another."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from course_lib.language import say_heading, say_list

from .layout import Column, Head, Point, Row, Space
from .palette import HEADING, STEP, STREAM
from .sheet import Sheet
from .signs import Box, Cells

WIDTH = 250
HIDDEN = "<mask>"


@dataclass(frozen=True)
class TrainingStage:
    """A stage: what it learns from, a sentence of it, its model's body and head, and what the head says.

    A word `<mask>` of the sentence is hatched.
    """

    name: str
    data: str
    sentence: Sequence[str]
    body: nn.Module
    head: nn.Module
    answer: str


class _Drawn(Column):
    def __init__(self, stage: TrainingStage, role: str) -> None:
        seen = np.array([[word != HIDDEN for word in stage.sentence]])
        self.words = Cells([stage.sentence], role, seen).named(f"{stage.name}: a sentence")
        self.body = _part(say_heading(f"body: {type(stage.body).__name__}"), stage.body, "source", 52).named(
            f"{stage.name}: body"
        )
        self.head = _part(say_heading(f"head: {type(stage.head).__name__}"), stage.head, role, 44).named(
            f"{stage.name}: head"
        )
        self.answer = Cells([[stage.answer]], role, strength=0.34).named(f"{stage.name}: answer")
        title = Head(stage.name, stage.data, align=0, size=HEADING)
        top = Row(title, Space(WIDTH - title.width), gap=0)
        super().__init__(top, self.words, self.body, self.head, self.answer, gap=3 * STEP, align=0.5)

    def connect(self, sheet: Sheet, role: str) -> None:
        for above, below in ((self.words, self.body), (self.body, self.head), (self.head, self.answer)):
            sheet.arrow(above.bottom, below.top, role=role)


def transfer_stages(first: TrainingStage, second: TrainingStage) -> Sheet:
    """What the second stage takes over from the first, and how many numbers learn in each."""
    drawn = _Drawn(first, "source"), _Drawn(second, "target")
    copied = _equal(first.body, second.body)
    sheet = Sheet(
        Row(*drawn, gap=15 * STEP, align=0), "Two stages, one body", alt=_describe(first, second, copied)
    )
    for part, role in zip(drawn, ("source", "target"), strict=True):
        part.connect(sheet, role)
    start, end = drawn[0].body.right, drawn[1].body.left
    sheet.arrow(start, end, role="source", weight=STREAM)
    middle = Point((start.x + end.x) / 2, start.y - 1.5 * STEP)
    sheet.note(middle, "its weights" if copied else "trained further", align="center")
    sheet.note(Point(middle.x, drawn[0].head.center.y), "the head stays behind", align="center")
    return sheet


def _part(name: str, module: nn.Module, role: str, height: float) -> Box:
    total = sum(each.numel() for each in module.parameters())
    learning = sum(each.numel() for each in module.parameters() if each.requires_grad)
    state = f"{learning:,} of them trained" if learning else "all frozen"
    state = "all trained" if learning == total else state
    words = Head(name, f"{total:,} parameters, {state}")
    return Box(words, role, WIDTH, height, strength=0.12 if learning else 0.04)


def _equal(one: nn.Module, other: nn.Module) -> bool:
    ours, theirs = one.state_dict(), other.state_dict()
    return ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)


def _describe(first: TrainingStage, second: TrainingStage, copied: bool) -> str:
    told = []
    for stage in (first, second):
        sizes = [_size(part) for part in (stage.body, stage.head)]
        told.append(
            f"{stage.name}, from {stage.data}: {' '.join(stage.sentence)} goes through the body "
            f"({sizes[0]}) and the head ({sizes[1]}), which predicts {stage.answer}."
        )
    how = "with the weights of the first" if copied else "from the weights of the first, which have changed"
    return say_list([*told, f"The second stage begins {how}; it has a head of its own."], " ")


def _size(module: nn.Module) -> str:
    total = sum(each.numel() for each in module.parameters())
    learning = sum(each.numel() for each in module.parameters() if each.requires_grad)
    return f"{total:,} parameters, {learning:,} of them trained"
