"""Figures of the lessons: `f(data, labels, ax=None) -> Axes`, and `show(ax)` that adds alt text.

Each figure keeps one sentence with its main fact in `ax.alt`.
"""

from .attention import Attention, attention_grid, attention_map
from .attention_view import AttentionView, attention_view, maps_view
from .choices import choice_bars
from .curves import lines
from .decoding import Decoding, decoding_steps
from .dependence import dependence_map
from .figure import Picture, grid, panels, show
from .loss import LiveLoss, loss_curves
from .mistakes import mistake_bars
from .norms import norm_axes
from .positions import position_map, position_waves
from .runs import runs
from .shares import share_bars
from .trace import Trace, trace
from .words import word_map

__all__ = [
    "Attention",
    "AttentionView",
    "Decoding",
    "LiveLoss",
    "Picture",
    "Trace",
    "attention_grid",
    "attention_map",
    "attention_view",
    "choice_bars",
    "decoding_steps",
    "dependence_map",
    "grid",
    "lines",
    "loss_curves",
    "maps_view",
    "mistake_bars",
    "norm_axes",
    "panels",
    "position_map",
    "position_waves",
    "runs",
    "share_bars",
    "show",
    "trace",
    "word_map",
]
