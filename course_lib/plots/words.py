"""A map of words: points in a plane, each with its word, kinds told apart by marker and color."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from course_lib.language import listed, say_heading, say_list

from .figure import LINES, STYLE, array, describe, panel, whole_figure

MARKERS = "osD^vPX*"
COLORS = [color for _, color in LINES] + ["#006d77", "#a3106b", "#5d4037", "#45505c"]
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))  # of a point, for its word
GAPS = (6, 16, 28)  # between point and word, in points


def word_map(
    points, groups: Mapping[str, Sequence[str]], ax: Axes | None = None, title: str | None = None
) -> Axes:
    """The words of all groups, in their order, at points `(words, 2)`, such as principal components."""
    points, words = array(points), [word for group in groups.values() for word in group]
    if points.shape != (len(words), 2):
        raise ValueError(f"points: expected (words {len(words)}, 2), got {points.shape}")
    if len(groups) > len(MARKERS):
        raise ValueError(f"groups: at most {len(MARKERS)} can be told apart, got {len(groups)}")
    ax = ax or panel(width=8, height=5.2)
    kinds = np.repeat(range(len(groups)), [len(group) for group in groups.values()])
    with plt.rc_context(STYLE):
        for kind, name in enumerate(groups):
            x, y = points[kinds == kind].T
            ax.scatter(x, y, s=36, marker=MARKERS[kind], color=COLORS[kind], label=name)
        ax.set(xlabel="first principal axis", ylabel="second principal axis", title=title)
        ax.margins(0.1)
        ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
        _write(ax, points, words, [COLORS[kind] for kind in kinds])
    return describe(ax, _describe(points, kinds, groups, title))


def _write(ax: Axes, points: np.ndarray, words: Sequence[str], colors: Sequence[str]) -> None:
    """Each word near its point, where it covers least of points, words and axes; a thin line to far ones."""
    figure = whole_figure(ax)
    figure.canvas.draw()  # the layout decides where points are
    places = ax.transData.transform(points)
    unit, frame = figure.dpi / 72, np.array(ax.get_window_extent().extents)
    taken = [np.concatenate([place - 5 * unit, place + 5 * unit]) for place in places]
    for word, color, point, place in zip(words, colors, points, places, strict=True):
        text = ax.annotate(
            word, point, (0, 0), textcoords="offset points", fontsize=9, color=color, va="bottom"
        )
        size = np.array(text.get_window_extent().size)
        offsets = [np.array(side) * (size / 2 + gap * unit) - size / 2 for gap in GAPS for side in SIDES]
        boxes = [np.concatenate([place + offset, place + offset + size]) for offset in offsets]
        hidden = [_covered(box, taken) + size.prod() - _covered(box, [frame]) for box in boxes]
        best = int(np.argmin(np.round(hidden)))  # of equals the first, which is nearest
        right, up = offsets[best] / unit
        text.set_position((right, up))
        taken.append(boxes[best])
        if best >= len(SIDES):
            end = right + size[0] / 2 / unit, up + size[1] / 2 / unit
            line = {"arrowstyle": "-", "color": color, "linewidth": 0.6, "shrinkA": 6, "shrinkB": 3}
            ax.annotate("", point, end, textcoords="offset points", arrowprops=line)


def _covered(box: np.ndarray, taken: Sequence[np.ndarray]) -> float:
    """The area of a box (left, bottom, right, top) that others cover, in pixels."""
    others = np.array(taken)
    overlap = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    return overlap.clip(min=0).prod(axis=1).sum()


def _describe(points: np.ndarray, kinds: np.ndarray, groups: Mapping[str, Sequence[str]], title) -> str:
    distance = np.linalg.norm(points[:, None] - points, axis=-1)
    np.fill_diagonal(distance, np.inf)
    same = int((kinds[distance.argmin(axis=1)] == kinds).sum())
    told = [
        f"{title or 'Map of words'}, {len(kinds)} words of {len(groups)} kinds.",
        f"The nearest neighbor in the map is of the same kind for {same} of them.",
        f"{say_list(f'{say_heading(name)}: {listed(group)}' for name, group in groups.items())}.",
    ]
    return say_list(told, " ")
