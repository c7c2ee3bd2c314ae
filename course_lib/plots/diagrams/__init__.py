"""Drawings of what a model is and does, from the real objects: `diagrams.f(...) -> Sheet`.

A notebook shows a sheet by `.picture()`. It is laid out by computation (layout, signs), lists what collides
on it (`Sheet.faults`), and carries its alt text. Round corners compute, square corners are data. A thick line
is the residual stream. Hatched is hidden by a mask, dashed is not data that flows now. Hue says query, key or
value, source or target (palette).
"""

from .attention_by_numbers import attention_by_numbers
from .heads import aligned_axes, head_axes
from .layout import Column, Label, Part, Point, Row, Space, Table
from .masks import masks_product
from .multi_head import multi_head
from .one_hot_pick import one_hot_pick
from .padded_batch import padded_batch
from .palette import BODY, HEADING, INK, LINE, PAPER, QUIET, ROLES, SMALL, STEP, TITLE, number, shape, tint
from .product_grid import product_grid
from .sheet import Sheet
from .signs import Bar, Box, Cells, Clock, Dot, Ghost, Lane, Plus, Rung
from .sliding_window import pull_and_push, sliding_window

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
    "aligned_axes",
    "attention_by_numbers",
    "head_axes",
    "masks_product",
    "multi_head",
    "number",
    "one_hot_pick",
    "padded_batch",
    "product_grid",
    "pull_and_push",
    "shape",
    "sliding_window",
    "tint",
]
