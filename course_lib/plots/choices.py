"""Which words may come next, and what temperature, top-k or top-p have made of their chances."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from course_lib.language import say_list

from .figure import DARK, STYLE, Numbers, array, describe, panel


def choice_bars(
    words: Sequence[str], before: Numbers, after: Numbers, ax: Axes | None = None, title: str | None = None
) -> Axes:
    """For each word an outline as long as its chance before, and over it a bar of its chance after.

    A word whose chance is 0 after is hatched: it was removed. `before` and `after` are probabilities.
    """
    before, after = array(before), array(after)
    if not len(words) == len(before) == len(after) > 0:
        raise ValueError(
            f"expected a chance before and after for each word, got {len(words)} words, "
            f"{len(before)} and {len(after)} chances"
        )
    ax = ax or panel(width=6.5, height=1.1 + 0.28 * len(words))
    with plt.rc_context(STYLE):
        for y, (old, new) in enumerate(zip(before, after, strict=True)):
            ax.barh(y, new, color=DARK, height=0.7)
            hatch = "" if new > 0 else "///"
            ax.barh(y, old, color="none", edgecolor="0.45", height=0.7, linewidth=0.8, hatch=hatch)
            ax.text(max(old, new) + 0.01, y, f"{new:.2f}" if new > 0 else "removed", va="center")
        ax.set_yticks(range(len(words)), list(words))
        ax.set(xlim=(0, 1.15), ylim=(len(words) - 0.4, -0.6), title=title)
        ax.set(xlabel="probability (outline: as the model gave it)", xticks=[0, 0.25, 0.5, 0.75, 1])
        ax.tick_params(axis="y", length=0)
    rows = say_list(
        f"{word} {old:.2f} to {new:.2f}" if new > 0 else f"{word} {old:.2f}, removed"
        for word, old, new in zip(words, before, after, strict=True)
    )
    name = title or "The next word"
    return describe(ax, say_list([f"{name}.", f"{rows}."], " "))
