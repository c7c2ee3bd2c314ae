"""Bars of how often something happened, of how many times."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from course_lib.language import say_list

from .figure import DARK, LIGHT, STYLE, describe, panel


def share_bars(
    counts: Mapping[str, tuple[int, int]], xlabel: str, ax: Axes | None = None, title: str | None = None
) -> Axes:
    """A bar for each name, from 0 to 100 percent, as {"games": (1, 20)}: 1 of 20."""
    if not counts or any(total < 1 or not 0 <= count <= total for count, total in counts.values()):
        raise ValueError(f"counts: expected at least one (count, total), 0 <= count <= total, got {counts}")
    ax = ax or panel(width=6.5, height=1 + 0.34 * len(counts))
    with plt.rc_context(STYLE):
        for y, (count, total) in enumerate(counts.values()):
            filled_bar(ax, y, 100 * count / total, 100)
            ax.text(101, y, f"{count} of {total}", va="center", ha="left")
        ax.set_yticks(range(len(counts)), list(counts))
        ax.set(xlim=(0, 100), ylim=(len(counts) - 0.4, -0.6), xlabel=xlabel, title=title)
        ax.tick_params(axis="y", length=0)
    rows = say_list(f"{name}: {count} of {total}" for name, (count, total) in counts.items())
    return describe(ax, say_list([f"{title or xlabel}.", f"{rows}."], " "))


def filled_bar(ax: Axes, y: float, filled: float, whole: float) -> None:
    """An outline from 0 to `whole`, dark as far as `filled`."""
    ax.barh(y, whole, color="none", edgecolor=LIGHT, height=0.7, linewidth=0.6)
    ax.barh(y, filled, color=DARK, height=0.7)
