"""One quantity of several training runs: a thin line for each seed, and their median."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from .figure import LINES, STYLE, array, panels


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
    ax = panels(1, width=5.2)[0] if ax is None else ax
    facts = []
    with plt.rc_context(STYLE):
        for (name, curves), (dashes, color) in zip(groups.items(), LINES, strict=False):
            curves = np.stack([_moving_mean(array(curve), smooth) for curve in curves])
            steps = np.arange(smooth, smooth + curves.shape[1])
            for curve in curves:
                ax.plot(steps, curve, dashes, color=color, linewidth=0.8, alpha=0.55)
            ax.plot(steps, np.median(curves, axis=0), dashes, color=color, linewidth=2.2, label=name)
            ends = np.sort(curves[:, -1])
            spread = (
                f"{ends[0]:.3g} to {ends[-1]:.3g} in {len(ends)} runs" if len(ends) > 1 else f"{ends[0]:.3g}"
            )
            facts.append(f"{name}: at step {steps[-1]} {spread}.")
        ax.set(xlabel="step", ylabel=ylabel, title=title)
        ax.grid(color="0.9")
        ax.legend(frameon=False)
    ax.alt = f"{title or ylabel}. {' '.join(facts)}"
    return ax


def _moving_mean(values: np.ndarray, width: int) -> np.ndarray:
    return np.convolve(values, np.full(width, 1 / width), mode="valid")
