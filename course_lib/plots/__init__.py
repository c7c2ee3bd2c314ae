"""Figures of the lessons: `f(data, labels, ax=None) -> Axes`, and `show(ax)` that adds alt text.

Each figure keeps one sentence with its main fact in `ax.alt`.
"""

from .attention import Attention, attention_grid, attention_map
from .curves import lines
from .figure import Picture, panels, show

__all__ = [
    "Attention",
    "Picture",
    "attention_grid",
    "attention_map",
    "lines",
    "panels",
    "show",
]
