"""Bars of how often each mistake was made, by exercise."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from course_lib.language import listed, say_heading, say_list

from .figure import DARK, STYLE, describe, panel
from .shares import filled_bar

WIDTH = 58  # columns of a label
HANZI = re.compile("[\u3000-\u9fff\uff00-\uffef]")
WORD_OR_HANZI = re.compile(rf"\s*(?:{HANZI.pattern}|[^\s\u3000-\u9fff\uff00-\uffef]+)")


def mistake_bars(
    groups: Mapping[str, Sequence[tuple[str, int]]],
    total: int,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """By exercise, as {"softmax: 3 of 9 right": [("S1: Sum along dim=-1.", 4), ...]}; `total` fills a bar."""
    if not groups:
        raise ValueError("groups: expected at least one exercise, got none")
    rows = sum(1 + max(len(bars), 1) for bars in groups.values())
    ax = ax or panel(width=9.5, height=0.9 + 0.32 * rows)
    names, y = {}, 0
    with plt.rc_context(STYLE):
        for head, bars in groups.items():
            ax.text(0, y, head, va="center", ha="left", color=DARK)
            for label, count in bars or [("no mistakes", 0)]:
                y += 1
                # Matplotlib would read what stands between two dollars as a formula.
                names[y] = _shortened(label).replace("$", r"\$")
                _bar(ax, y, count, total)
            y += 1
        ax.set_yticks(list(names), list(names.values()))
        ax.set(xlim=(0, max(total, 1)), ylim=(y - 0.4, -0.7), xlabel=f"submissions, of {total}", title=title)
        ax.tick_params(axis="y", length=0)
        ax.locator_params(axis="x", integer=True)
    return describe(ax, _describe(groups, total, title))


def _shortened(text: str) -> str:
    """At most WIDTH columns, of which a hanzi takes two; cut between words or hanzi."""
    pieces = WORD_OR_HANZI.findall(text)
    ends = list(accumulate(len(piece) + bool(HANZI.search(piece)) for piece in pieces))
    if not ends or ends[-1] <= WIDTH:
        return text
    return "".join(pieces[: bisect_right(ends, WIDTH - 2)]) + " …"


def _bar(ax: Axes, y: int, count: int, total: int) -> None:
    filled_bar(ax, y, count, total)
    ax.text(count, y, f" {count}", va="center", ha="left")


def _describe(groups: Mapping[str, Sequence[tuple[str, int]]], total: int, title: str | None) -> str:
    ranked = sorted(
        ((count, label, head) for head, bars in groups.items() for label, count in bars),
        key=lambda one: -one[0],
    )
    if not ranked:
        most = "No mistakes."
    else:
        count, label, head = ranked[0]
        exercise = re.split("[:：]", head)[0]
        most = f"The most frequent, in {count} of {total} submissions, in {exercise}: {label}"
    name, heads = title or say_heading("Mistakes"), listed(groups, "; ")
    return say_list([f"{name}, by exercise: {heads}.", most], " ")
