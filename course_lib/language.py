"""The language in which a learner is told things: `say` gives a text of the course in it.

Everything is made, judged, stored and compared in English. A text becomes another language where it is shown,
so that points, keys and stored results know no language. translations/LOCALE.json is made by `course build`.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

VARIABLE = "COURSE_LANGUAGE"  # environment variable: such as zh_CN; the setup cell of a lesson sets it
ENGLISH = "en"
FOLDER = Path(__file__).with_name("translations")
BETWEEN = re.compile(r"(?<=[.?!:;。]) +")  # sentences, or clauses; a sentence before it may be said already
ERROR = re.compile(r"\b[A-Z]\w*(?:Error|Exception): ")  # what follows Python says, and not the course
PLACED_ERROR = re.compile(r"(.+?) \(([^()]+)\)(?:\. |$)(.*)")
CODE = re.compile(r"`([^`]+)`")
CASE = re.compile(r"(`[^`]+`)( -)? \((.+)\)")  # `weights[batch 0]` (one query), as messages name numbers
CONDITIONS = re.compile(r", (?![^()]*\))")  # between them, outside of inner brackets
NAME = re.compile(r"[^`\[\]]* [^`\[\]]*")  # of what a part compares, of several words
QUOTED = re.compile(r"(?<=')[^']* [^']*(?=')")  # in a value as Python writes it: 'one parameter'
MARKS = {".": "。", ";": "；", ":": "："}  # beside hanzi
HANZI = re.compile("[\u4e00-\u9fff]")
WIDE_MARKS = MARKS | {",": "，"}
WIDE = "。，；：？！、）”」"
WIDE_BETWEEN = {", ": "、", " and ": "、", "; ": "；", " ": " "}  # for `listed`
NARROW_BRACKETS = re.compile(r" \(([^()]*[\u4e00-\u9fff][^()]*)\)")  # around hanzi
NARROW_MARK = re.compile(r"(?<=[\u4e00-\u9fff）])(?:[:,;] |\.(?= |$))|[:,;] (?=[\u4e00-\u9fff])")
OPENING, CLOSING = "([{", ")]}"
FIELD_BESIDE_HANZI = re.compile(r"[\u4e00-\u9fff](?:[`'\[{A-Za-z0-9]|-\d)|[A-Za-z0-9%)][\u4e00-\u9fff]")
TEXT_BESIDE_HANZI = re.compile(r"[\u4e00-\u9fff][A-Za-z0-9]|[`'\]}A-Za-z0-9%)][\u4e00-\u9fff]")
SPACE_BESIDE_WIDE = re.compile(rf"(?<=[{WIDE}]) +| +(?=[{WIDE}])")
DEPTH = 4  # of texts in texts
LONGEST = 2000  # characters of a text that is looked up: a learner's error may be longer
MOST_GAPS = 20  # between clauses where a text is cut
KEPT = 5000  # readings that are kept: those of a class's errors would fill the memory
SHORT = 9  # letters of a template such as "{} of {}", which would fit half of all sentences
NAMED = re.compile(rf'\bos\.environ\.setdefault\("{VARIABLE}", "(\w{{1,20}})"\)')  # in the setup cell

_spoken: ContextVar[str] = ContextVar("spoken", default="")


def say(text: str, of: str = "checks") -> str:
    """The text in the language that is spoken now, what is not translated in English.

    of: where it is shown, "checks", "figures", "pages" or "reports"; short phrases would be taken for each
    other's.
    """
    return text if spoken() == ENGLISH else phrasebook(spoken(), of).say(text)


def spoken() -> str:
    """The language that is spoken now, such as zh_CN; ENGLISH where the course does not have it."""
    name = _spoken.get() or os.environ.get(VARIABLE, "")
    return name if name in languages() else ENGLISH


def say_heading(text: str) -> str:
    """In a figure: of an axis, a legend, a control, or a sentence on it."""
    return say(text, of="figures")


def say_report(text: str) -> str:
    """On a page for an instructor."""
    return say(text, of="reports")


def say_phrase(text: str) -> str:
    """In a figure: what may be data. A single word is left, as it may be one of a learner's sentence."""
    return say_heading(text) if " " in text.strip() else text


def say_list(texts: Iterable[str], between: str = "; ") -> str:
    """In a figure: words, clauses or sentences that code puts together, each said by itself."""
    joined = listed(map(say_heading, texts), between)
    return joined if spoken() == ENGLISH else SPACE_BESIDE_WIDE.sub("", widened(joined))


def listed(words: Iterable[str], between: str = ", ") -> str:
    """Data, such as words of a sentence, with the spoken language's mark in place of `between`."""
    return (between if spoken() == ENGLISH else WIDE_BETWEEN[between]).join(words)


