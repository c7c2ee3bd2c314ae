"""A map of which numbers of a padded batch share one mean and one variance."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from .figure import DARK, STYLE, describe, panel

SHARING = {
    "layer": "LayerNorm: one mean and one variance for each token, here token {token} of sentence {sentence}",
    "batch": "BatchNorm: one mean and one variance for each feature, here feature {feature}",
}


def norm_axes(
    lengths: Sequence[int],
    d_model: int,
    kind: str,
    at: tuple[int, int, int] = (0, 0, 0),
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """A batch of sentences of these lengths, a row a token and a column a feature, padding hatched.

    The numbers that normalize the one `at` (sentence, token, feature) are dark: its row for kind "layer",
    its column for kind "batch".
    """
    if kind not in SHARING:
        raise ValueError(f"kind: expected one of {tuple(SHARING)}, got {kind!r}")
    longest, (sentence, token, feature) = max(lengths), at
    ax = ax or panel(width=3.6, height=0.5 + 0.22 * longest * len(lengths))
    real = np.array([[place < length for place in range(longest)] for length in lengths])
    with plt.rc_context(STYLE):
        for row in range(real.size):
            chosen = row == sentence * longest + token
            for column in range(d_model):
                dark = chosen if kind == "layer" else column == feature
                ax.add_patch(_cell(row, column, longest, dark, bool(real.flat[row])))
        ticks = [(longest + 1) * number + longest / 2 - 0.5 for number in range(len(lengths))]
        ax.set_yticks(ticks, [f"sentence {number}" for number in range(len(lengths))])
        ax.set_xticks(range(d_model))
        ax.set(xlim=(-0.5, d_model - 0.5), ylim=((longest + 1) * len(lengths) - 1.5, -0.5))
        ax.set(xlabel="feature", ylabel="tokens of the batch", title=title)
        ax.tick_params(length=0)
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)
    shared = np.ones(1, bool) if kind == "layer" else real.ravel()
    numbers = d_model if kind == "layer" else shared.size
    padding = "" if kind == "layer" else f", {np.count_nonzero(~shared)} of them padding"
    what = SHARING[kind].format(sentence=sentence, token=token, feature=feature)
    return describe(ax, f"{what}: they are taken over {numbers} numbers{padding}.")


def _cell(row: int, column: int, longest: int, dark: bool, real: bool) -> Rectangle:
    """A small square; sentences have a gap between them."""
    top = row + row // longest  # one empty row after each sentence
    return Rectangle(
        (column - 0.45, top - 0.45),
        0.9,
        0.9,
        facecolor=DARK if dark else "0.92",
        edgecolor="0.55" if not dark else "white",
        hatch=None if real else "////",
        linewidth=0.5,
    )
