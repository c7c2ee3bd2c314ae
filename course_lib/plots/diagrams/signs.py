"""What a drawing is made of: boxes that compute, cells of data, sums and branches of a stream, clocks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import Circle, Rectangle, Wedge

from .layout import Area, Column, Group, Label, Part, Point, Row, Space, text_width
from .palette import (
    DASHES,
    HAIR,
    HEAD,
    INK,
    LINE,
    PAPER,
    QUIET,
    ROLES,
    RULE,
    SMALL,
    STEP,
    tint,
)

if TYPE_CHECKING:
    from .sheet import Sheet


class Box(Group):
    """A rounded rectangle around some part, filled with a tint of its role: a thing that computes."""

    def __init__(
        self,
        content: Part | str,
        role: str | None = None,
        width: float = 0,
        height: float = 0,
        pad: tuple[float, float] = (10, 6),
        strength: float = 0.12,
    ) -> None:
        super().__init__([content])
        (self.content,) = self.parts
        self.width = max(width, self.content.width + 2 * pad[0])
        self.height = max(height, self.content.height + 2 * pad[1])
        self.role, self.strength = role, strength
        self.name = self.content.name

    def place(self, x: float, y: float) -> None:
        super().place(x, y)
        inner = self.content
        inner.place(x + (self.width - inner.width) / 2, y + (self.height - inner.height) / 2)

    def draw(self, sheet: "Sheet") -> None:
        strength = self.strength if self.role else self.strength / 3  # without a role: hardly gray
        sheet.rounded(self, tint(self.role, strength), ROLES.get(self.role, QUIET), LINE, order=3)
        super().draw(sheet)


class Lane(Box):
    """A quiet ground behind parts that belong together, with a heading at its upper left."""

    def __init__(
        self,
        content: Part,
        title: str = "",
        role: str | None = None,
        strength: float = 0.05,
        pad: float = STEP,
    ) -> None:
        head = Label(title, SMALL, ROLES.get(role, INK), bold=True) if title else Space()
        self.head = head
        body = Column(head, content, gap=STEP if title else 0, align=0)
        super().__init__(body, role, pad=(pad, pad), strength=strength)
        self.name = title

    def draw(self, sheet: "Sheet") -> None:
        sheet.rounded(self, tint(self.role, self.strength), tint(self.role, 0.3), HAIR, order=1)
        Group.draw(self, sheet)


class Cells(Part):
    """A matrix as a grid: written values, tinted by role; cells that are not `seen` are hatched."""

    def __init__(
        self,
        rows: Sequence[Sequence[str]],
        role: str | None = None,
        seen: np.ndarray | None = None,
        cell: tuple[float, float] = (0, 20),
        size: float = SMALL,
        fills: Sequence[Sequence[str]] | None = None,
        inks: Sequence[Sequence[str]] | None = None,
        bold: bool = False,
        strength: float = 0.12,
    ) -> None:
        self.texts = np.array(rows, dtype=object)
        if self.texts.ndim != 2:
            raise ValueError(f"cells: expected a matrix of texts, got the shape {self.texts.shape}")
        self.role, self.size, self.fills, self.inks, self.bold = role, size, fills, inks, bold
        self.strength = strength
        self.seen = np.ones(self.texts.shape, bool) if seen is None else np.asarray(seen)
        if self.seen.shape != self.texts.shape:
            raise ValueError(f"seen: expected {self.texts.shape}, got {self.seen.shape}")
        needed = [
            max(text_width(text, size, bold) + 8 if text else 0 for text in column) for column in self.texts.T
        ]
        self.widths = [max(cell[0], width) for width in needed]
        self.step = cell[1]
        self.width, self.height = sum(self.widths), cell[1] * len(self.texts)

    def cell(self, row: int, column: int) -> Part:
        """One cell, to draw arrows to."""
        part = Part()
        part.width, part.height = self.widths[column], self.step
        part.place(self.x + sum(self.widths[:column]), self.y + row * self.step)
        return part.named(f"{self.name} {self.texts[row, column]}".strip())

    def draw(self, sheet: "Sheet") -> None:
        strong = 0.4 if self.role is None else 0.55 if self.fills is None else 0.8
        edge, small = tint(self.role, strong), self.step < 8
        for (row, column), text in np.ndenumerate(self.texts):
            cell = self.cell(row, column)
            fill = tint(self.role, self.strength) if self.fills is None else self.fills[row][column]
            if not self.seen[row, column]:
                sheet.hatched(cell)
            else:
                sheet.add(
                    Rectangle(
                        (cell.x, cell.y),
                        cell.width,
                        cell.height,
                        fc=fill,
                        ec=edge,
                        lw=HAIR / 2 if small else HAIR,
                        zorder=3,
                    )
                )
            if text:
                color = INK if self.inks is None else self.inks[int(row)][int(column)]
                color = color if self.seen[row, column] else QUIET
                sheet.text(
                    cell.center.x,
                    cell.center.y,
                    text,
                    self.size,
                    color,
                    self.bold,
                    halo=not self.seen[row, column],
                )
        sheet.add(
            Rectangle(
                (self.x, self.y),
                self.width,
                self.height,
                fc="none",
                ec=edge,
                lw=HAIR if small else LINE,
                zorder=4,
            )
        )
        sheet.grounds.append(Area.of(self))


class Ghost(Part):
    """A cell that was there and is not followed: a dashed outline."""

    def __init__(self, text: str, width: float, height: float) -> None:
        self.text, self.width, self.height, self.name = text, width, height, text

    def draw(self, sheet: "Sheet") -> None:
        style = {"fc": PAPER, "ec": ROLES["mask"], "lw": LINE, "linestyle": DASHES, "zorder": 3}
        sheet.add(Rectangle((self.x, self.y), self.width, self.height, **style))
        sheet.text(self.center.x, self.center.y, self.text, SMALL, QUIET)


class Bar(Part):
    """A number between 0 and 1 as a length, written beside it."""

    def __init__(self, value: float, role: str | None = None, length: float = 48, height: float = 12) -> None:
        self.value, self.role, self.length = value, role, length
        self.width, self.height = length + text_width("0.00", SMALL) + 6, height

    def draw(self, sheet: "Sheet") -> None:
        sheet.add(
            Rectangle((self.x, self.y), self.length, self.height, fc=tint(None, 0.06), ec="none", zorder=3)
        )
        filled = self.value * self.length
        sheet.add(
            Rectangle(
                (self.x, self.y), filled, self.height, fc=ROLES.get(self.role, INK), ec="none", zorder=4
            )
        )
        middle = self.y + self.height / 2
        written = f"{self.value:.2f}" if self.value else "0"
        sheet.text(self.x + self.width, middle, written, SMALL, align="right")


class Plus(Part):
    """The sum of a residual: a circle on the stream."""

    width = height = 15.0

    def __init__(self, role: str | None = None) -> None:
        self.role, self.name = role, "sum"

    def draw(self, sheet: "Sheet") -> None:
        x, y, _ = self.center
        color, arm = ROLES.get(self.role, INK), 4
        sheet.add(Circle((x, y), self.width / 2, fc=PAPER, ec=color, lw=LINE, zorder=5))
        for dx, dy in ((arm, 0), (0, arm)):
            sheet.polyline([Point(x - dx, y - dy), Point(x + dx, y + dy)], color, LINE, order=6)


class Dot(Part):
    """Where a branch leaves a line."""

    width = height = 6.0

    def __init__(self, role: str | None = None) -> None:
        self.role, self.name = role, "branch"

    def draw(self, sheet: "Sheet") -> None:
        sheet.add(Circle(self.center[:2], self.width / 2, fc=ROLES.get(self.role, INK), ec="none", zorder=5))


class Rung(Row):
    """A sublayer beside the residual stream: the branch to it, the sum with what comes back, the norm.

    Post-norm: the norm is on the stream. Pre-norm: on the branch. `letters`, some of QKV, are what the
    branch becomes.
    """

    KNOT = 52  # the width of what stands on the stream

    def __init__(
        self, box: Box, norm: str, norm_first: bool, role: str | None = None, letters: str = ""
    ) -> None:
        self.box, self.role, self.letters = box, role, letters
        self.norm = Box(Label(norm, SMALL), pad=(6, 4)).named(norm)
        self.dot, self.plus = Dot(role), Plus(role)
        climb = Space(self.KNOT, box.height - STEP - self.dot.height - self.plus.height)
        below = Space(0, self.norm.height) if norm_first else self.norm  # both orders are equally high
        knot = [self.dot, climb, self.plus, Space(0, 4), below]
        branch = [self.norm] if norm_first else []
        self.norm_first = norm_first
        super().__init__(box, *branch, Column(*knot, gap=0), gap=2 * STEP, align=0)

    def place(self, x: float, y: float) -> None:
        super().place(x, y)
        if self.norm_first:  # at the height where the branch leaves
            self.norm.place(self.norm.x, self.dot.center.y - self.norm.height / 2)

    def connect(self, sheet: "Sheet") -> None:
        enter = Point(self.box.right.x, self.dot.center.y, self.box)
        leave = Point(self.box.right.x, self.plus.center.y, self.box)
        stops = [self.dot.left, *([self.norm.right, self.norm.left] if self.norm_first else []), enter]
        for start, end in zip(stops[::2], stops[1::2], strict=True):
            sheet.arrow(start, end, role=self.role)
        sheet.arrow(leave, self.plus.left, role=self.role)
        sheet.letters(Point(stops[1].x + HEAD, self.dot.center.y - STEP), self.letters)


class Clock(Part):
    """A dial with one hand at `angle` (radians, clockwise from the top), or the turn between two angles."""

    def __init__(
        self, angle: float, before: float | None = None, diameter: float = 34, role: str | None = None
    ):
        self.width = self.height = diameter
        self.angle, self.before, self.role = angle, before, role

    def tip(self, angle: float, reach: float) -> Point:
        x, y, _ = self.center
        return Point(x + reach * np.sin(angle), y - reach * np.cos(angle))

    def draw(self, sheet: "Sheet") -> None:
        radius, color = self.width / 2, ROLES.get(self.role, INK)
        center = self.center
        sheet.add(Circle(center[:2], radius, fc="white", ec=RULE, lw=LINE, zorder=3))
        if self.before is not None:
            # matplotlib counts counterclockwise from the right, and here y runs downward
            start, end = np.degrees(sorted([self.before, self.angle])) - 90
            sheet.add(
                Wedge(center[:2], radius - 2, start, end, fc=tint(self.role, 0.28), ec="none", zorder=4)
            )
            sheet.polyline([center, self.tip(self.before, radius - 4)], tint(self.role, 0.6), LINE, order=5)
        sheet.polyline([center, self.tip(self.angle, radius - 4)], color, 2, order=5)
        sheet.add(Circle(center[:2], 1.8, fc=color, ec="none", zorder=6))
