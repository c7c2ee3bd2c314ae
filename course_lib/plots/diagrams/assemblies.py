"""Encoder-only, decoder-only, encoder-decoder: the same sublayers, put together in three ways."""

from collections.abc import Sequence

import torch
from torch import nn

from course_lib.language import say_heading, say_list
from course_lib.plots.passes import watch

from .layout import Column, Heading, Label, Part, Row
from .palette import HEADING, QUIET, SMALL, STEP, STREAM
from .plan import APART, CROSS, DECODER, ENCODER, SELF, SOURCE, TARGET
from .sheet import Sheet
from .signs import Box, Cells, Lane

WIDTH = 132  # of a sublayer
TEXT = ONLY_READS, ONLY_WRITES, BOTH = "encoder-only", "decoder-only", "encoder-decoder"  # which are said


class _Tower(Column):
    """Words, a stack of sublayers, and what comes out of it, from top to bottom."""

    def __init__(
        self, name: str, words: Sequence[str], sublayers: Sequence[str], role: str, out: str
    ) -> None:
        self.words = Cells([words], role).named(f"{name}: words")
        self.boxes = {
            part: Box(Heading(part, SMALL), width=WIDTH, pad=(6, 7)).named(part) for part in sublayers
        }
        self.lane = Lane(Column(*self.boxes.values(), gap=STEP), f"{name} layers", role).named(
            f"{name} layers"
        )
        self.out = Label(out, SMALL, QUIET)
        self.role = role
        super().__init__(self.words, self.lane, self.out, gap=3 * STEP, align=0.5)

    def connect(self, sheet: Sheet) -> None:
        top, bottom, x = self.lane.top, self.lane.bottom, self.lane.top.x
        sheet.arrow(type(top)(x, self.words.bottom.y, self.words), top, role=self.role, weight=STREAM)
        sheet.arrow(bottom, type(top)(x, self.out.y - 4, self.out), role=self.role, weight=STREAM)


def assemblies(
    encoder_layer: nn.Module, decoder_layer: nn.Module, source: Sequence[str], target: Sequence[str]
) -> Sheet:
    """Three models of these two layers (what is in them is seen in a pass), for these words."""
    reading, writing = _sublayers(encoder_layer), _sublayers(decoder_layer, memory=True)
    past = ["self-attention, past only" if part == SELF else part for part in reading]
    also = ["self-attention, past only" if part == SELF else part for part in writing]
    every = "a vector for each word", "the next word, at each place"
    first = _Tower(ENCODER, source, reading, SOURCE, every[0])
    second = _Tower(DECODER, [*source, *target], past, TARGET, every[1])
    left = _Tower(ENCODER, source, reading, SOURCE, "the memory")
    right = _Tower(DECODER, target, also, TARGET, every[1])
    models = {
        ONLY_READS: ("BERT", [first]),
        ONLY_WRITES: ("GPT", [second]),
        BOTH: ("T5, BART, this lesson", [left, right]),
    }
    columns = [_column(name, known, towers) for name, (known, towers) in models.items()]
    sheet = Sheet(
        Row(*columns, gap=3 * STEP, align=0), "Three assemblies", alt=_describe(reading, writing, models)
    )
    for _, towers in models.values():
        for tower in towers:
            tower.connect(sheet)
    box = right.boxes[CROSS]
    bus = (left.lane.right.x + right.lane.left.x) / 2 - STEP
    start, end = left.out.right.shift(x=4), box.left
    point = type(start)
    sheet.arrow(start, point(bus, start.y), point(bus, end.y), end, role="source", weight=2.2)
    sheet.letters(right.lane.left.shift(x=-2.5 * STEP, y=end.y - right.lane.left.y - STEP), "KV")
    return sheet


def _column(name: str, known: str, towers: Sequence[Part]) -> Column:
    head = Row(Heading(name, HEADING, bold=True), Label(known, SMALL, QUIET))
    return Column(head, Row(*towers, gap=5 * STEP, align=0), gap=2 * STEP, align=0)


def _sublayers(layer: nn.Module, memory: bool = False) -> list[str]:
    """The names of what a layer calls in a pass, its norms left out."""
    width = next(each.shape[-1] for each in layer.parameters() if each.dim() == 2)
    device = next(layer.parameters()).device
    x, other = torch.ones(1, 2, width, device=device), torch.zeros(1, 3, width, device=device)
    names = []
    for call in watch(layer, x, *[other] * memory):
        if len(call.given) > 1 or call.weights is not None:
            names.append(CROSS if call.crosses else SELF)
        elif not call.normalizes:
            names.append(APART)
    return names


def _describe(reading: Sequence[str], writing: Sequence[str], models: dict) -> str:
    parts = say_list(reading, ", ")
    told = {
        ONLY_READS: f"each layer has {parts}; every word may look at all, and becomes a vector",
        ONLY_WRITES: f"each layer has {parts}; a word looks only at the past and predicts the next word",
        BOTH: (
            f"the encoder has {parts}; the decoder has {say_list(writing, ', ')}, looks at its own past, "
            "and takes keys and values from the memory, which the encoder gives"
        ),
    }
    known = {name: say_heading(models[name][0]) for name in told}
    return say_list((f"{say_heading(name)} ({known[name]}): {what}." for name, what in told.items()), " ")
