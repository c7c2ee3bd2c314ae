"""Drawings of what a model is and does, from the real objects: `diagrams.f(...) -> Sheet`.

A notebook shows a sheet by `.picture()`. It is laid out by computation (layout, signs), lists what collides
on it (`Sheet.faults`), and carries its alt text. Round corners compute, square corners are data. A thick line
is the residual stream. Hatched is hidden by a mask, dashed is not data that flows now. Hue says query, key or
value, source or target (palette).
"""

from .assemblies import assemblies
from .beam_tree import beam_tree
from .clocks import clocks, moved_clocks
from .layout import Column, Label, Part, Point, Row, Space, Table
from .norm_orders import norm_orders
from .palette import BODY, HEADING, INK, LINE, PAPER, QUIET, ROLES, SMALL, STEP, TITLE, number, shape, tint
from .sheet import Sheet
from .signs import Bar, Box, Cells, Clock, Dot, Ghost, Lane, Plus, Rung
from .stream import residual_stream
from .transfer import TrainingStage, transfer_stages
from .transformer import transformer, transformer_of
from .two_ways import two_ways

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
    "TrainingStage",
    "assemblies",
    "beam_tree",
    "clocks",
    "moved_clocks",
    "norm_orders",
    "number",
    "residual_stream",
    "shape",
    "tint",
    "transfer_stages",
    "transformer",
    "transformer_of",
    "two_ways",
]
