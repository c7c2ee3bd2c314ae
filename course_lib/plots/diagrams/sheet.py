"""A card with a layout on it, the arrows between its parts, and a list of what collides."""

import html
import io
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon, Rectangle
from matplotlib.path import Path as Curve

from course_lib.language import say_heading, say_phrase
from course_lib.plots import fonts
from course_lib.plots.figure import STYLE, Picture

from .layout import Area, Column, Label, Part, Point, Space, font, text_width
from .palette import (
    CAP,
    DASHES,
    HAIR,
    HEAD,
    HIDDEN,
    INK,
    LINE,
    PAPER,
    QUIET,
    RADIUS,
    ROLES,
    RULE,
    SMALL,
    STEP,
    TITLE,
    tint,
)


class Sheet:
    """A card with one laid-out part on it, and the arrows between its anchors.

    `links` lists every arrow as (from, to), by the names of the parts: what the alt text says and what a test
    can hold against the model.
    """

    def __init__(self, content: Part, title: str = "", alt: str = "", margin: float = 2 * STEP) -> None:
        body = Column(Label(title, TITLE, bold=True), content, gap=2 * STEP, align=0) if title else content
        self.content, self.alt, self.links = body, alt, []
        self.texts: list[tuple[str, Area]] = []  # what was drawn and where, for `faults`
        self.grounds: list[Area] = []
        self.lines: list[tuple[Point, Point]] = []
        self.width, self.height = body.width + 2 * margin, body.height + 2 * margin
        body.place(margin, margin)
        fonts.register()
        with plt.rc_context(STYLE):
            self.figure = FigureCanvasAgg(
                Figure((self.width / 72, self.height / 72), facecolor="none")
            ).figure
            self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(0, self.width), ylim=(self.height, 0))
        self.axes.set_axis_off()
        self.card()
        body.draw(self)

    def card(self) -> None:
        """Light paper with round corners and nothing around it: at home on a white and on a dark page."""
        page = Space(self.width - 1, self.height - 1)
        page.place(0.5, 0.5)
        self.rounded(page, PAPER, RULE, HAIR, order=0, radius=8)

    def add(self, patch) -> None:
        self.axes.add_patch(patch)

    def rounded(
        self, part: Part, fill: str, edge: str, weight: float, order: float, radius: float = RADIUS
    ) -> None:
        if order >= 3:
            self.grounds.append(Area.of(part))
        self.add(
            FancyBboxPatch(
                (part.x, part.y), part.width, part.height, boxstyle=f"round,pad=0,rounding_size={radius}",
                mutation_aspect=1, fc=fill, ec=edge, lw=weight, zorder=order,
            )
        )  # fmt: skip

    def hatched(self, part: Part) -> None:
        """What a mask hides: gray strokes, one distance everywhere."""
        area = Rectangle(
            (part.x, part.y), part.width, part.height, fc=HIDDEN, ec=tint("mask", 0.55), lw=HAIR, zorder=3
        )
        self.add(area)
        span, gap = part.width + part.height, 4 if min(part.width, part.height) > 9 else 2.5
        for offset in np.arange(gap, span, gap):
            (stroke,) = self.axes.plot(
                [part.x + offset, part.x + offset - part.height], [part.y, part.y + part.height],
                color=tint("mask", 0.6), lw=HAIR, zorder=3, solid_capstyle="butt",
            )  # fmt: skip
            stroke.set_clip_path(area)

    def text(
        self, x: float, y: float, text: str, size: float, color: str = INK, bold: bool = False,
        align: str = "center", halo: bool = False,
    ) -> None:  # fmt: skip
        """One line whose capitals are centered on y."""
        text = say_phrase(text)
        box = {"facecolor": HIDDEN, "edgecolor": "none", "pad": 1.5} if halo else None
        self.remember(x, y, text, size, bold, align)
        self.axes.text(
            x, y + CAP * size, text, color=color, ha=align, va="baseline", zorder=8, bbox=box,
            fontproperties=font(text, size, bold),
        )  # fmt: skip

    def polyline(
        self,
        points: Sequence[Point],
        color: str,
        weight: float,
        order: float = 2,
        dashed: bool = False,
        radius: float = 6,
    ) -> None:
        """Straight stretches with round corners."""
        self.lines += [pair for pair in pairwise(points) if order < 5]  # above that it is part of a sign
        corners = [np.array(point[:2], float) for point in points]
        vertices, codes = [corners[0]], [Curve.MOVETO]
        for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
            reach = min(radius, *(np.linalg.norm(other - corner) / 2 for other in (before, after)))
            enter, leave = (corner + reach * _unit(other - corner) for other in (before, after))
            vertices += [enter, corner, leave]
            codes += [Curve.LINETO, Curve.CURVE3, Curve.CURVE3]
        path = Curve([*vertices, corners[-1]], [*codes, Curve.LINETO])
        style = {"linestyle": DASHES} if dashed else {}
        self.add(PathPatch(path, fc="none", ec=color, lw=weight, zorder=order, capstyle="butt", **style))

    def arrow(
        self, *points: Point, role: str | None = None, color: str | None = None, weight: float = LINE,
        dashed: bool = False, head: bool = True, order: float = 2,
    ) -> None:  # fmt: skip
        """From the first anchor through the others to the last, where the head touches."""
        color = color or ROLES.get(role, INK)
        end = np.array(points[-1][:2], float)
        back = -_unit(end - np.array(points[-2][:2], float))
        if head:
            length = HEAD + 1.5 * (weight - LINE)
            side = np.array([-back[1], back[0]]) * length * 0.42
            base = end + back * length
            self.add(Polygon([end, base + side, base - side], fc=color, ec="none", zorder=order))
            line = [*points[:-1], Point(*(end + back * (length - 0.5)))]
        else:
            line = points
        self.polyline(line, color, weight, order, dashed)
        self.links.append(tuple(getattr(point.of, "name", "") for point in (points[0], points[-1])))

    def note(
        self,
        point: Point,
        text: str,
        color: str = QUIET,
        align: str = "left",
        size: float = SMALL,
        bold: bool = False,
    ) -> None:
        """A label on or beside a line, with paper behind it."""
        text = say_phrase(text)
        self.remember(point.x, point.y, text, size, bold, align)
        self.axes.text(
            point.x, point.y + CAP * size, text, color=color, ha=align, va="baseline", zorder=7,
            fontproperties=font(text, size, bold), bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.5},
        )  # fmt: skip

    def letters(self, point: Point, which: str) -> None:
        """Q, K and V, each in its color, to the right of the point."""
        for place, letter in enumerate(which):
            color = ROLES[{"Q": "query", "K": "key", "V": "value"}[letter]]
            self.text(point.x + 11 * place, point.y, letter, SMALL, color, bold=True, align="left")

    def remember(self, x: float, y: float, text: str, size: float, bold: bool, align: str) -> None:
        width = text_width(text, size, bold)
        left = x - {"left": 0, "center": 0.5, "right": 1}[align] * width
        self.texts.append((text, Area(left, y - size / 2, left + width, y + size / 2)))

    def faults(self) -> list[str]:
        """Texts that overlap, leave the card, or have a line running through them: empty when finished."""
        card, found = Area(0, 0, self.width, self.height), []
        for i, (text, area) in enumerate(self.texts):
            if not card.holds(area):
                found.append(f"{text!r} leaves the card")
            found += [f"{text!r} overlaps {other!r}" for other, place in self.texts[:i] if area.meets(place)]
            if not any(ground.holds(area) for ground in self.grounds):
                found += [
                    f"a line runs through {text!r}" for line in self.lines if area.meets(Area.of_line(*line))
                ]
        return found

    def picture(self) -> Picture:
        """As the course's figures are shown in a notebook, with alt text."""
        if not self.alt:
            raise ValueError("a diagram cannot describe itself: give alt=, made from the data that it draws")
        buffer = io.BytesIO()
        with plt.rc_context(STYLE):
            self.figure.savefig(buffer, format="png", dpi=200, transparent=True)
        return Picture(buffer.getvalue(), width=round(self.width / 72 * 100), alt=self.alt)

    def svg(self) -> str:
        """Text as outlines (no font needed), with the alt text as title for screen readers."""
        buffer = io.StringIO()
        style: dict[Any, Any] = STYLE | {"svg.fonttype": "path", "svg.hashsalt": "diagram"}
        with plt.rc_context(style):
            self.figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
        title = f'role="img"><title>{html.escape(say_heading(self.alt))}</title>'
        return re.sub(r"(<svg\b[^>]*?)>", lambda match: f"{match[1]} {title}", buffer.getvalue(), count=1)

    def save(self, path: Path) -> None:
        path.with_suffix(".png").write_bytes(self.picture().png)
        path.with_suffix(".svg").write_text(self.svg(), encoding="utf-8")
        path.with_suffix(".alt.txt").write_text(self.alt + "\n", encoding="utf-8")


def _unit(vector: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vector)
    return vector / length if length else vector
