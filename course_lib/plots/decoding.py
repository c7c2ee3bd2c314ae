"""Decoding step by step: what has been written, where the decoder looks, and the likeliest next words."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from torch import Tensor

from course_lib.language import say_list

from .figure import DARK, LIGHT, STYLE, WEIGHTS, array, describe, grid, ink, short

BEGIN = "<bos>"
CANDIDATES = 4
HEADERS = ("generated so far", "cross-attention over the source", "candidates for the next word")
MAX_SOURCE = 14  # words; in longer sentences the weights would be too small to read


@dataclass(frozen=True)
class Decoding:
    """How one sentence was written: step t (from 1) reads <bos> and the t - 1 words before, and writes one.

    Shapes: source and target are words (target usually ends with <eos>, which is written too); weights
    (target, source), of one layer and head or their mean; probabilities (target, vocab) of the next word;
    vocabulary, the words by id.
    """

    source: Sequence[str]
    target: Sequence[str]
    weights: Tensor
    probabilities: Tensor
    vocabulary: Sequence[str]

    def __post_init__(self) -> None:
        for name, columns in (("weights", self.source), ("probabilities", self.vocabulary)):
            tensor, expected = getattr(self, name), (len(self.target), len(columns))
            if tuple(tensor.shape) != expected:
                raise ValueError(f"{name}: expected {expected}, got {tuple(tensor.shape)}")
        sums = self.probabilities.sum(dim=-1)
        if (self.probabilities < 0).any() or ((sums - 1).abs() > 1e-3).any():
            low, high = float(sums.min()), float(sums.max())
            raise ValueError(
                f"probabilities: expected rows of positive numbers that sum to 1 (softmax of the logits), "
                f"got sums from {low:.3g} to {high:.3g}"
            )
        missing = sorted(set(self.target) - set(self.vocabulary))
        if missing:
            raise ValueError(f"target words that are not in the vocabulary: {', '.join(missing)}")

    def generated(self, step: int) -> list[str]:
        """What the decoder reads at this step."""
        return [BEGIN, *self.target[: step - 1]]

    def candidates(self, step: int, count: int = CANDIDATES) -> dict[str, float]:
        """The likeliest next words with their probabilities; the word that was written is among them."""
        row = array(self.probabilities[step - 1])
        best: list[int] = np.argsort(-row, kind="stable")[:count].tolist()
        written = list(self.vocabulary).index(self.target[step - 1])
        if written not in best:
            best[-1] = written
        return {self.vocabulary[i]: float(row[i]) for i in best}


def decoding_steps(decoding: Decoding, steps: Iterable[int] | None = None) -> np.ndarray:
    """A row for each step (all, or the given numbers from 1), in a new figure: axes `(steps, 3)`."""
    numbers = list(range(1, len(decoding.target) + 1) if steps is None else steps)
    if not numbers or not set(numbers) <= set(range(1, len(decoding.target) + 1)):
        raise ValueError(f"steps: expected some of 1 ... {len(decoding.target)}, got {numbers}")
    middle = max(2.8, 0.55 * min(len(decoding.source), MAX_SOURCE))
    widths = (2.3, middle, 2.6)
    size = (sum(widths) + 0.4, 0.85 * len(numbers) + 1.1)
    axes = grid(len(numbers), 3, size, gridspec_kw={"width_ratios": widths})
    with plt.rc_context(STYLE):
        for row, step in zip(axes, numbers, strict=True):
            last = step == numbers[-1]
            _draw_generated(row[0], decoding, step)
            _draw_weights(row[1], decoding, step, last)
            _draw_candidates(row[2], decoding, step, last)
            describe(row[0], _describe_step(decoding, step))
        for ax, header in zip(axes[0], HEADERS, strict=True):
            ax.set_title(header, fontsize=10)
    sentence = " ".join(decoding.source)
    first_step = _describe_step(decoding, numbers[0])
    describe(axes[0, 0], say_list([f"Decoding '{sentence}' step by step.", first_step], " "))
    return axes


def _draw_generated(ax: Axes, decoding: Decoding, step: int) -> None:
    words = textwrap.wrap(" ".join(decoding.generated(step)), width=18)
    text = "\n".join(words if len(words) <= 3 else ["…", *words[-2:]])
    ax.set_axis_off()
    ax.text(0, 0.5, f"{step}", transform=ax.transAxes, va="center", color="0.35", fontsize=9)
    ax.text(0.14, 0.5, text, transform=ax.transAxes, va="center")


def _draw_weights(ax: Axes, decoding: Decoding, step: int, labelled: bool) -> None:
    row = array(decoding.weights[step - 1])
    ax.imshow(row[None], vmin=0, vmax=1, cmap=WEIGHTS, aspect="auto")
    if len(row) <= MAX_SOURCE:
        for column, weight in enumerate(row):
            ax.text(column, 0, short(weight), ha="center", va="center", fontsize=8, color=ink(weight))
    ax.spines[:].set_visible(False)
    ax.set_yticks([])
    words = decoding.source if labelled else []
    ax.set_xticks(range(len(words)), words, rotation=45, ha="right", rotation_mode="anchor")


def _draw_candidates(ax: Axes, decoding: Decoding, step: int, labelled: bool) -> None:
    candidates = decoding.candidates(step)
    written = decoding.target[step - 1]
    rows = range(len(candidates))
    colors = [DARK if word == written else LIGHT for word in candidates]
    ax.barh(rows, list(candidates.values()), color=colors, height=0.75)
    for row, probability in zip(rows, candidates.values(), strict=True):
        ax.text(probability + 0.02, row, short(probability), va="center", fontsize=8)
    ax.set_yticks(rows, candidates, fontsize=9)
    ax.set(xlim=(0, 1.2), ylim=(len(candidates) - 0.5, -0.5), xticks=(0, 0.5, 1))
    ax.tick_params(left=False, bottom=labelled, labelbottom=labelled)
    if labelled:
        ax.set_xlabel("probability (dark: the word written)")


def _describe_step(decoding: Decoding, step: int) -> str:
    row = array(decoding.weights[step - 1])
    word = decoding.target[step - 1]
    probability = decoding.candidates(step)[word]
    return (
        f"Step {step}: after {' '.join(decoding.generated(step))} it looks most at "
        f"{decoding.source[int(row.argmax())]} ({row.max():.2f}) "
        f"and writes {word} (probability {probability:.2f})."
    )
