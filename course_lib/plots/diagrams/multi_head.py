"""Multi-head attention: one word's features projected, split, attended in each head, concatenated, mixed."""

from collections.abc import Sequence

from matplotlib.patches import Rectangle
from torch import Tensor

from course_lib.language import say_list
from course_lib.plots.figure import array

from .heads import depth
from .layout import Column, Heading, Label, Part, Point, Row, Space, Table
from .palette import BODY, HAIR, INK, LINE, QUIET, ROLES, SMALL, STEP, tint
from .sheet import Sheet
from .signs import Bar, Box, Cells, Lane

FEATURE = (10.0, 10.0)  # a cell of the upper half: one feature wide, one word high
WIDE = (24.0, 18.0)
ROLE = {"Q": "query", "K": "key", "V": "value"}


class Mixed(Part):
    """Features to which every head contributes: stripes of all depths."""

    def __init__(self, features: int, heads: int) -> None:
        self.features, self.heads = features, heads
        self.width, self.height = features * WIDE[0], WIDE[1]

    def draw(self, sheet: Sheet) -> None:
        stripe, edge = WIDE[0] / self.heads, tint("value", 0.8)
        for i in range(self.features * self.heads):
            color, corner = tint("value", depth(i % self.heads, self.heads)), (self.x + i * stripe, self.y)
            sheet.add(Rectangle(corner, stripe, self.height, fc=color, ec="none", zorder=3))
        for i in range(self.features):
            corner = self.x + i * WIDE[0], self.y
            sheet.add(Rectangle(corner, *WIDE, fc="none", ec=edge, lw=HAIR, zorder=4))
        frame = (self.x, self.y), self.width, self.height
        sheet.add(Rectangle(*frame, fc="none", ec=edge, lw=LINE, zorder=4))


