"""What a decoder without a cache computes again at each step, and what is left with one."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

from course_lib.language import say_heading, say_list

from .layout import Column, Head, Label, Part, Row, Space
from .palette import BODY, HEADING, INK, PAPER, QUIET, SMALL, STEP, tint
from .sheet import Sheet
from .signs import Cells

CELL = 24
TEXT = AGAIN, NEW, KEPT = "again", "new", "kept"  # which are said


def repeated_work(keys: Sequence[Tensor], words: Sequence[str]) -> Sheet:
    """The keys that a layer computes in each pass, without a cache and with one.

    keys: of each pass, for its words, `(..., seq, d_k)`: each pass reads the words of the one before and one
    more, or several. A key is called repeated where it equals that of the pass before.
    """
    lengths = [key.shape[-2] for key in keys]
    if lengths != sorted(set(lengths)) or lengths[-1] != len(words):
        raise ValueError(f"passes over {lengths} of {len(words)} words: expected longer and longer ones")
    again = [torch.zeros(lengths[0], dtype=torch.bool)]
    for before, key in pairwise(keys):
        old = before.shape[-2]
        same = (key[..., :old, :] - before).abs().flatten(0, -3).amax(dim=(0, 2)) < 1e-5
        again.append(torch.cat([same, torch.zeros(key.shape[-2] - old, dtype=torch.bool)]))
    total, repeated = sum(lengths), int(sum(row.sum() for row in again))
    names = [f"pass {number}" for number in range(1, len(keys) + 1)]
    without = [[AGAIN if one else NEW for one in row] for row in again]
    cached = [[KEPT if one else NEW for one in row] for row in again]
    blocks = [
        _block("without a cache", f"{total} keys computed, {repeated} of them again", without, words, names),
        _block("with a cache", f"{total - repeated} keys computed", cached, words, names),
    ]
    return Sheet(
        Row(*blocks, gap=5 * STEP, align=0),
        "Which keys each pass computes",
        alt=say_list(
            [
                f"{len(keys)} passes over {', '.join(map(str, lengths))} words.",
                f"Without a cache they compute {total} keys, and {repeated} of these are equal to keys of "
                "the pass before: a triangle of repeated work.",
                f"With a cache they compute {total - repeated}: the first {lengths[0]} in the first pass, "
                "then one for each new word.",
            ],
            " ",
        ),
    )


def _block(
    name: str, detail: str, marks: Sequence[Sequence[str]], words: Sequence[str], names: Sequence[str]
) -> Part:
    rows = [[*row, *[""] * (len(words) - len(row))] for row in marks]
    colors = {NEW: tint("key", 0.34), AGAIN: tint("query", 0.2), KEPT: PAPER, "": PAPER}
    width = max(CELL, *(Cells([[word]], size=SMALL).width for word in (*words, say_heading(AGAIN))))
    cells = Cells(
        [[say_heading(mark) for mark in row] for row in rows],
        "key",
        cell=(width, CELL),
        fills=[[colors[mark] for mark in row] for row in rows],
        inks=[[QUIET if mark == KEPT else INK for mark in row] for row in rows],
    ).named(name)
    over = Row(*(Label(word, SMALL, width=width) for word in words), gap=0)
    edge = Space(0, (CELL - SMALL) / 2)
    left = Column(*(Column(edge, Label(name, SMALL, QUIET), edge, gap=0) for name in names), gap=0, align=1)
    head = Head(name, detail, align=0, size=HEADING, small=BODY)
    return Column(head, Row(left, Column(over, cells, gap=6), gap=8, align=1), gap=1.5 * STEP, align=0)
