"""Beam search as a tree: what is continued, what is dropped, and where greedy decoding ends up."""

import math
from collections.abc import Mapping

from course_lib.language import say_heading, say_list

from .layout import Column, Heading, Label, Part, Point, Row, Space
from .palette import INK, LINE, QUIET, SMALL, STEP
from .sheet import Sheet
from .signs import Cells, Ghost

Ids = tuple[int, ...]
Chances = Mapping[Ids, Mapping[int, float]]
EOS = 2
SPECIALS = {1: "<bos>", EOS: "<eos>"}
NODE = 52
ROUNDS = 30


class _Search:
    """What a beam search over the table does: who was reached, who stayed, who wins, and the greedy one."""

    def __init__(self, table: Chances, beam: int) -> None:
        self.total: dict[Ids, float] = {(): 1.0}
        self.kept: set[Ids] = set()
        running: list[Ids] = [()]
        for _ in range(ROUNDS):
            reached: dict[Ids, float] = {}
            for ids in running:
                likeliest = sorted(table[ids], key=table[ids].__getitem__, reverse=True)[:beam]
                reached |= {(*ids, word): self.total[ids] * table[ids][word] for word in likeliest}
            self.total |= reached
            best = sorted(reached, key=reached.__getitem__, reverse=True)[:beam]
            self.kept |= set(best)
            running = [ids for ids in best if ids[-1] != EOS]
            if not running:
                break
        ends = [ids for ids in self.kept if ids[-1] == EOS] or running
        self.best = max(ends, key=lambda ids: math.log(self.total[ids]) / len(ids))
        self.greedy: Ids = ()
        while self.greedy[-1:] != (EOS,):
            chances = table[self.greedy]
            self.greedy = (*self.greedy, max(chances, key=chances.__getitem__))
        self.probability = math.prod(table[self.greedy[:i]][word] for i, word in enumerate(self.greedy))


def beam_tree(table: Chances, beam: int = 2, names: Mapping[int, str] | None = None) -> Sheet:
    """table: what is written so far (ids) -> the next words with their probabilities; 2 is the end.

    names: words by id, where ids are not enough. A hypothesis is dropped where the beam is full.
    """
    named = SPECIALS | dict(names or {})
    found = _Search(table, beam)
    nodes: dict[Ids, Part] = {}

    def word(index: int) -> str:
        return named.get(index, str(index))

    def written(ids: Ids) -> str:
        return " ".join(map(word, ids))

    def subtree(ids: Ids) -> Part:
        stays, winner = ids in found.kept or not ids, ids == found.best[: len(ids)]
        drawn = Cells(
            [[word(ids[-1] if ids else 1)]], "target", cell=(NODE, 22), strength=0.34 if winner else 0.1
        )
        node = drawn if stays else Ghost(word(ids[-1]), drawn.width, drawn.height)
        nodes[ids] = node.named(written(ids) or "<bos>")
        value = Label(f"{found.total[ids]:.2f}", SMALL, INK if stays else QUIET, bold=ids[-1:] == (EOS,))
        shown = Column(Space(0, SMALL), node, value, gap=4)
        below = [(*ids, index) for index in table.get(ids, {}) if (*ids, index) in found.total]
        children = Column(*(subtree(each) for each in below), gap=1.5 * STEP, align=0) if below else None
        return Row(shown, children, gap=7 * STEP) if children else shown

    tree = subtree(())
    rounds = max(map(len, found.total))
    heads = [Label(f"round {i}" if i else "", SMALL, QUIET, width=NODE) for i in range(rounds + 1)]
    ends = {
        "greedy decoding": (found.greedy, found.probability),
        f"beam {beam}": (found.best, found.total[found.best]),
    }
    kept, dropped = say_heading("kept"), say_heading("dropped")
    said = [f"{name} ends with {written(ids)}: {chance:.2f}" for name, (ids, chance) in ends.items()]
    lines = Column(*(Label(line, align="left") for line in said), gap=STEP, align=0)
    sheet = Sheet(
        Column(Row(*heads, gap=7 * STEP), tree, lines, _legend(), gap=2 * STEP, align=0),
        f"Beam search keeps {beam} hypotheses",
        alt=say_list(
            [
                f"A tree of hypotheses, beam {beam}.",
                *(f"In the end {line}." for line in said),
                *(
                    f"{written(ids)}: {chance:.2f}, {kept if ids in found.kept else dropped}."
                    for ids, chance in found.total.items()
                    if ids
                ),
            ],
            " ",
        ),
    )
    for ids, node in nodes.items():
        if ids:
            style = _style(ids in found.kept, ids == found.best[: len(ids)])
            _branch(sheet, nodes[ids[:-1]], node, table[ids[:-1]][ids[-1]], style)
    return sheet


def _style(stays: bool, winner: bool) -> dict:
    style = {"role": "target"} if stays else {"role": "mask", "dashed": True, "order": 1.5}
    return {**style, "weight": 2.2 if winner else LINE}


def _branch(sheet: Sheet, parent: Part, node: Part, chance: float, style: dict) -> None:
    middle = parent.right.x + 2 * STEP
    path = parent.right, Point(middle, parent.right.y), Point(middle, node.left.y), node.left
    sheet.arrow(*path, **style)
    side = STEP if node.left.y > parent.right.y + 1 else -STEP  # outside of the bend
    sheet.text(node.left.x - STEP, node.left.y + side, f"× {chance:g}", SMALL, QUIET, align="right")


def _legend() -> Row:
    signs = {
        "the best in the end": Cells([[""]], "target", cell=(18, 12), strength=0.34),
        "kept": Cells([[""]], "target", cell=(18, 12), strength=0.1),
        "dropped": Ghost("", 18, 12),
    }
    return Row(*(Row(sign, Heading(name, SMALL, QUIET), gap=6) for name, sign in signs.items()), gap=3 * STEP)
