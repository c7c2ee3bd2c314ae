"""Sentences of one batch with the padding that fills them up, and the mask that tells them apart."""

from collections.abc import Sequence

from torch import Tensor

from course_lib.language import say_list
from course_lib.plots.figure import array

from .layout import Column, Head, Label, Part, Table
from .palette import INK, PAPER, QUIET, SMALL, STEP, shape, tint
from .sheet import Sheet
from .signs import Cells


def real_words(sentences: Sequence[Sequence[str]], mask: Tensor) -> Sheet:
    """A mask (batch, seq), True where a sentence has a word, beside the words; False is hatched.

    Raises ValueError where the mask has another number of True than its sentence has words.
    """
    seen = array(mask).astype(bool)
    counts = seen.sum(axis=1).tolist()
    if counts != [len(sentence) for sentence in sentences]:
        raise ValueError(f"mask: {counts} are True for {[len(s) for s in sentences]} words")
    words = [iter(sentence) for sentence in sentences]
    rows = [[next(words[i]) if yes else "pad" for yes in row] for i, row in enumerate(seen)]
    fills = [[tint("source", 0.2) if yes else PAPER for yes in row] for row in seen]
    inks = [[INK if yes else QUIET for yes in row] for row in seen]
    written = [[str(bool(yes)) for yes in row] for row in seen]
    size, step = seen.shape[1], 24
    heads: list[Part | None] = [
        Head("words and padding", f"{len(rows)} sentences, {size} places", align=0),
        Head("mask", shape(mask), align=0),
        Head("real words", f"of {size} places", align=0),
    ]
    blocks: list[Part | None] = [
        Cells(rows, "source", seen, (0, step)),
        Cells(written, "source", cell=(0, step), fills=fills, inks=inks),
        Column(*(Label(str(count), SMALL) for count in counts), gap=step - SMALL),
    ]
    said = [f"{' '.join(s)}: {n} of {size} places are words." for s, n in zip(sentences, counts, strict=True)]
    return Sheet(
        Table([heads, blocks], gap=(4 * STEP, 1.5 * STEP), align=[0, 0, 0.5]),
        "A mask tells words from padding",
        alt=say_list(
            [
                f"A batch of {len(rows)} sentences and its mask {shape(mask)}, True at words.",
                *said,
                "The other places are padding, and False.",
            ],
            " ",
        ),
    )
