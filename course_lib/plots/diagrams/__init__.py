"""Drawings of what a model is and does, from the real objects: `diagrams.f(...) -> Sheet`.

A notebook shows a sheet by `.picture()`. It is laid out by computation (layout, signs), lists what collides
on it (`Sheet.faults`), and carries its alt text. Round corners compute, square corners are data. A thick line
is the residual stream. Hatched is hidden by a mask, dashed is not data that flows now. Hue says query, key or
value, source or target (palette).
"""

from .layout import Column, Label, Part, Point, Row, Space, Table
from .palette import BODY, HEADING, INK, LINE, PAPER, QUIET, ROLES, SMALL, STEP, TITLE, number, shape, tint
from .sheet import Sheet
from .signs import Bar, Box, Cells, Clock, Dot, Ghost, Lane, Plus, Rung

__all__ = [
    "BODY",
    "HEADING",
    "INK",
    "LINE",
    "PAPER",
    "QUIET",
    "ROLES",
    "SMALL",
    "STEP",
    "TITLE",
    "Bar",
    "Box",
    "Cells",
    "Clock",
    "Column",
    "Dot",
    "Ghost",
    "Label",
    "Lane",
    "Part",
    "Plus",
    "Point",
    "Row",
    "Rung",
    "Sheet",
    "Space",
    "Table",
    "number",
    "shape",
    "tint",
]
