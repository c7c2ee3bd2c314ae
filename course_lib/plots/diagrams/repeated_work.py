"""What a decoder without a cache computes again at each step, and what is left with one."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

from .layout import Column, Label, Part, Row, Space
from .palette import BODY, HEADING, INK, PAPER, QUIET, SMALL, STEP, tint
from .sheet import Sheet
from .signs import Cells

CELL = 24


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
    without = [["again" if one else "new" for one in row] for row in again]
    cached = [["kept" if one else "new" for one in row] for row in again]
    blocks = [
        _block("without a cache", f"{total} keys computed, {repeated} of them again", without, words, names),
        _block("with a cache", f"{total - repeated} keys computed", cached, words, names),
    ]
    return Sheet(
        Row(*blocks, gap=5 * STEP, align=0),
        "Which keys each pass computes",
        alt=(
            f"{len(keys)} passes over {', '.join(map(str, lengths))} words. Without a cache they compute "
            f"{total} keys, and {repeated} of these are equal to keys of the pass before: a triangle of "
            f"repeated work. With a cache they compute {total - repeated}: the first {lengths[0]} in the "
            "first pass, then one for each new word."
        ),
    )


def _block(
    name: str, detail: str, marks: Sequence[Sequence[str]], words: Sequence[str], names: Sequence[str]
) -> Part:
    rows = [[*row, *[""] * (len(words) - len(row))] for row in marks]
    colors = {"new": tint("key", 0.34), "again": tint("query", 0.2), "kept": PAPER, "": PAPER}
    width = max(CELL, *(Cells([[word]], size=SMALL).width for word in (*words, "again")))
    cells = Cells(
        rows,
        "key",
        cell=(width, CELL),
        fills=[[colors[mark] for mark in row] for row in rows],
        inks=[[QUIET if mark == "kept" else INK for mark in row] for row in rows],
    ).named(name)
    over = Row(*(Label(word, SMALL, width=width) for word in words), gap=0)
    edge = Space(0, (CELL - SMALL) / 2)
    left = Column(*(Column(edge, Label(name, SMALL, QUIET), edge, gap=0) for name in names), gap=0, align=1)
    titles = Label(name, HEADING, bold=True, align="left"), Label(detail, BODY, QUIET, align="left")
    head = Column(*titles, gap=7, align=0)
    return Column(head, Row(left, Column(over, cells, gap=6), gap=8, align=1), gap=1.5 * STEP, align=0)
