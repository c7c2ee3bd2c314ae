"""The whole Transformer: two stacks along their residual streams, and the memory that the decoder reads."""

from collections.abc import Sequence

import numpy as np
from torch import Tensor, nn

from course_lib.language import say_heading, say_list

from .layout import Column, Head, Heading, Label, Part, Point, Row, Space
from .palette import BODY, HEADING, QUIET, ROLES, SMALL, STEP, STREAM
from .plan import (
    CROSS,
    DECODER,
    ENCODER,
    PAD,
    SELF,
    SOURCE,
    TARGET,
    Plan,
    Stack,
    Sublayer,
    plan_of_model,
    plan_of_sizes,
)
from .sheet import Sheet
from .signs import Box, Cells, Dot, Lane, Plus, Rung

HEIGHT, WIDTH = 46, 180  # of a sublayer
BLOT = 44  # the largest picture of a mask
SHORT = 3  # layers of a stack, that are drawn; more are counted


def transformer(
    source: Sequence[str],
    target: Sequence[str],
    vocab: int,
    d_model: int = 64,
    heads: int = 4,
    d_ff: int = 128,
    layers: int = 2,
) -> Sheet:
    """The paper's arrangement in these sizes, for one sentence and the words that the decoder reads."""
    return _drawn(plan_of_sizes(source, target, vocab, d_model, heads, d_ff, layers), "The whole Transformer")


def transformer_of(
    model: nn.Module,
    source: Tensor,
    target: Tensor,
    words: tuple[Sequence[str], Sequence[str]],
    title: str = "The whole Transformer",
) -> Sheet:
    """A live model at work on ids `(batch, source)` and `(batch, target)`: what it has and does is drawn.

    words: for each side all words by id; the batch's first sentence is shown.
    """
    return _drawn(plan_of_model(model, source, target, words), title)


def _thumbnail(mask: np.ndarray, role: str) -> Cells:
    """A mask (query, key) as a picture of itself."""
    side = min(4.5, BLOT / max(mask.shape))
    return Cells([[""] * mask.shape[1]] * mask.shape[0], role, mask, cell=(side, side), strength=0.3)


def _sublayer(sublayer: Sublayer, role: str) -> Box:
    words = Column(
        Heading(sublayer.name, BODY, bold=True, align="left"),
        Label(sublayer.details, SMALL, QUIET, align="left"),
        gap=5,
        align=0,
    )
    inner: Part = words
    if sublayer.mask is not None:
        hue = "source" if sublayer.name == "cross-attention" else role
        inner = Row(_thumbnail(sublayer.mask, hue), words, gap=STEP + 2)
    fill = Row(inner, Space(WIDTH - 20 - inner.width), gap=0)
    return Box(fill, height=HEIGHT, pad=(10, 4)).named(sublayer.name)


def _fitting(words: Sequence[str], role: str, width: float) -> Cells:
    """The words as cells; of a long sentence as many as fit, and dots."""
    shown = list(words)
    while True:
        dots = ["…"] * (len(shown) < len(words))
        row = [*shown, *dots]
        cells = Cells([row], role, np.array([[word != PAD for word in row]]))
        if cells.width <= width or not shown:
            return cells
        shown.pop()


class _Short(Row):
    """A sublayer of a later layer: as wide as its rung in the first one, but in one line."""

    def __init__(self, rung: Rung) -> None:
        name = rung.box.name
        self.box, self.plus = Box(Heading(name, SMALL), width=WIDTH, pad=(10, 4)).named(name), Plus(rung.role)
        beside = Space((Rung.KNOT - self.plus.width) / 2)
        knot = Row(beside, self.plus, beside, gap=0)
        super().__init__(self.box, knot, gap=rung.width - self.box.width - knot.width)


