"""Attention weights as heatmaps: one map, or all layers and heads as small multiples."""

from collections.abc import Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from torch import Tensor

from course_lib.language import listed, say_list

from .figure import STYLE, WEIGHTS, array, describe, grid, ink, panel, short, whole_figure

HATCHED = {"facecolor": "0.9", "edgecolor": "0.55", "hatch": "///", "linewidth": 0}
MAX_WRITTEN = 64  # cells; in larger maps the numbers would be too small to read
MAX_TOLD = 8  # queries, in the alt text


class Attention(NamedTuple):
    """What one kind of attention did with one sentence; the arguments of `attention_grid`."""

    weights: Sequence[Tensor]  # a (heads, target, source) for each layer
    queries: Sequence[str]
    keys: Sequence[str]
    mask: Tensor | None = None


def attention_map(
    weights: Tensor,
    queries: Sequence[str],
    keys: Sequence[str],
    mask: Tensor | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Heatmap of attention weights, always on the scale 0 to 1; masked cells are hatched, not merely 0.

    Shapes: weights (target, source), with a label for each query (row) and each key (column);
    mask, boolean, broadcastable to weights, True where a query may look.
    Without `ax` a figure with a color bar is made.
    """
    values = attention_matrix(weights, queries, keys)
    seen = visible(mask, values.shape)
    written = values.size <= MAX_WRITTEN
    alone = ax is None
    if ax is None:
        side = 0.52 if written else 0.36
        ax = panel(width=side * len(keys) + 2.2, height=side * len(queries) + 1.3)
    with plt.rc_context(STYLE):
        image = _draw(ax, values, seen)
        if written:
            _write_values(ax, values, seen)
        _label(ax, queries, keys)
        ax.set(xlabel="key (attended to)", ylabel="query (attending)", title=title)
        if alone:
            whole_figure(ax).colorbar(image, ax=ax, label="attention weight", shrink=0.8)
    return describe(ax, describe_map(values, seen, queries, keys, title))


def attention_grid(
    weights: Sequence[Tensor],
    queries: Sequence[str],
    keys: Sequence[str],
    mask: Tensor | None = None,
    title: str | None = None,
) -> np.ndarray:
    """The maps of all layers (rows) and heads (columns) in one new figure: axes `(layers, heads)`.

    weights: for each layer `(heads, target, source)`, or one tensor `(layers, heads, target, source)`.
    Labels and mask as in `attention_map`, the same for every map. Layers and heads count from 0.
    """
    layers = _layers(weights, queries, keys)
    seen = visible(mask, (len(queries), len(keys)))
    columns = max(map(len, layers))
    width, height = (max(1.0, 0.17 * len(labels)) for labels in (keys, queries))
    size = (width * columns + 1.8, height * len(layers) + 1.2)
    axes = grid(len(layers), columns, size, layout="compressed")
    with plt.rc_context({**STYLE, "font.size": 8}):
        for (layer, head), ax in np.ndenumerate(axes):
            if head >= len(layers[layer]):
                ax.set_axis_off()
                continue
            image = _draw(ax, layers[layer][head], seen)
            _label(ax, queries if head == 0 else [], [])
            if layer == len(layers) - 1:
                ax.set_xticks(range(len(keys)), keys, rotation=90)
            ax.set_title(f"layer {layer}, head {head}", fontsize=8)
        _label_grid(axes, image, title)
    describe(axes[0, 0], _describe_grid([np.where(seen, heads, 0) for heads in layers], title))
    return axes


def attention_matrix(weights: Tensor, queries: Sequence[str], keys: Sequence[str]) -> np.ndarray:
    """The weights (target, source) as numbers; raises ValueError if they do not fit the labels."""
    values = array(weights).astype(float)
    if values.shape != (len(queries), len(keys)):
        raise ValueError(
            f"weights have shape {tuple(values.shape)}, but there are {len(queries)} query labels "
            f"and {len(keys)} key labels: expected ({len(queries)}, {len(keys)}), one sentence and one head"
        )
    return values


def _layers(weights: Sequence[Tensor], queries: Sequence[str], keys: Sequence[str]) -> list[np.ndarray]:
    layers = [array(layer).astype(float) for layer in weights]
    if not layers:
        raise ValueError("expected the weights of at least one layer, got none")
    for number, heads in enumerate(layers):
        if heads.ndim != 3 or heads.shape[1:] != (len(queries), len(keys)) or not len(heads):
            raise ValueError(
                f"weights of layer {number} have shape {heads.shape}, but there are {len(queries)} query "
                f"labels and {len(keys)} key labels: expected (heads, {len(queries)}, {len(keys)})"
            )
    return layers


def visible(mask: Tensor | None, shape: tuple[int, int]) -> np.ndarray:
    """Boolean (target, source): False where a mask hides the key."""
    if mask is None:
        return np.ones(shape, dtype=bool)
    seen = np.asarray(mask.detach().cpu())
    if seen.dtype != bool:
        raise TypeError(f"mask: expected booleans, True where a query may look, got {seen.dtype}")
    try:
        return np.broadcast_to(seen, shape)
    except ValueError:
        raise ValueError(
            f"mask has shape {seen.shape}: expected one that broadcasts to (target, source) = {shape}"
        ) from None


def _draw(ax: Axes, values: np.ndarray, seen: np.ndarray) -> AxesImage:
    # masked and nan cells have no color and let what is below through: hatching, or white
    nan = np.isnan(values) & seen
    if not seen.all():
        ax.patch.set(**HATCHED)
    if nan.any():
        ax.imshow(np.where(nan, 1.0, np.nan), cmap="gray", vmin=0, vmax=1)
    image = ax.imshow(np.ma.masked_array(values, ~seen), vmin=0, vmax=1, cmap=WEIGHTS)
    ax.spines[:].set_visible(False)
    return image


def _label(ax: Axes, queries: Sequence[str], keys: Sequence[str]) -> None:
    ax.set_xticks(range(len(keys)), keys, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(queries)), queries)


def _label_grid(axes: np.ndarray, image: AxesImage, title: str | None) -> None:
    figure = whole_figure(axes[0, 0])
    figure.supxlabel("key (attended to)", fontsize=10)
    figure.supylabel("query (attending)", fontsize=10)
    figure.suptitle(title or "", fontsize=12)
    figure.colorbar(image, ax=axes, label="attention weight", shrink=0.8, aspect=10 + 10 * len(axes))


def _write_values(ax: Axes, values: np.ndarray, seen: np.ndarray) -> None:
    for row, column in np.argwhere(seen):
        value = float(values[row, column])
        ax.text(column, row, short(value), ha="center", va="center", fontsize=8, color=ink(value))


def describe_map(values, seen, queries, keys, title) -> str:
    """Alt text of one map: where each query looks most."""
    count = "1 query" if len(queries) == 1 else f"{len(queries)} queries"
    told = [f"{title}."] if title else []
    told.append(f"Attention map of {count} by {len(keys)} keys.")
    rows = []
    for query, row, visible in zip(queries, values, seen, strict=True):
        if visible.any() and not np.isnan(row[visible]).any():
            most = row[visible].max()
            best = [
                key
                for key, weight in zip(keys, np.where(visible, row, -1), strict=True)
                if weight > most - 0.005
            ]
            alike = 2 < len(best) == visible.sum()
            if alike:
                rows.append(f"{query} looks equally at all {len(best)} keys ({most:.2f}).")
            else:
                rows.append(f"{query} looks most at {listed(best, ' and ')} ({most:.2f}).")
    told += rows[:MAX_TOLD]
    if len(rows) > MAX_TOLD:
        told.append(f"{len(rows) - MAX_TOLD} more queries are in the figure.")
    counts = {"masked": (~seen).sum(), "nan": np.isnan(values[seen]).sum()}
    told += [f"{n} of {seen.size} cells are {what}." for what, n in counts.items() if n]
    return say_list(told, " ")


def _describe_grid(layers: list[np.ndarray], title: str | None) -> str:
    count = "1 layer" if len(layers) == 1 else f"{len(layers)} layers"
    told = [f"{title}."] if title else []
    told.append(f"Attention maps of {count} by {max(map(len, layers))} heads.")
    sharpness = {
        f"layer {layer}, head {head}": values.max(axis=-1).mean()
        for layer, heads in enumerate(layers)
        for head, values in enumerate(heads)
        if not np.isnan(values).any()
    }
    if len(sharpness) < sum(map(len, layers)):
        told.append(f"{sum(map(len, layers)) - len(sharpness)} of them hold nan.")
    if len(sharpness) >= 2:
        first, *_, last = sorted(sharpness, key=sharpness.__getitem__)
        told.append(
            f"A query's largest weight is on average {sharpness[last]:.2f} in the sharpest ({last}) and "
            f"{sharpness[first]:.2f} in the most even ({first})."
        )
    return say_list(told, " ")
