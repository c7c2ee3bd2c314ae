"""One quantity of several training runs: a thin line for each seed, and their median."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from course_lib.language import say_list

from .figure import LINES, STYLE, array, describe, panel


def runs(
    groups: Mapping[str, Sequence[Sequence[float]]],
    ylabel: str,
    ax: Axes | None = None,
    title: str | None = None,
    smooth: int = 1,
) -> Axes:
    """Curves over training steps 1, 2, ..., by group; all of a group have one length.

    Each point is the mean of the last `smooth` values, so a curve begins at step `smooth`.
    """
    if not groups:
        raise ValueError("expected at least one group of runs, got none")
    ax = ax or panel(width=5.2)
    facts = []
    with plt.rc_context(STYLE):
        for (name, curves), (dashes, color) in zip(groups.items(), LINES, strict=False):
            curves = np.stack([_moving_mean(array(curve), smooth) for curve in curves])
            steps = np.arange(smooth, smooth + curves.shape[1])
            draw_runs(ax, name, [(steps, curve) for curve in curves], dashes, color)
            ends = np.sort(curves[:, -1])
            spread = (
                f"{ends[0]:.3g} to {ends[-1]:.3g} in {len(ends)} runs" if len(ends) > 1 else f"{ends[0]:.3g}"
            )
            facts.append(f"{name}: at step {steps[-1]} {spread}.")
        ax.set(xlabel="step", ylabel=ylabel, title=title)
        ax.grid(color="0.9")
        ax.legend(frameon=False)
    return describe(ax, say_list([f"{title or ylabel}.", *facts], " "))


def draw_runs(
    ax: Axes, label: str, curves: Sequence[tuple[np.ndarray, np.ndarray]], dashes: str, color: str
) -> tuple[np.ndarray, np.ndarray]:
    """Draw curves (steps, values) thin below their median, or one alone; returns the thick line's points."""
    if len(curves) > 1:
        for x, y in curves:
            ax.plot(x, y, dashes, color=color, linewidth=0.8, alpha=0.55)
    steps, values = _median(curves) if len(curves) > 1 else curves[0]
    ax.plot(steps, values, dashes, color=color, linewidth=2.2, label=label)
    return steps, values


def _moving_mean(values: np.ndarray, width: int) -> np.ndarray:
    return np.convolve(values, np.full(width, 1 / width), mode="valid")


def _median(curves: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Steps and median losses where all curves exist; a curve without that very step is interpolated."""
    first, last = max(x[0] for x, _ in curves), min(x[-1] for x, _ in curves)
    if first > last:
        raise ValueError(f"the runs have no steps in common: one starts at {first}, another ends at {last}")
    steps = np.unique(np.concatenate([x for x, _ in curves]))
    steps = steps[(first <= steps) & (steps <= last)]
    return steps, np.median([np.interp(steps, x, y) for x, y in curves], axis=0)