class _Side:
    """One stack with what goes in and what comes out, from top to bottom, along one residual stream."""

    def __init__(
        self, name: str, role: str, stack: Stack, norm_first: bool, end: Part, table: str = ""
    ) -> None:
        self.role, self.stack, self.end = role, stack, end
        letters = {SELF: "QKV", CROSS: "Q"}
        self.rungs = [
            Rung(_sublayer(part, role), f"norm{i}", norm_first, role, letters.get(part.name, ""))
            for i, part in enumerate(stack.layers[0], 1)
        ]
        drawn = len(stack.layers) if len(stack.layers) <= SHORT else SHORT
        self.short = [[_Short(rung) for rung in self.rungs] for _ in range(drawn - 1)]
        lanes = [Lane(Column(*self.rungs, gap=1.5 * STEP, align=1), f"{name} layer 0", role)]
        for number, rows in enumerate(self.short, 1):
            which = self.which(number)
            title = f"{name} {which}: own weights"
            lanes.append(Lane(Column(*rows, gap=6, align=1), title, role))
        self.width = lanes[0].width
        self.words = _fitting(stack.words, role, self.width).named(f"{role} ids")
        inside = Head(table or f"{role} embedding", stack.embedding)
        self.embedding = Box(inside, role, self.width).named(f"{role} embedding")
        head = Row(
            Heading(name, HEADING, ROLES[role], bold=True),
            Label(f"{say_heading('ids')} {stack.ids}", SMALL, QUIET),
        )
        norm = Row(Box(Label("norm", SMALL), pad=(6, 4), width=Rung.KNOT), Space(STEP), gap=0)
        top = Row(Column(head, self.words, gap=STEP, align=0), gap=0)
        self.body = [top, self.embedding, *lanes, *[norm] * stack.ends_with_norm]
        self.above = Column(*self.body, gap=2 * STEP, align=1)

    def which(self, drawn: int) -> str:
        """The layer, or the layers, at this place of the picture."""
        last = len(self.stack.layers) - 1
        return f"layers {drawn} to {last}" if drawn == SHORT - 1 < last else f"layer {drawn}"

    def column(self, height: float) -> Column:
        first, *others = self.body
        first = Row(first, Space(self.width - first.width), gap=0)
        return Column(first, *others, Space(0, height - self.above.height), self.end, gap=2 * STEP, align=1)

    def readers(self) -> list[tuple[str, Box]]:
        """The boxes of the sublayers that read the memory, with their layers' names."""
        rows = [[rung.box for rung in self.rungs], *([row.box for row in rows] for rows in self.short)]
        return [
            (f"decoder {self.which(layer)}", box)
            for layer, boxes in enumerate(rows)
            for part, box in zip(self.stack.layers[layer], boxes, strict=True)
            if part.reads_memory
        ]

    def connect(self, sheet: Sheet) -> None:
        spine = self.rungs[0].dot.center.x
        below = Point(self.words.bottom.x, self.embedding.y, self.embedding)
        sheet.arrow(self.words.bottom, below, role=self.role)
        start = Point(spine, self.embedding.bottom.y, self.embedding)
        sheet.arrow(start, Point(spine, self.end.y, self.end), role=self.role, weight=STREAM)
        for rung in self.rungs:
            rung.connect(sheet)
        for row in (row for rows in self.short for row in rows):
            sheet.arrow(row.box.right, row.plus.left, role=self.role, head=False)


