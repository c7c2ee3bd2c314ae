"""Reads real sentence pairs: tab-separated files, as of Tatoeba (tatoeba.org) or Anki (manythings.org)."""

import hashlib
import random
import re
import warnings
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from course_lib.language import say
from course_lib.text import Pair

_ENGLISH = re.compile(r"[^\W_]+(?:-[^\W_]+)*|'[^\W_]+|[^\w\s]")
_CHINESE = re.compile(r"[A-Za-z0-9]+|\S")
_HAN = re.compile("[\u3400-\u9fff]")
_LONGEST = 3.0  # characters a word, on average; where spaces leave more, they do not stand between words


def read_pairs(path: str | PathLike, max_words: int | None = None, sha256: str | None = None) -> list[Pair]:
    """Pairs of a UTF-8 file with lines `english TAB chinese [TAB attribution ...]`, without alignments.

    Columns that are numbers, as Tatoeba's exports have, are passed over. A line that lacks one of the two, or
    has Chinese in the place of English, is skipped, and one warning lists the numbers of such lines. Blank
    lines, repeated pairs and pairs with more than `max_words` words on a side are left out silently. Raises
    ValueError if the file is not UTF-8, holds no pair, or is not the one whose SHA-256 is given.
    """
    if sha256:
        _require_digest(path, sha256)
    pairs: dict[Pair, None] = {}
    malformed = []
    for number, line in enumerate(_text(path).split("\n"), 1):  # splitlines would cut inside sentences
        pair = _pair(line)
        if pair is None:
            malformed += [number] * bool(line.strip())
        elif max_words is None or max(map(len, pair[:2])) <= max_words:
            pairs[pair] = None
    if not pairs:
        problem = f"{path} holds no pair; expected lines 'english TAB chinese'"
        if max_words:
            problem = f"{problem}, with at most {max_words} words on a side"
        raise ValueError(say(problem))
    if malformed:
        numbers = ", ".join(map(str, malformed[:10])) + ", ..." * (len(malformed) > 10)
        message = f"{path}: skipped {len(malformed)} lines without 'english TAB chinese': {numbers}"
        warnings.warn(say(message), stacklevel=2)
    return list(pairs)


def _pair(line: str) -> Pair | None:
    columns = [column for column in line.split("\t") if not column.strip().isdigit()]
    if len(columns) < 2 or (_HAN.search(columns[0]) and not _HAN.search(columns[1])):
        return None
    pair = Pair(tokenize_english(columns[0]), tokenize_chinese(columns[1]))
    return pair if pair.source and pair.target else None


def hold_out(pairs: Sequence[Pair], count: int, seed: int = 0) -> tuple[list[Pair], list[Pair]]:
    """The pairs without, and those with, the source sentences that are held out; both in a new order.

    Sources are drawn by chance until `count` pairs are held out, with all translations of a source on the
    same side. Raises ValueError if fewer than `count` pairs would be left.
    """
    if len(pairs) < 2 * count:
        problem = f"{len(pairs)} pairs are too few to hold out {count} of them: expected {2 * count}"
        raise ValueError(say(problem))
    drawn = random.Random(seed).sample(pairs, len(pairs))
    held = {pair.source for pair in drawn[:count]}
    return [p for p in drawn if p.source not in held], [p for p in drawn if p.source in held]


def _require_digest(path: str | PathLike, expected: str) -> None:
    got = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    if got != expected:
        problem = (
            f"{path} is another file than the one that the scores belong to: its SHA-256 is {got}, expected "
            f"{expected}. Delete or rename it, or read it all the same with `sha256=None`."
        )
        raise ValueError(say(problem))


def _text(path: str | PathLike) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        problem = f"{path} is not UTF-8: byte {error.start} is {byte:#04x}. Save it as UTF-8."
        raise ValueError(say(problem)) from error


def tokenize_english(sentence: str) -> tuple[str, ...]:
    """Lower-case words and punctuation; a contraction is two words: tom's -> tom 's."""
    return tuple(_ENGLISH.findall(sentence.lower().replace("\u2019", "'")))


def tokenize_chinese(sentence: str) -> tuple[str, ...]:
    """Words of a sentence segmented by spaces; else its characters, Latin words and numbers kept whole."""
    words, characters = sentence.split(), _CHINESE.findall(sentence)
    segmented = len(words) > 1 and len(characters) <= _LONGEST * len(words)
    return tuple(words if segmented else characters)
