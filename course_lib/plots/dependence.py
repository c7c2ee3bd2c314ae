"""A map of which words an output depends on: yes or no, where an attention map shows how much."""

import itertools
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from course_lib.language import say_list

from .attention import HATCHED
from .figure import DARK, STYLE, array, describe, panel


def dependence_map(
    depends: Tensor, outputs: Sequence[str], inputs: Sequence[str], ax: Axes | None = None, title: str = ""
) -> Axes:
    """A dot where an output word (row) depends on an input word (column); other cells are hatched.

    depends: (outputs, inputs), boolean, or numbers that are 0 where there is no dependence.
    """
    seen = array(depends) != 0
    if seen.shape != (len(outputs), len(inputs)):
        raise ValueError(
            f"depends has shape {seen.shape}, but there are {len(outputs)} outputs and {len(inputs)} inputs"
        )
    ax = ax or panel(width=0.45 * len(inputs) + 1.5, height=0.45 * len(outputs) + 1.2)
    with plt.rc_context(STYLE):
        for row, column in np.argwhere(~seen):
            ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, **HATCHED))
        rows, columns = np.nonzero(seen)
        ax.scatter(columns, rows, s=90, color=DARK)
        ax.set(xlim=(-0.5, len(inputs) - 0.5), ylim=(len(outputs) - 0.5, -0.5), aspect="equal", title=title)
        ax.set_xticks(range(len(inputs)), inputs, rotation=45, ha="right", rotation_mode="anchor")
        ax.set_yticks(range(len(outputs)), outputs)
        ax.set(xlabel="input word", ylabel="output word")
        ax.spines[:].set_visible(False)
    return describe(ax, _describe(seen, outputs, inputs, title))


def _describe(seen: np.ndarray, outputs: Sequence[str], inputs: Sequence[str], title: str) -> str:
    told = (
        [f"{title}.", "Which words an output depends on."] if title else ["Which words an output depends on."]
    )
    if seen.all():
        return say_list([*told, f"Each of {len(outputs)} on all {len(inputs)} inputs."], " ")
    rows = [
        f"{output} on {', '.join(itertools.compress(inputs, row))}" if row.any() else f"{output} on no input"
        for output, row in zip(outputs, seen, strict=True)
    ]
    return say_list([*told, f"{say_list(rows)}."], " ")
