"""Curves over a common x axis."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from course_lib.language import say_list

from .figure import LINES, STYLE, Numbers, array, describe, panel


def lines(
    x: Numbers,
    curves: Mapping[str, Numbers],
    xlabel: str,
    ylabel: str,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Curves over x, told apart by dash pattern as well as by color; the legend has their names."""
    ax = ax or panel(width=5.2)
    with plt.rc_context(STYLE):
        for number, (name, y) in enumerate(curves.items()):
            dashes, color = LINES[number % len(LINES)]
            ax.plot(array(x), array(y), dashes, color=color, label=name, linewidth=2)
        ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
        ax.grid(color="0.9")
        if len(curves) > 1:
            ax.legend(frameon=False)
    return describe(ax, _describe_lines(ax))


def _describe_lines(ax: Axes) -> str:
    ends = [
        f"{line.get_label()}: from {y[0]:.3g} at {x[0]:.4g} to {y[-1]:.3g} at {x[-1]:.4g}."
        for line in ax.lines
        for x, y in [map(array, line.get_data())]
    ]
    return say_list([f"{ax.get_ylabel()} against {ax.get_xlabel()}.", *ends], " ")
