"""Figures of the lessons: `f(data, labels, ax=None) -> Axes`, and `show(ax)` that adds alt text."""

import base64
import html
import io
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from course_lib import fonts

WEIGHTS = "cividis"  # perceptually uniform, and it reads in gray and with any color vision
LINES = (
    ("-", "#00305a"),
    ("--", "#b4451f"),
    ("-.", "#4d7000"),
    (":", "#6b3fa0"),
)  # each dark enough on white
HATCHED = {"facecolor": "0.9", "edgecolor": "0.55", "hatch": "///", "linewidth": 0}
STYLE = {
    "font.family": fonts.FAMILY,
    "font.size": 10,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.edgecolor": "0.4",
    "axes.spines.top": False,
    "axes.spines.right": False,
}
MAX_WRITTEN = 64  # cells; in larger maps the numbers would be too small to read


@dataclass(frozen=True)
class Picture:
    """A finished figure, shown with alt text (which JupyterLab drops from plain png outputs)."""

    png: bytes
    width: int  # CSS pixels; the image has twice as many
    alt: str

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        source = base64.b64encode(self.png).decode()
        image = (
            f'<img alt="{html.escape(self.alt)}" width="{self.width}" src="data:image/png;base64,{source}">'
        )
        return {"text/html": image, "text/plain": self.alt}


def show(ax: Axes, alt: str | None = None) -> Picture:
    """Display the whole figure that `ax` belongs to, and close it.

    The alt text is `alt`, or what the figure's own panels say of themselves.
    """
    figure = ax.figure
    alt = alt or " ".join(getattr(panel, "alt", "") for panel in figure.axes).strip()
    if not alt:
        raise ValueError("this figure cannot describe itself: give alt=, one sentence with its main fact")
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=2 * figure.dpi, bbox_inches="tight")
    plt.close(figure)
    png = buffer.getvalue()
    return Picture(png, width=int.from_bytes(png[16:20], "big") // 2, alt=alt)


def panels(columns: int, width: float = 3.6, height: float = 3.2, **options) -> np.ndarray:
    """A row of `columns` axes in one new figure; sizes in inches, options as in plt.subplots."""
    fonts.register()
    with plt.rc_context(STYLE):
        size = (width * columns, height)
        return plt.subplots(1, columns, figsize=size, layout="constrained", squeeze=False, **options)[1][0]


def attention_map(
    weights: torch.Tensor,
    queries: Sequence[str],
    keys: Sequence[str],
    mask: torch.Tensor | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Heatmap of attention weights, always on the scale 0 to 1; masked cells are hatched, not merely 0.

    Shapes: weights (target, source), with a label for each query (row) and each key (column);
    mask, boolean, broadcastable to weights, True where a query may look.
    Without `ax` a figure with a color bar is made.
    """
    values = _matrix(weights, queries, keys)
    if mask is None:
        mask = torch.ones(1, 1, dtype=torch.bool)
    seen = np.broadcast_to(mask.detach().cpu().numpy().astype(bool), values.shape)
    alone = ax is None
    if alone:
        side = 0.52 if values.size <= MAX_WRITTEN else 0.36
        ax = panels(1, width=side * len(keys) + 2.2, height=side * len(queries) + 1.3)[0]
    with plt.rc_context(STYLE):
        image = ax.imshow(np.ma.masked_array(values, ~seen), vmin=0, vmax=1, cmap=WEIGHTS)
        for row, column in np.argwhere(~seen):
            ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, **HATCHED))
        if values.size <= MAX_WRITTEN:
            _write_values(ax, values, seen)
        ax.set_xticks(range(len(keys)), keys, rotation=45, ha="right", rotation_mode="anchor")
        ax.set_yticks(range(len(queries)), queries)
        ax.set(xlabel="key (attended to)", ylabel="query (attending)", title=title)
        ax.spines[:].set_visible(False)
        if alone:
            ax.figure.colorbar(image, ax=ax, label="attention weight", shrink=0.8)
    ax.alt = _describe_attention(values, seen, queries, keys, title)
    return ax


def lines(
    x: Sequence[float],
    curves: dict[str, Sequence[float]],
    xlabel: str,
    ylabel: str,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Curves over x, told apart by dash pattern as well as by color; each name stands at its legend entry."""
    ax = panels(1, width=5.2)[0] if ax is None else ax
    with plt.rc_context(STYLE):
        for number, (name, y) in enumerate(curves.items()):
            dashes, color = LINES[number % len(LINES)]
            ax.plot(_array(x), _array(y), dashes, color=color, label=name, linewidth=2)
        ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
        ax.grid(color="0.9")
        if len(curves) > 1:
            ax.legend(frameon=False)
    ax.alt = _describe_lines(ax)
    return ax


def _array(values) -> np.ndarray:
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu().numpy()
    return np.asarray(values)


def _matrix(weights: torch.Tensor, queries: Sequence[str], keys: Sequence[str]) -> np.ndarray:
    values = _array(weights).astype(float)
    if values.shape != (len(queries), len(keys)):
        raise ValueError(
            f"weights have shape {tuple(values.shape)}, but there are {len(queries)} query labels "
            f"and {len(keys)} key labels: expected ({len(queries)}, {len(keys)}), one sentence and one head"
        )
    return values


def _write_values(ax: Axes, values: np.ndarray, seen: np.ndarray) -> None:
    for row, column in np.argwhere(seen):
        value = values[row, column]
        # cividis grows lighter throughout: from here on black has the better contrast
        color = "black" if value > 0.46 else "white"
        text = "nan" if np.isnan(value) else f"{value:.2f}".removeprefix("0")
        ax.text(column, row, text, ha="center", va="center", fontsize=8, color=color)


def _describe_lines(ax: Axes) -> str:
    ends = [
        f"{line.get_label()}: from {y[0]:.3g} at {x[0]:.4g} to {y[-1]:.3g} at {x[-1]:.4g}."
        for line in ax.lines
        for x, y in [line.get_data()]
    ]
    return f"{ax.get_ylabel()} against {ax.get_xlabel()}. {' '.join(ends)}"


def _describe_attention(values, seen, queries, keys, title) -> str:
    name = f"{title}: a" if title else "A"
    count = "1 query" if len(queries) == 1 else f"{len(queries)} queries"
    text = f"{name}ttention map of {count} by {len(keys)} keys."
    for query, row, visible in zip(queries, values, seen, strict=True):
        if visible.any() and not np.isnan(row[visible]).any():
            most = row[visible].max()
            best = [
                key
                for key, weight in zip(keys, np.where(visible, row, -1), strict=True)
                if weight > most - 0.005
            ]
            text += f" {query} looks most at {' and '.join(best)} ({most:.2f})."
    hidden = int((~seen).sum())
    return text + (f" {hidden} of {seen.size} cells are masked." if hidden else "")
