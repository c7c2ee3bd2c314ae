"""Skip-gram: the window that slides over a sentence, and how its pairs pull and push."""

from collections.abc import Sequence

import numpy as np
from matplotlib.patches import Rectangle
from torch import Tensor

from course_lib.language import say_heading, say_list
from course_lib.plots.figure import array

from .layout import Column, Head, Label, Part, Table, text_width
from .palette import BODY, INK, PAPER, QUIET, SMALL, STEP, number, tint
from .sheet import Sheet
from .signs import Cells

FILL = {"center": tint(None, 0.85), "neighbor": tint(None, 0.16), "": PAPER}
WRITE = {"center": "white", "neighbor": INK, "": QUIET}


def sliding_window(words: Sequence[str], window: int) -> Sheet:
    """A row for each center: the words at most `window` places away are its neighbors."""
    width, places = max(text_width(word, SMALL) for word in words) + 12, range(len(words))
    near = [[j for j in places if 0 < abs(j - i) <= window] for i in places]
    strips, lines, said = [], [], []
    for i, center in enumerate(words):
        kinds = ["center" if j == i else "neighbor" if j in near[i] else "" for j in places]
        fills, inks = [[[colors[kind] for kind in kinds]] for colors in (FILL, WRITE)]
        strips.append(Cells([list(words)], cell=(width, 22), fills=fills, inks=inks).named(center))
        pairs = "   ".join(f"({center}, {words[j]})" for j in near[i])
        lines.append([strips[-1], Label(pairs, SMALL, align="left")])
        said.append(f"{center}: {', '.join(words[j] for j in near[i])}.")
    count = sum(map(len, near))
    heads = [
        Label(f"dark: the center; framed: the window of {window} to each side", SMALL, QUIET),
        Label(f"{count} pairs (center, neighbor)", SMALL, QUIET),
    ]
    sheet = Sheet(
        Table([heads, *lines], gap=(3 * STEP, STEP), align=0),
        "The window slides over the sentence",
        alt=(
            f"Skip-gram with window {window} on “{' '.join(words)}”: {count} pairs, center: neighbors. "
            + " ".join(said)
        ),
    )
    for i, strip in enumerate(strips):
        start, end = strip.cell(0, min([i, *near[i]])), strip.cell(0, max([i, *near[i]]))
        corner, size = (start.x, start.y), (end.x + end.width - start.x, start.height)
        sheet.add(Rectangle(corner, *size, fc="none", ec=INK, lw=2, zorder=6))
    return sheet


def pull_and_push(center: Tensor, context: Tensor, negatives: Tensor, words: Sequence[str]) -> Sheet:
    """How one step moves a center: to its neighbor, and away from the words drawn by chance.

    center, context (d_model,), negatives (k, d_model); words: the center, its neighbor, the negatives. A
    move is minus the loss's gradient by the center: (1 - σ) times the neighbor's vector, or -σ times the
    negative's.
    """
    others = np.concatenate([array(context)[None], array(negatives)])
    scores = others @ array(center)
    likely = 1 / (1 + np.exp(-scores))
    moves = (np.eye(1, len(others))[0] - likely)[:, None] * others
    lines: list[list[Part | None]] = [
        [
            Head("second word", "of the pair"),
            Head("its vector", f"({len(others[0])},)"),
            Head("score", f"· {words[0]}"),
            Head("σ(score)", "is it a neighbor?"),
            Head("it should be", "in the text or drawn"),
            Head("the center moves by", "(should be − σ) × vector"),
        ]
    ]
    told = []
    for i, (word, vector) in enumerate(zip(words[1:], others, strict=True)):
        kind = say_heading("neighbor") if i == 0 else "drawn by chance"
        way = say_heading("nearer") if i == 0 else say_heading("away")
        name = Column(Label(word, BODY, bold=i == 0), Label(kind, SMALL, QUIET), gap=5)
        cells = Cells([[number(x) for x in vector]], cell=(34, 22), strength=0.16 if i == 0 else 0.04)
        step = [f"{x + 0:.2f}".replace("-", "−") for x in moves[i]]
        shown = Cells([step], cell=(48, 22), strength=0.04)
        move = Column(Label(way, SMALL, INK, bold=i == 0), shown, gap=5)
        score, chance = Label(number(scores[i])), Label(f"{likely[i]:.2f}")
        lines.append([name, cells, score, chance, Label("1" if i == 0 else "0"), move])
        told.append(
            f"“{word}”, {kind}: score {number(scores[i])}, σ {likely[i]:.2f}, {way} by ({', '.join(step)})."
        )
    where = ", ".join(number(x) for x in array(center))
    return Sheet(
        Table(lines, gap=(2.5 * STEP, 1.5 * STEP)),
        f"Pull and push at learning rate 1: the center “{words[0]}” is ({where})",
        alt=say_list([f"Negative sampling for the center “{words[0]}” ({where}).", *told], " "),
    )
