"""Post-norm and pre-norm side by side: what is on the residual path, and what is beside it."""

from collections.abc import Sequence
from itertools import pairwise

from course_lib.language import say_list

from .layout import Column, Heading, Label, Part, Row, Space, Table
from .palette import BODY, HEADING, INK, QUIET, SMALL, STEP, STREAM, tint
from .plan import APART, SELF
from .sheet import Sheet
from .signs import Box, Rung

SUBLAYERS = (SELF, APART)
WAYS = {
    False: ("post-norm", "norm( x + sublayer(x) )", "the sum is normalized"),
    True: ("pre-norm", "x + sublayer( norm(x) )", "the sublayer's input is normalized"),
}
BAND = 14  # the width of the light behind the path


class _Way:
    """The sublayers along their residual path from x to y: a column of the table `parts`."""

    def __init__(self, sublayers: Sequence[str], norm_first: bool) -> None:
        self.norm_first = norm_first
        self.name, formula, words = WAYS[norm_first]
        self.rungs = [
            Rung(Box(Heading(sublayer, BODY), width=124, height=52), f"norm{i}", norm_first)
            for i, sublayer in enumerate(sublayers, 1)
        ]
        self.start, self.end = (Label(letter, HEADING, bold=True, width=Rung.KNOT) for letter in "xy")
        verdict = f"{self.norms} norms on the path" if self.norms else "sums only: the path is clean"
        last = "one more norm ends the stack" if norm_first else f"norm{len(sublayers)} ends the layer"
        head = _lines(
            (self.name, HEADING, INK, True), (formula, BODY, INK, False), (words, SMALL, QUIET, False)
        )
        foot = _lines((verdict, BODY, INK, True), (last, SMALL, QUIET, False))
        width = max(part.width for part in (head, foot, *self.rungs))
        steps = (Row(Space(width - part.width), part, gap=0) for part in (self.start, *self.rungs, self.end))
        self.parts = [head, *steps, foot]

    @property
    def norms(self) -> int:
        """How many norms are on the path."""
        return 0 if self.norm_first else len(self.rungs)

    def connect(self, sheet: Sheet) -> None:
        between: list[Part] = [] if self.norm_first else [rung.norm for rung in self.rungs]
        for above, below in pairwise([self.start, *between, self.end]):
            begin = above.bottom.shift(y=5 * (above is self.start))
            end = below.top.shift(y=-5 * (below is self.end))
            sheet.polyline((begin, end), tint(None, 0.13), BAND, order=1)
            sheet.arrow(begin, end, weight=STREAM, head=below is self.end)
        for rung in self.rungs:
            rung.connect(sheet)


def norm_orders(sublayers: Sequence[str] = SUBLAYERS) -> Sheet:
    """These sublayers, one after the other, in both orders."""
    ways = [_Way(sublayers, first) for first in (False, True)]
    told = [
        f"{way.name}, {WAYS[way.norm_first][1]}: the residual path from x to y meets "
        f"{len(sublayers)} sums and {way.norms} norms."
        for way in ways
    ]
    columns = zip(*(way.parts for way in ways), strict=True)
    sheet = Sheet(
        Table(list(columns), gap=(9 * STEP, 2 * STEP), align=0),
        "Where does the norm go?",
        alt=say_list(told, " "),
    )
    for way in ways:
        way.connect(sheet)
    return sheet


def _lines(*lines: tuple[str, float, str, bool]) -> Column:
    return Column(*(Label(*line, align="left") for line in lines), gap=7, align=0)