class _Layer:
    """The parts of the drawing, from top to bottom, for one asking word."""

    def __init__(self, weights: Tensor, d_model: int, words: Sequence[str], asking: int) -> None:
        self.weights, self.words, self.asking = array(weights), words, asking
        self.heads, self.d_model = len(self.weights), d_model
        self.d_k = d_model // self.heads
        self.entry = self._entry()
        self.projections = {letter: self._projection(letter) for letter in ROLE}
        self.middle = Row(*(column for _, _, column in self.projections.values()), gap=12 * STEP)
        made = [self._lane(head) for head in range(self.heads)]
        self.lanes, self.outputs = [lane for lane, _ in made], [output for _, output in made]
        self.stage = Row(*self.lanes, gap=2 * STEP, align=0)
        what = f"split: each head takes its {self.d_k} features of all three"
        self.split = Box(Label(what, BODY), width=self.stage.width, pad=(10, 5)).named("split")
        self.ending = self._ending()

    def block(self, rows: int, role: str, heads: Sequence[int], cell: tuple[float, float] = FEATURE) -> Cells:
        """Features of `rows` words in these heads, each head in its depth."""
        fills = [[tint(role, depth(head, self.heads)) for head in heads for _ in range(self.d_k)]] * rows
        return Cells([[""] * (self.d_k * len(heads))] * rows, role, cell=cell, fills=fills)

    def _entry(self) -> Row:
        seq = len(self.words)
        rows = [[tint(None, 0.3 if word == self.asking else 0.06)] * self.d_model for word in range(seq)]
        self.tokens = Cells([[""] * self.d_model] * seq, cell=FEATURE, fills=rows).named("x")
        names = [Label(w, SMALL, INK, bold=i == self.asking) for i, w in enumerate(self.words)]
        side, size = Column(*names, gap=1, align=1), _small(f"x  ({seq}, {self.d_model})")
        beside = max(side.width, size.width)
        left, right = Space(beside - side.width), Space(beside - size.width)
        return Row(left, side, self.tokens, size, right, gap=STEP)

    def _projection(self, letter: str) -> tuple[Box, Cells, Column]:
        role, seq = ROLE[letter], len(self.words)
        count = 1 if letter == "Q" else seq
        box = Box(Label(f"$W^{letter}$", BODY), role, width=64).named(f"W{letter}")
        made = self.block(count, role, range(self.heads)).named(letter)
        labels = (Label(str(head), SMALL, width=self.d_k * FEATURE[0]) for head in range(self.heads))
        whole = Row(made, Space(0, seq * FEATURE[1]), gap=0, align=1)  # all three end at the same height
        title = _small(f"{letter}  ({count}, {self.d_model})")
        under = Column(Row(*labels, gap=0), title, gap=6)
        return box, made, Column(box, Space(0, STEP), whole, under, gap=STEP)

    def _lane(self, head: int) -> tuple[Lane, Cells]:
        tall = (FEATURE[0], 14.0)
        query, output = (self.block(1, role, [head], tall) for role in ("query", "value"))
        lines: list[list[Part | None]] = [
            [_small(self.words[self.asking], ROLES["query"]), query, None, None]
        ]
        for i, word in enumerate(self.words):
            key, value = (self.block(1, role, [head], tall) for role in ("key", "value"))
            bar = Bar(float(self.weights[head, i]), length=32, height=10)
            lines.append([_small(word, INK), key, bar, value])
        lines.append([None, None, Heading("average", SMALL, QUIET), output.named(f"output of head {head}")])
        title = f"head {head}:  {self.d_k} features"
        return Lane(Table(lines, gap=(STEP, 4), align=[1, 0.5, 0, 0.5]), title), output

    def _ending(self) -> Row:
        every = [head for head in range(self.heads) for _ in range(self.d_k)]
        fills = [[tint("value", depth(head, self.heads)) for head in every]]
        self.joined = Cells([[str(head) for head in every]], "value", cell=WIDE, fills=fills).named("joined")
        self.mix = Box(Label("$W^O$", BODY), width=64).named("WO")
        self.result = Mixed(self.d_model, self.heads).named("output")
        table = Table(
            [
                [
                    Heading("concatenate", SMALL, QUIET),
                    self.joined,
                    _small(f"({self.heads} × {self.d_k},) = ({self.d_model},)"),
                ],
                [None, self.mix, None],
                [_small("every head in every feature"), self.result, _small(f"({self.d_model},)")],
            ],
            gap=(2 * STEP, 1.5 * STEP),
            align=[1, 0.5, 0],
        )
        side = max(table.widths[0], table.widths[2])
        return Row(Space(side - table.widths[0]), table, Space(side - table.widths[2]), gap=0)

    def connect(self, sheet: Sheet) -> None:
        bus = (self.tokens.bottom.y + self.projections["Q"][0].top.y) / 2
        under = self.middle.y + self.middle.height + 4
        for letter, (box, made, _) in self.projections.items():
            down = Point(self.tokens.bottom.x, bus), Point(box.top.x, bus)
            sheet.arrow(self.tokens.bottom, *down, box.top)
            sheet.arrow(box.bottom, made.top, role=ROLE[letter])
            reach = Point(made.bottom.x, self.split.y, self.split)
            sheet.arrow(Point(made.bottom.x, under, made), reach, role=ROLE[letter])
        for lane in self.lanes:
            sheet.arrow(Point(lane.top.x, self.split.bottom.y, self.split), lane.top)
        bus = (self.stage.bottom.y + self.joined.top.y) / 2
        for head, output in enumerate(self.outputs):
            over = self.joined.cell(0, head * self.d_k)
            end = Point(over.x + self.d_k * over.width / 2, self.joined.y, self.joined)
            sheet.arrow(output.bottom, Point(output.bottom.x, bus), Point(end.x, bus), end, role="value")
        sheet.arrow(self.joined.bottom, self.mix.top, role="value")
        sheet.arrow(self.mix.bottom, self.result.top, role="value")


def multi_head(weights: Tensor, d_model: int, words: Sequence[str], asking: int) -> Sheet:
    """What one word reads through the heads of a layer.

    weights (heads, target, source): the layer's own, for the sentence `words`; asking: the word's place.
    """
    layer = _Layer(weights[:, asking], d_model, words, asking)
    told = [
        f"Head {h} looks most at “{words[int(row.argmax())]}” ({row.max():.2f})."
        for h, row in enumerate(layer.weights)
    ]
    body = Column(
        layer.entry, layer.middle, Column(layer.split, layer.stage, gap=2 * STEP), layer.ending, gap=3 * STEP
    )
    sheet = Sheet(
        body,
        f"Several heads: “{words[asking]}” reads in {layer.heads} ways",
        alt=say_list(
            [
                f"Multi-head attention of “{words[asking]}” in “{' '.join(words)}”.",
                f"x ({len(words)}, {d_model}) is projected by W_Q, W_K and W_V and split into {layer.heads} "
                f"heads of {layer.d_k} features.",
                *told,
                f"The {layer.heads} outputs of {layer.d_k} features side by side are {d_model} again, and "
                "W_O mixes them.",
            ],
            " ",
        ),
    )
    layer.connect(sheet)
    return sheet


def _small(text: str, color: str = QUIET) -> Label:
    return Label(text, SMALL, color)
