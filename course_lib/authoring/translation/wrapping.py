"""Breaks a sentence into lines of code's width, where its language admits a break."""

import re
import unicodedata

NO_BREAK_BEFORE = "，。：；？！）”’、》…%"
NO_BREAK_AFTER = "（“‘《"
WORDS = re.compile(r"\s+|[^\s\u2e80-\uffef]+|[\u2e80-\uffef]")


def columns(text: str) -> int:
    """A hanzi is as wide as two letters."""
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in text)


def wrapped(text: str, first: int, width: int) -> list[str]:
    """Lines of at most `width` columns; the first has `first` of them. A longer word stays whole."""
    lines, line, room = [], "", first
    for piece in _pieces(text):
        if line.strip() and columns((line + piece).rstrip()) > room:
            lines.append(line.rstrip())
            line, room = "", width
        line += piece if line else piece.lstrip()
    return [*lines, line.rstrip()]


def _pieces(text: str) -> list[str]:
    """Words, each with the space before it, and hanzi, each with the punctuation that clings to it."""
    pieces: list[str] = []
    for word in WORDS.findall(text):
        clings = pieces and (
            pieces[-1].isspace()
            or pieces[-1][-1] in NO_BREAK_AFTER
            or word[0] in NO_BREAK_BEFORE
            or (word.isspace() and pieces[-1][-1] in NO_BREAK_AFTER)
        )
        if clings:
            pieces[-1] += word
        else:
            pieces.append(word)
    return pieces
