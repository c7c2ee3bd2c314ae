"""Drawings of what a model is and does, from the real objects: `diagrams.f(...) -> Sheet`.

A notebook shows a sheet by `.picture()`. It is laid out by computation (layout, signs), lists what collides
on it (`Sheet.faults`), and carries its alt text. Round corners compute, square corners are data. A thick line
is the residual stream. Hatched is hidden by a mask, dashed is not data that flows now. Hue says query, key or
value, source or target (palette).
"""

from .assemblies import assemblies
from .attention_by_numbers import attention_by_numbers
from .beam_tree import beam_tree
from .byte_pairs import byte_pairs
from .clocks import clocks, moved_clocks
from .heads import aligned_axes, head_axes
from .layout import Column, Label, Part, Point, Row, Space, Table
from .masks import masks_product
from .multi_head import multi_head
from .norm_orders import norm_orders
from .one_hot_pick import one_hot_pick
from .one_stack import one_stack
from .padded_batch import padded_batch
from .palette import BODY, HEADING, INK, LINE, PAPER, QUIET, ROLES, SMALL, STEP, TITLE, number, shape, tint
from .product_grid import product_grid
from .real_words import real_words
from .repeated_work import repeated_work
from .sheet import Sheet
from .signs import Bar, Box, Cells, Clock, Dot, Ghost, Lane, Plus, Rung
from .sliding_window import pull_and_push, sliding_window
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
    "aligned_axes",
    "assemblies",
    "attention_by_numbers",
    "beam_tree",
    "byte_pairs",
    "clocks",
    "head_axes",
    "masks_product",
    "moved_clocks",
    "multi_head",
    "norm_orders",
    "number",
    "one_hot_pick",
    "one_stack",
    "padded_batch",
    "product_grid",
    "pull_and_push",
    "real_words",
    "repeated_work",
    "residual_stream",
    "shape",
    "sliding_window",
    "tint",
    "transfer_stages",
    "transformer",
    "transformer_of",
    "two_ways",
]
