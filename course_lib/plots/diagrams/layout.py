"""Parts that know their size before they have a place: labels, rows, columns and tables.

All lengths are points (1/72 inch), x to the right, y downward. Build parts, put them together, hand the whole
to a `Sheet`, then draw arrows from anchor to anchor: no coordinate is chosen by hand.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cbook import is_math_text
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from course_lib.language import say_heading, say_phrase
from course_lib.plots import fonts

from .palette import BODY, INK, LEADING, QUIET, SMALL, STEP

if TYPE_CHECKING:
    from .sheet import Sheet

FINE = 16  # text is measured this much enlarged: at 72 dpi widths are rounded to whole points
# It draws nothing, so it has room for nothing: a page of that size would take 160 MB.
_measure = FigureCanvasAgg(Figure(figsize=(1 / 72, 1 / 72), dpi=72 * FINE)).get_renderer()


class Point(NamedTuple):
    x: float
    y: float
    of: "Part | None" = None  # the part whose anchor it is

    def shift(self, x: float = 0, y: float = 0) -> "Point":
        return Point(self.x + x, self.y + y, self.of)


class Area(NamedTuple):
    """Where something was drawn."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def of(cls, part: "Part") -> "Area":
        return cls(part.x, part.y, part.x + part.width, part.y + part.height)

    @classmethod
    def of_line(cls, start: Point, end: Point) -> "Area":
        (left, right), (top, bottom) = sorted((start[0], end[0])), sorted((start[1], end[1]))
        return cls(left, top, right, bottom)

    def meets(self, other: "Area") -> bool:
        apart = self.right <= other.left or other.right <= self.left
        return not (apart or self.bottom <= other.top or other.bottom <= self.top)

    def holds(self, other: "Area") -> bool:
        inside = self.left <= other.left and other.right <= self.right
        return inside and self.top <= other.top and other.bottom <= self.bottom


class Part:
    """A rectangle that knows its size and, once it is placed, its upper left corner."""

    width = height = x = y = 0.0
    name = ""  # what the alt text and the list of links call it

    def named(self, name: str) -> Self:
        self.name = name
        return self

    def place(self, x: float, y: float) -> None:
        self.x, self.y = x, y

    def draw(self, sheet: "Sheet") -> None:
        """Nothing: an empty part only takes room."""

    def at(self, right: float, down: float) -> Point:
        """The point at these fractions of the width and height."""
        return Point(self.x + right * self.width, self.y + down * self.height, self)

    left = property(lambda self: self.at(0, 0.5))
    right = property(lambda self: self.at(1, 0.5))
    top = property(lambda self: self.at(0.5, 0))
    bottom = property(lambda self: self.at(0.5, 1))
    center = property(lambda self: self.at(0.5, 0.5))


class Space(Part):
    def __init__(self, width: float = 0, height: float = 0) -> None:
        self.width, self.height = width, height


def font(text: str, size: float, bold: bool = False) -> FontProperties:
    """Hanzi are never bold: the bundled Chinese font has one weight, and matplotlib would complain."""
    families = fonts.register()
    bold = bold and not re.search("[\u2e80-\uffef]", text)
    return FontProperties(
        family=families[:1] if bold else families, size=size, weight="bold" if bold else "normal"
    )


def text_width(text: str, size: float, bold: bool = False) -> float:
    style = font(text, size, bold)
    return _measure.get_text_width_height_descent(text, style, bool(is_math_text(text)))[0] / FINE


