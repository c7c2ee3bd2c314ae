"""One sentence followed through every layer of a model: a table, made while the model runs."""

import html
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from course_lib.language import say_heading

from .passes import Call, same, watch

HEAD = ("stage", "shape", "what happens", "the vector of the word followed")
SIDES: tuple[str, str] = ("source", "target")
NUMBERS = 4  # of a vector, that are shown


class Stage(NamedTuple):
    """A row of the table; `side` is "source" or "target"."""

    side: str
    name: str
    shape: str
    what: str
    vector: Tensor


@dataclass(frozen=True)
class Trace:
    """The stages of one pass in order, the source's first. It shows itself as a table."""

    stages: Sequence[Stage]
    followed: dict[str, str]

    def _groups(self) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
        for side, word in self.followed.items():
            rows = [(*stage[1:4], numbers(stage.vector)) for stage in self.stages if stage.side == side]
            yield f"the {side}, with the vector of {word}", rows

    def __repr__(self) -> str:
        groups = list(self._groups())
        widths = [max(_width(row[i]) for _, rows in groups for row in [HEAD, *rows]) for i in range(3)]
        lines = [_padded(HEAD, widths)]
        for title, rows in groups:
            lines += ["", title, *(_padded(row, widths) for row in rows)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th scope='col' style='text-align:left'>{say_heading(name)}</th>" for name in HEAD)
        body = ""
        for title, rows in self._groups():
            body += (
                "<tr><th scope='rowgroup' colspan='4' style='text-align:left'>"
                f"{html.escape(say_heading(title))}</th></tr>"
            )
            body += "".join(
                "<tr>"
                + "".join(f"<td style='text-align:left'>{_cell(i, text)}</td>" for i, text in enumerate(row))
                + "</tr>"
                for row in rows
            )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def trace(
    model: nn.Module,
    source: Tensor,
    target: Tensor,
    words: tuple[Sequence[str], Sequence[str]],
    follow: tuple[str, str] | None = None,
) -> Trace:
    """What `model(source, target)` does, stage by stage, and the vector of one word a side at each stage.

    source `(1, source)` and target `(1, target)` are ids; words names them, for each side all words by id.
    follow: a word of the source and a word that the decoder reads; by default the first ones.
    Sums are found, not assumed: a part is given a tensor that nothing returned, but that two others sum to.
    """
    if len(source) != 1 or len(target) != 1:
        raise ValueError(f"one sentence is followed: got batches of {len(source)} and {len(target)}")
    here = [_sentence(source, words[0]), _sentence(target, words[1])]
    places = [_place(sentence, word) for sentence, word in zip(here, follow or (None, None), strict=True)]
    pass_ = _Pass(here, places, words[1])
    pass_.know("the source's ids", "source", source)
    pass_.know("the target's ids", "target", target)
    for call in watch(model, source, target):
        pass_.add(call)
    stages = sorted(pass_.stages, key=lambda stage: stage.side == "target")
    names = (f"{sentence[place]} ({place})" for sentence, place in zip(here, places, strict=True))
    return Trace(stages, dict(zip(SIDES, names, strict=True)))


class _Known(NamedTuple):
    """A tensor that has been seen in the pass."""

    name: str
    side: str
    value: Tensor


class _Pass:
    def __init__(self, words: Sequence[Sequence[str]], places: Sequence[int], vocabulary: Sequence[str]):
        self.words: dict[str, Sequence[str]] = dict(zip(SIDES, words, strict=True))
        self.places: dict[str, int] = dict(zip(SIDES, places, strict=True))
        self.vocabulary = vocabulary
        self.stages: list[Stage] = []
        self.known: list[_Known] = []
        self.last = "source"

    def know(self, name: str, side: str, value: Tensor) -> None:
        self.known.append(_Known(name, side, value))

    def add(self, call: Call) -> None:
        found = [self.look_up(value) for value in call.given]
        if same(call.given[0], call.returned):  # dropout that rests, a norm left out
            return
        side = self.last = found[0].side if found[0] else self.last
        keys = found[1].side if call.crosses and found[1] else side
        if call.returned.dim() >= 3 and call.returned.shape[-2] == len(self.words[side]):
            self.note(side, call.name, call.returned, self.what(call, side, keys))
        self.know(call.name, side, call.returned)

    def note(self, side: str, name: str, value: Tensor, what: str) -> None:
        vector = value[0, ..., self.places[side], :].flatten()
        self.stages.append(Stage(side, name, str(tuple(value.shape)), what, vector))

    def look_up(self, value: Tensor) -> _Known | None:
        """What is known of a tensor. One that is a sum becomes a stage of its own."""
        for known in reversed(self.known):
            if same(known.value, value):
                return known
        for one, other in self.pairs(value):
            if torch.allclose(one.value + other.value, value, atol=1e-6):
                name = f"sum {1 + sum(stage.name.startswith('sum ') for stage in self.stages)}"
                self.note(one.side, name, value, f"{one.name} + {other.name}")
                self.know(name, one.side, value)
                return self.known[-1]
        return None

    def pairs(self, value: Tensor) -> Iterator[tuple[_Known, _Known]]:
        """Terms that may sum to this, the latest first."""
        fits = [known for known in reversed(self.known) if known.value.shape == value.shape]
        fits = [known for known in fits if known.value.is_floating_point()]
        for i, other in enumerate(fits):
            for one in fits[i + 1 :]:
                yield one, other

    def what(self, call: Call, side: str, keys: str) -> str:
        """In a few words, from the numbers that went in and came out."""
        given, place = call.given[0], self.places[side]
        if call.of_ids and not any(each.dim() == 2 for each in call.part.parameters()):
            return "ids become vectors"
        if call.of_ids:
            return _embedded(call, int(given[0, place]))
        if call.weights is not None:
            return self.attended(call.weights, place, keys)
        if len(call.given) > 1:
            return "reads other words, and does not return its weights"
        if call.returned.shape != given.shape:
            row = call.returned[0, place]
            best = self.vocabulary[int(row.argmax())] if len(row) == len(self.vocabulary) else ""
            likeliest = f"; the largest is that of {best}" if best else ""
            return f"a number for each of {len(row)} words{likeliest}"
        if call.normalizes:
            return _added(call, place) or _normalized(given[0, place], call.returned[0, place])
        return _added(call, place) or f"{' → '.join(map(str, call.widths))}, each word by itself"

    def attended(self, weights: Tensor, place: int, keys: str) -> str:
        row = weights[0, :, place].mean(dim=0)
        best, word = float(row.max()), self.words[keys][int(row.argmax())]
        of = "the source" if keys == "source" else "what was read"
        heads = "1 head" if weights.shape[1] == 1 else f"{weights.shape[1]} heads"
        return f"{heads} over {of}; most from {word} ({best:.2f})"


def _sentence(ids: Tensor, words: Sequence[str]) -> list[str]:
    return [words[int(i)] for i in ids[0]]


def _place(words: Sequence[str], word: str | None) -> int:
    if word is None:
        return 0
    if word not in words:
        raise ValueError(f"{word!r} is not one of the words {' '.join(words)}")
    return words.index(word)


def _embedded(call: Call, index: int) -> str:
    table, factor, exact = call.scaling()
    times = f", times {factor:.3g}" if exact else ", then changed"
    return f"row {index} of a table {tuple(table.shape)}{times}"


def _added(call: Call, place: int) -> str:
    added = call.added()
    if added is None:
        return ""
    return f"adds the vector of place {place}, of length {float(added[0, place].norm()):.2f}"


def _normalized(before: Tensor, after: Tensor) -> str:
    mean, size = (lambda x: _number(x.mean())), (lambda x: _number(x.std(correction=0)))
    return f"mean {mean(before)} and deviation {size(before)} become {mean(after)} and {size(after)}"


def numbers(vector: Tensor) -> str:
    """The first ones, with a real minus sign."""
    shown = [_number(x) for x in vector[:NUMBERS]]
    return "  ".join(shown) + ("  …" if len(vector) > NUMBERS else "")


def _number(x: Tensor) -> str:
    return f"{float(x):z.2f}".replace("-", "−")


def _cell(column: int, text: str) -> str:
    return f"<code>{html.escape(text)}</code>" if column in (0, 3) else html.escape(say_heading(text))


def _width(text: str) -> int:
    """Columns that it takes in a terminal: a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _padded(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [text + " " * (width - _width(text)) for text, width in zip(row, widths, strict=False)]
    return "  ".join([*cells, row[3]]).rstrip()
