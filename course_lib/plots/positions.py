"""Positional encodings: all of one as a heatmap, and chosen dimensions of it as waves."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from torch import Tensor

from course_lib.language import say_heading

from .curves import lines
from .figure import STYLE, array, describe, panel, whole_figure

# diverges in hue from a neutral middle, yet grows lighter throughout: the sign shows in gray as well
SIGNED = LinearSegmentedColormap.from_list("signed", ["#0b2e6f", "#5c77a6", "#9a9a9a", "#dbb489", "#ffe3c2"])


def position_map(encoding: Tensor, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Heatmap of an encoding `(seq, d_model)`, a row for each position, on a scale symmetric around 0."""
    values = _encoding(encoding)
    largest = np.abs(values).max() or 1.0
    ax = ax or panel(width=5.6, height=3.6)
    with plt.rc_context(STYLE):
        image = ax.imshow(
            values, cmap=SIGNED, vmin=-largest, vmax=largest, aspect="auto", interpolation="nearest"
        )
        ax.set(xlabel="dimension", ylabel="position", title=title)
        whole_figure(ax).colorbar(image, ax=ax, label=say_heading("value"))
    changes = _sign_changes(values)
    text = (
        f"{title or 'Positional encoding'}: {values.shape[0]} positions by {values.shape[1]} dimensions, "
        f"values from {values.min():.2f} to {values.max():.2f}. Along the positions dimension 0 changes sign "
        f"{changes[0]} times, dimension {len(changes) - 1} {changes[-1]} times."
    )
    return describe(ax, text)


def position_waves(
    encoding: Tensor,
    dimensions: Sequence[int] | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Some dimensions of an encoding `(seq, d_model)` as curves over positions.

    By default the first pair, and those at 1/8 and 1/4 of d_model: in the sinusoidal encoding these are
    waves of length 6.3, 20 and 63.
    """
    values = _encoding(encoding)
    seq, d_model = values.shape
    if dimensions is None:
        dimensions = sorted({0, min(1, d_model - 1), d_model // 8, d_model // 4})
    if not dimensions or not all(0 <= d < d_model for d in dimensions):
        raise ValueError(f"dimensions: expected some of 0 ... {d_model - 1}, got {list(dimensions)}")
    curves = {f"dimension {d}": values[:, d] for d in dimensions}
    ax = lines(range(seq), curves, "position", say_heading("value"), ax=ax, title=title)
    with plt.rc_context(STYLE):
        ax.legend(frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    changes = _sign_changes(values)
    counts = ", ".join(f"dimension {d} {changes[d]} times" for d in dimensions)
    what = f"{title or 'Positional encoding'} as curves over {seq} positions"
    return describe(ax, f"{what}. Sign changes: {counts}.")


def _encoding(encoding: Tensor) -> np.ndarray:
    values = array(encoding)
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(f"encoding: expected (seq, d_model), got {values.shape}")
    return values


def _sign_changes(values: np.ndarray) -> np.ndarray:
    """How often each column changes its sign, exact zeros left aside: (d_model,)."""
    return np.array([np.count_nonzero(np.diff(np.sign(column[column != 0]))) for column in values.T])