def widened(line: str) -> str:
    """A line that code puts together of what was said: beside hanzi its marks are as wide as they are."""
    line = NARROW_BRACKETS.sub(r"（\1）", line)
    return NARROW_MARK.sub(lambda mark: WIDE_MARKS[mark[0][0]], line)


@contextmanager
def speaking(name: str) -> Iterator[None]:
    """Inside, `say` speaks this language, whatever VARIABLE is; English where the course has no such one."""
    token = _spoken.set(name)
    try:
        yield
    finally:
        _spoken.reset(token)


def language_of(cells: Iterable[Any]) -> str:
    """What the setup cell of a notebook, a learner's perhaps, names as its language; "en" where none does."""
    found = (NAMED.search(cell.source) for cell in cells)
    return next((match[1] for match in found if match), ENGLISH)


@cache
def languages() -> frozenset[str]:
    """Those that the course speaks besides English."""
    return frozenset(path.stem for path in FOLDER.glob("*.json"))


@cache
def phrasebook(name: str, of: str) -> "Phrasebook":
    """Of one of `languages`; of is as in `say`."""
    content = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))[of]
    templates = [Template(*pair) for pair in content["templates"]]
    return Phrasebook(content["texts"], templates, strict=of == "figures")


class Template(NamedTuple):
    """A text with fields. Each is in pieces: text at even places, the number of a field at odd ones."""

    english: list
    said: list

    @property
    def letters(self) -> int:
        return sum(map(len, self.english[::2]))

    def fields(self, text: str) -> list[str] | None:
        """What fills it, if the text is this template's; in one pass, as the text may be a learner's."""
        first, *between, last = self.english[::2]
        if not text.startswith(first):
            return None
        found, start = [], len(first)
        for piece in between:
            if (place := _place(piece, text, start)) < 0:
                return None
            found.append(text[start:place])
            start = place + len(piece)
        end = len(text) - len(last)
        return [*found, text[start:end]] if start <= end and text.endswith(last) else None

    def is_code(self, number: int) -> bool:
        """Whether this field stands between backticks."""
        return self.english[2 * number].endswith("`") and self.english[2 * number + 2].startswith("`")


def _place(piece: str, text: str, start: int) -> int:
    """Where a piece stands next, if possible outside of brackets that open before it; -1 if nowhere."""
    place, first, depth, counted = text.find(piece, start), -1, 0, start
    while place >= 0:
        if _ends(piece, text, place + len(piece)):
            before = text[counted:place]
            depth += sum(map(before.count, OPENING)) - sum(map(before.count, CLOSING))
            if depth == 0:
                return place
            first, counted = place if first < 0 else first, place
        place = text.find(piece, place + 1)
    return first


def _ends(piece: str, text: str, end: int) -> bool:
    """Whether a piece may end there: a sentence only before a space, so that torch.bool is not cut."""
    return not piece.endswith((".", "?", "!")) or text[end : end + 1].strip() == ""


class Reading(NamedTuple):
    """letters: how many of a text are known."""

    letters: int
    said: str


def _is_open(before: str) -> bool:
    """Whether a clause may end there: not within a list or a dict, which is one value."""
    return all(before.count(begins) == before.count(ends) for begins, ends in ("[]", "{}"))


def _is_data(field: str, reading: Reading) -> bool:
    """Whether it is known for the most part, or holds no sentence and no clause."""
    return 2 * reading.letters >= len(field) or not BETWEEN.search(field)


def _filled(pieces: Iterable[str]) -> str:
    """Text and fields in turn, with a space where hanzi of one meet Latin letters or code of the other."""
    said = ""
    for piece, beside in zip(pieces, cycle([TEXT_BESIDE_HANZI, FIELD_BESIDE_HANZI])):
        said += f" {piece}" if beside.match(said[-1:] + piece[:2]) else piece
    return said


