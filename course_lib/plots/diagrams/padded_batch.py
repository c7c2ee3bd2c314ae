"""Sentences of different lengths, and the rectangle of ids that holds them."""

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from .layout import Column, Head, Row
from .palette import INK, PAPER, QUIET, STEP, shape, tint
from .sheet import Sheet
from .signs import Cells

SIDE = 24


def padded_batch(sentences: Sequence[Sequence[str]], ids: Tensor) -> Sheet:
    """A batch ids `(batch, seq)`, padded on the right, beside the sentences that it holds."""
    lengths = [len(sentence) for sentence in sentences]
    if len(ids) != len(lengths) or ids.shape[1] < max(lengths):
        raise ValueError(f"ids: {shape(ids)} does not hold {len(lengths)} sentences of {lengths} words")
    real = np.arange(ids.shape[1]) < np.array(lengths)[:, None]
    pads = {int(i) for i in ids.numpy()[~real]}
    words = [Cells([list(s)], "source", cell=(0, SIDE)).named(" ".join(s)) for s in sentences]
    fills = [[tint("source", 0.2) if yes else PAPER for yes in row] for row in real]
    inks = [[INK if yes else QUIET for yes in row] for row in real]
    written = [[str(i) for i in row] for row in ids.tolist()]
    numbers = Cells(written, "source", cell=(SIDE, SIDE), fills=fills, inks=inks).named("ids")
    ragged = Column(*words, gap=0, align=0)
    filled = f"{shape(ids)}, filled up with {', '.join(map(str, sorted(pads)))}" if pads else shape(ids)
    blocks = [
        Column(Head("sentences", "each of its own length", align=0), ragged, gap=1.5 * STEP, align=0),
        Column(Head("ids", filled, align=0), numbers, gap=1.5 * STEP, align=0),
    ]
    sheet = Sheet(
        Row(*blocks, gap=6 * STEP, align=0),
        "A batch is a rectangle",
        alt=(
            f"{len(sentences)} sentences of {', '.join(map(str, lengths))} words become ids {shape(ids)}. "
            f"{int(real.sum())} ids are words and {int((~real).sum())} are padding. "
            + " ".join(f"{' '.join(s)}: {' '.join(row)}." for s, row in zip(sentences, written, strict=True))
        ),
    )
    sheet.arrow(ragged.right.shift(x=STEP), numbers.left.shift(x=-STEP))
    return sheet
