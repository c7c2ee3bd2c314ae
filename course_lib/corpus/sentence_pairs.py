"""Reads real sentence pairs: tab-separated files, as of Tatoeba (tatoeba.org) or Anki (manythings.org)."""

import re
import warnings
from os import PathLike
from pathlib import Path

from course_lib.text import Pair

_ENGLISH = re.compile(r"[^\W_]+(?:-[^\W_]+)*|'[^\W_]+|[^\w\s]")
_CHINESE = re.compile(r"[A-Za-z0-9]+|\S")


def read_pairs(path: str | PathLike, max_words: int | None = None) -> list[Pair]:
    """Pairs of a UTF-8 file with lines `english TAB chinese [TAB attribution ...]`, without alignments.

    A line that lacks one of the two is skipped, and one warning lists the numbers of such lines. Blank lines,
    repeated pairs and pairs with more than `max_words` words on a side are left out silently. Raises
    ValueError if the file is not UTF-8 or holds no pair.
    """
    pairs: dict[Pair, None] = {}
    malformed = []
    for number, line in enumerate(_text(path).splitlines(), 1):
        columns = line.split("\t")
        pair = Pair(tokenize_english(columns[0]), tokenize_chinese(columns[1] if len(columns) > 1 else ""))
        if not (pair.source and pair.target):
            malformed += [number] * bool(line.strip())
        elif max_words is None or max(map(len, pair[:2])) <= max_words:
            pairs[pair] = None
    if not pairs:
        raise ValueError(f"{path} holds no pair; expected lines 'english TAB chinese', UTF-8")
    if malformed:
        shown = ", ".join(map(str, malformed[:10])) + ", ..." * (len(malformed) > 10)
        message = f"{path}: skipped {len(malformed)} lines without 'english TAB chinese': {shown}"
        warnings.warn(message, stacklevel=2)
    return list(pairs)


def _text(path: str | PathLike) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not UTF-8: byte {error.start} is {error.object[error.start]:#04x}"
        ) from error


def tokenize_english(sentence: str) -> tuple[str, ...]:
    """Lower-case words and punctuation; a contraction is two words: tom's -> tom 's."""
    return tuple(_ENGLISH.findall(sentence.lower().replace("\u2019", "'")))


def tokenize_chinese(sentence: str) -> tuple[str, ...]:
    """Words of a sentence segmented by spaces; else its characters, Latin words and numbers kept whole."""
    words = sentence.split()
    return tuple(words) if len(words) > 1 else tuple(_CHINESE.findall(sentence))