class Phrasebook:
    """Texts, and templates whose fields are filled, from English into one other language."""

    def __init__(self, texts: dict[str, str], templates: list[Template], strict: bool = False):
        """strict: fields hold no sentence that is unknown, those of short templates one word, as data do."""
        self.texts, self.strict = texts, strict
        # Of two equal readings the first is taken.
        self.templates = sorted(templates, key=lambda template: -template.letters)
        self._read: dict[tuple[str, int], Reading] = {}  # by text and depth: deeper down less is read

    def say(self, text: str) -> str:
        return "\n".join(SPACE_BESIDE_WIDE.sub("", self._text(line, 0).said) for line in text.split("\n"))

    def _text(self, text: str, depth: int) -> Reading:
        """Cut into known texts so that as many letters as possible are known."""
        inner = text.strip()
        if not inner or depth > DEPTH or len(inner) > LONGEST:
            return Reading(0, text)
        if ERROR.match(inner):
            return self._error(text, depth)
        if (inner, depth) not in self._read:
            if len(self._read) >= KEPT:
                self._read.clear()
            self._read[inner, depth] = self._cut(inner, depth)
        letters, said = self._read[inner, depth]
        start = text.index(inner)
        return Reading(letters, text[:start] + said + text[start + len(inner) :])

    def _error(self, text: str, depth: int) -> Reading:
        """What Python says stays; in brackets behind it the course may say where that was, and then why."""
        found = PLACED_ERROR.fullmatch(text)
        if not found or not (place := self._whole(found[2], depth + 1)).letters:
            return Reading(0, text)
        why = self._text(found[3], depth + 1).said
        return Reading(0, f"{found[1]}（{place.said}）{why and '。'}{why}")

    def _cut(self, text: str, depth: int) -> Reading:
        """The best reading of all ways to cut the text between its clauses, found from its end."""
        end = error.start() if (error := ERROR.search(text)) else len(text)
        found = BETWEEN.finditer(text, 0, end)
        gaps = [match.span() for match in found if _is_open(text[: match.start()])][:MOST_GAPS]
        starts, ends = [0, *(end for _, end in gaps)], [*(start for start, _ in gaps), len(text)]
        best = {len(starts): Reading(0, "")}
        for first in reversed(range(len(starts))):
            readings = []
            for last in range(first, len(starts)):
                one, rest = self._whole(text[starts[first] : ends[last]], depth), best[last + 1]
                if one.letters or last == first:
                    said = f"{one.said} {rest.said}".rstrip(" ")
                    readings.append(Reading(one.letters + rest.letters, said))
            best[first] = max(readings, key=lambda reading: reading.letters)
        return best[0]

    def _name(self, name: str, depth: int) -> Reading:
        """Between backticks: code, or words that name what a part compares, perhaps with a place in it."""
        words, bracket, place = name.partition("[")
        known = (one.letters >= SHORT and one.fields(words) is not None for one in self.templates)
        if NAME.fullmatch(words) and (words in self.texts or any(known)):
            words = self._whole(words, depth + 1).said
        return Reading(len(name), words + bracket + place)

    def _case(self, text: str, depth: int) -> Reading:
        """What stands in brackets: known as it is, or each of its conditions by itself."""
        conditions = [self._text(one, depth) for one in CONDITIONS.split(text)]
        letters, said = sum(one.letters for one in conditions), "，".join(one.said for one in conditions)
        return max(self._text(text, depth), Reading(letters, said), key=lambda reading: reading.letters)

    def _whole(self, text: str, depth: int) -> Reading:
        """Of a text that is not cut: known by itself, by a template, or not at all."""
        if text in self.texts:
            return Reading(len(text), self.texts[text])
        said = text if self.strict else QUOTED.sub(lambda found: self.texts.get(found[0], found[0]), text)
        readings = [Reading(0, said)]
        for template in self.templates:
            if (found := template.fields(text)) is None:
                continue
            fields = [
                self._name(field, depth) if template.is_code(number) else self._text(field, depth + 1)
                for number, field in enumerate(found)
            ]
            if self.strict and not all(map(_is_data, found, fields)):
                continue
            is_long, of_words = template.letters >= SHORT, self.strict and any(" " in one for one in found)
            # One word, or known: no sentence that a short template cuts in two by chance.
            are_closed = all(" " not in field.said.strip() or field.letters for field in fields)
            if is_long or (are_closed and not of_words and not ERROR.search(text)):
                said = _filled(
                    fields[piece].said if place % 2 else piece for place, piece in enumerate(template.said)
                )
                readings.append(Reading(template.letters + sum(field.letters for field in fields), said))
        if text[-1:] in MARKS:  # a sentence of a list, which is known without its mark
            letters, said = self._whole(text[:-1], depth)
            readings.append(Reading(letters, said + (MARKS[text[-1]] if HANZI.search(said) else text[-1])))
        if match := CODE.fullmatch(text):
            letters, name = self._name(match[1], depth)
            readings.append(Reading(letters, f"`{name}`"))
        if match := CASE.fullmatch(text):
            name, case = self._whole(match[1], depth), self._case(match[3], depth + 1)
            bracketed = f"（{case.said}）" if case.letters else f" ({case.said})"
            readings.append(Reading(name.letters + case.letters, f"{name.said}{match[2] or ''}{bracketed}"))
        return max(readings, key=lambda reading: reading.letters)