class Label(Part):
    """Lines of text, each centered (or to the left or right) and set by the height of its capitals."""

    say = staticmethod(say_phrase)

    def __init__(
        self,
        text: str,
        size: float = BODY,
        color: str = INK,
        bold: bool = False,
        align: str = "center",
        width: float = 0,
    ) -> None:
        self.lines = [self.say(line) for line in text.split("\n")]
        self.size, self.color, self.bold, self.align = size, color, bold, align
        self.width = max(width, *(text_width(line, size, bold) for line in self.lines))
        self.height = size * (1 + LEADING * (len(self.lines) - 1))
        self.name = " ".join(text.split("\n"))

    def draw(self, sheet: "Sheet") -> None:
        x = self.x + {"left": 0, "center": 0.5, "right": 1}[self.align] * self.width
        for number, line in enumerate(self.lines):
            middle = self.y + self.size * (0.5 + LEADING * number)
            sheet.text(x, middle, line, self.size, self.color, self.bold, self.align)


class Heading(Label):
    """A label that is no word of a sentence, so that it is said even where it is a single word."""

    say = staticmethod(say_heading)


class Group(Part):
    """Parts that move together."""

    def __init__(self, parts: Iterable[Part | str]) -> None:
        self.parts = [Label(part) if isinstance(part, str) else part for part in parts]

    def draw(self, sheet: "Sheet") -> None:
        for part in self.parts:
            part.draw(sheet)


class Row(Group):
    """Parts from left to right; `align` 0 puts them at the top, 0.5 in the middle, 1 at the bottom."""

    def __init__(self, *parts: Part | str, gap: float = STEP, align: float = 0.5) -> None:
        super().__init__(parts)
        self.gap, self.align = gap, align
        self.width = sum(part.width for part in self.parts) + gap * (len(self.parts) - 1)
        self.height = max(part.height for part in self.parts)

    def place(self, x: float, y: float) -> None:
        super().place(x, y)
        for part in self.parts:
            part.place(x, y + self.align * (self.height - part.height))
            x += part.width + self.gap


class Column(Group):
    """Parts from top to bottom; `align` 0 puts them at the left, 0.5 in the middle, 1 at the right."""

    def __init__(self, *parts: Part | str, gap: float = STEP, align: float = 0.5) -> None:
        super().__init__(parts)
        self.gap, self.align = gap, align
        self.width = max(part.width for part in self.parts)
        self.height = sum(part.height for part in self.parts) + gap * (len(self.parts) - 1)

    def place(self, x: float, y: float) -> None:
        super().place(x, y)
        for part in self.parts:
            part.place(x + self.align * (self.width - part.width), y)
            y += part.height + self.gap


class Head(Column):
    """The name of a block in bold, and a quiet detail under it."""

    def __init__(
        self,
        name: str,
        detail: str,
        align: float = 0.5,
        size: float = BODY,
        small: float = SMALL,
        color: str = INK,
    ) -> None:
        side = "center" if align else "left"
        title = Heading(name, size, color, bold=True, align=side)
        super().__init__(title, Label(detail, small, QUIET, align=side), gap=6, align=align)
        self.name = name


class Table(Group):
    """Rows of parts on common columns; None leaves a place empty. `align` is one number for each column."""

    def __init__(
        self,
        rows: Sequence[Sequence[Part | None]],
        gap: tuple[float, float] = (2 * STEP, STEP),
        align: Sequence[float] | float = 0.5,
    ) -> None:
        self.rows = [[part or Space() for part in row] for row in rows]
        super().__init__(part for row in self.rows for part in row)
        columns = list(zip(*self.rows, strict=True))
        self.align = [align] * len(columns) if isinstance(align, int | float) else align
        self.widths = [max(part.width for part in column) for column in columns]
        self.heights = [max(part.height for part in row) for row in self.rows]
        self.gap = gap
        self.width = sum(self.widths) + gap[0] * (len(columns) - 1)
        self.height = sum(self.heights) + gap[1] * (len(rows) - 1)

    def place(self, x: float, y: float) -> None:
        super().place(x, y)
        for row, height in zip(self.rows, self.heights, strict=True):
            left = x
            for part, width, align in zip(row, self.widths, self.align, strict=True):
                part.place(left + align * (width - part.width), y + (height - part.height) / 2)
                left += width + self.gap[0]
            y += height + self.gap[1]
