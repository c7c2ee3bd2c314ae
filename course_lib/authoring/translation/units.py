"""What is translated: units of a lesson, each a piece of text that a reader takes in as one."""

from collections.abc import Callable
from typing import NamedTuple

WIDTH = 110  # columns of a line of code, as in pyproject.toml


class Unit(NamedTuple):
    """english: what the catalog knows it by, in one line. kind: what the translator has to know about it."""

    english: str
    kind: str


HEADING, PARAGRAPH, ITEM, TABLE_CELL = "heading", "paragraph", "list item", "table cell"
COMMENT, DOCSTRING, STRING, TEMPLATE = "comment", "docstring", "string", "string with {code}"
IN_TEXT = {HEADING, PARAGRAPH, ITEM, TABLE_CELL}

# Gives the translation of a unit, None where its English is to stand.
Say = Callable[[Unit], str | None]


def language(locale: str) -> str:
    """zh for zh_CN: also the folder of an edition."""
    return locale.partition("_")[0]


def collect(rewrite: Callable[[Say], object]) -> list[Unit]:
    """The units that a rewriting asks for, each once, in their order."""
    found: dict[Unit, None] = {}
    rewrite(lambda unit: found.setdefault(unit))
    return list(found)