def _drawn(plan: Plan, title: str) -> Sheet:
    memory = Cells(
        [[f"{say_heading('memory')}  {plan.memory}"]], "source", size=BODY, bold=True, cell=(0, 26)
    )
    left = _Side(ENCODER, SOURCE, plan.encoder, plan.norm_first, memory.named("memory"))
    memory.widths, memory.width = [left.width], left.width
    linear = Row(Heading("linear", BODY, bold=True), Label(f"logits {plan.logits}", SMALL, QUIET))
    right = _Side(DECODER, TARGET, plan.decoder, plan.norm_first, Space())
    right.end = Box(linear, "target", right.width, 26).named("linear")
    height = max(left.above.height, right.above.height)
    tied = [Space(2 * STEP)] if plan.tied else []
    body = Row(left.column(height), Space(5 * STEP), right.column(height), *tied, gap=STEP, align=0)
    legend = _legend()
    asked = Label(
        f"{len(plan.decoder.words)} rows of logits: what comes after each word?", SMALL, ROLES["target"]
    )
    foot = Row(legend, Space(left.width + 7 * STEP - legend.width), asked, gap=0)
    sheet = Sheet(Column(body, foot, gap=2 * STEP, align=0), title)
    for side in (left, right):
        side.connect(sheet)
    readers = right.readers()
    _spread_memory(sheet, left.end, right.end, readers)
    if plan.tied:
        _tie(sheet, right.embedding, right.end)
    rest = left.end.top.y - (left.body[-1].y + left.body[-1].height)
    if rest > 6 * STEP:
        beside = Point(left.rungs[0].dot.center.x - STEP, left.end.top.y - rest / 2)
        sheet.note(beside, f"{plan.encoder.embedded} all the way", align="right")
    sheet.alt = _describe(plan, title)
    return sheet


def _legend() -> Row:
    hidden = Cells([[""]], "mask", np.array([[False]]), cell=(14, 12))
    signs = {"reads the stream": Dot("source"), "adds to it": Plus("source"), "hidden by the mask": hidden}
    return Row(*(Row(sign, Label(name, SMALL, QUIET), gap=5) for name, sign in signs.items()), gap=2 * STEP)


def _spread_memory(sheet: Sheet, memory: Part, end: Part, readers: Sequence[tuple[str, Box]]) -> None:
    start, bus = memory.right, (memory.right.x + end.left.x) / 2 - STEP
    for name, box in readers:
        box.named(name)
        path = start, Point(bus, start.y), Point(bus, box.left.y), box.left
        sheet.arrow(*path, role="source", weight=2.2)
        sheet.letters(box.left.shift(x=-4.5 * STEP, y=-STEP), "KV")


def _tie(sheet: Sheet, table: Part, end: Part) -> None:
    out = end.right.x + 1.5 * STEP
    path = table.right, Point(out, table.right.y), Point(out, end.right.y), end.right
    sheet.arrow(*path, role="target", dashed=True)
    sheet.note(Point(out - 5, end.top.y - STEP), say_heading("tied"), align="right")


def _describe(plan: Plan, title: str) -> str:
    """From the plan alone: what the picture shows."""
    norm = "before each sublayer" if plan.norm_first else "after each sum"
    sides = []
    for name, stack in ((ENCODER, plan.encoder), (DECODER, plan.decoder)):
        parts = say_list((_with_mask(part) for part in stack.layers[0]), ", ")
        count = "1 layer" if len(stack.layers) == 1 else f"{len(stack.layers)} layers"
        side = f"the {name} embeds {' '.join(stack.words)} as {stack.embedded}, then {count}: {parts}"
        sides.append(say_heading(side))
    reading = [i for i, layer in enumerate(plan.decoder.layers) if any(part.reads_memory for part in layer)]
    every = f"every decoder layer ({', '.join(map(str, reading))})"
    readers = every if len(reading) == len(plan.decoder.layers) else f"decoder layers {reading} only"
    told = [
        f"{title}.",
        f"Left, {sides[0]}; it ends in the memory {plan.memory}.",
        f"Right, {sides[1]}; it ends in the logits {plan.logits}.",
        f"Every sublayer reads the residual stream and adds to it, with a norm {norm}.",
        f"The memory gives keys and values to the cross-attention of {readers}.",
    ]
    return say_list([*told, "The output is tied to the target embedding."] if plan.tied else told, " ")


def _with_mask(part: Sublayer) -> str:
    """What is in the second line of its details, in brackets."""
    return " ".join([say_heading(part.name), *(f"({say_heading(x)})" for x in part.details.split("\n")[1:])])
