"""Words are cut into pieces: the most frequent pair of neighbors is joined, again and again."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from course_lib.language import say_list

from .layout import Column, Heading, Label, Part, Table
from .palette import BODY, INK, QUIET, SMALL, STEP, tint
from .sheet import Sheet
from .signs import Cells

Pieces = tuple[str, ...]


def byte_pairs(counts: Mapping[str, int], merges: int, new: Sequence[str] = ()) -> Sheet:
    """The first merges of byte-pair encoding (Sennrich et al. 2016) on words that were counted so often.

    The words of `new` are not counted, and cut by the same merges. Of pairs that are equally frequent the one
    that is met first is joined. Unlike the paper's, the last letter of a word has no sign. Raises ValueError
    if there are fewer merges.
    """
    words: dict[str, Pieces] = {word: tuple(word) for word in (*counts, *new)}
    rows: list[list[Part | None]] = [[Heading("start", BODY, bold=True), None, *map(_cells, words.values())]]
    said = []
    for number in range(1, merges + 1):
        pairs: Counter[tuple[str, str]] = Counter()
        for word, count in counts.items():
            for pair in pairwise(words[word]):
                pairs[pair] += count
        if not pairs:
            raise ValueError(f"{merges} merges: after {number - 1} every word is one piece")
        (left, right), times = pairs.most_common(1)[0]
        joined = {word: _joined(pieces, left, right) for word, pieces in words.items()}
        fresh = [left + right if joined[word] != words[word] else None for word in words]
        words = joined
        cells = map(_cells, words.values(), fresh)
        rows.append([Label(f"{left} + {right}", BODY, bold=True), Label(f"{times:,}", SMALL, QUIET), *cells])
        said.append(f"{left} + {right} ({times:,})")
    heads: list[Part | None] = [
        Heading("joined", SMALL, QUIET),
        Heading("times", SMALL, QUIET),
    ]
    heads += [_head(word, f"{count:,} times") for word, count in counts.items()]
    heads += [_head(word, "never counted") for word in new]
    told = [
        f"{merges} merges of byte-pair encoding, with how often each pair stands in the words that are "
        f"counted: {', '.join(said)}.",
        f"In the end the pieces are {', '.join(map(' '.join, words.values()))}.",
    ]
    told += [f"Never counted: {', '.join(new)}."] if new else []
    return Sheet(
        Table([heads, *rows], gap=(2 * STEP, STEP), align=[0, 1, *[0] * len(words)]),
        "The most frequent pair of neighbors becomes one piece",
        alt=say_list(told, " "),
    )


def _joined(pieces: Pieces, left: str, right: str) -> Pieces:
    """The pieces with every right one joined to the left one before it, from left to right."""
    found: list[str] = []
    for piece in pieces:
        if piece == right and found and found[-1] == left:
            found[-1] += piece
        else:
            found.append(piece)
    return tuple(found)


def _cells(pieces: Pieces, fresh: str | None = None) -> Cells:
    """Dark is the piece that has just come; quiet letters are those of a word in which nothing is joined."""
    fills = [[tint("source", 0.3 if piece == fresh else 0.06) for piece in pieces]]
    inks = [[INK if fresh else QUIET for _ in pieces]]
    return Cells([list(pieces)], "source", cell=(18, 20), fills=fills, inks=inks)


def _head(word: str, detail: str) -> Column:
    return Column(Label(word, BODY, bold=True), Label(detail, SMALL, QUIET), gap=6, align=0)
