"""A text cell in another language: headings, paragraphs, list items and cells of tables, one by one."""

import re
from collections.abc import Iterator

from course_lib.authoring.translation.units import COMMENT, HEADING, ITEM, PARAGRAPH, TABLE_CELL, Say, Unit

HEAD = re.compile(r"(?P<mark>#{1,6} )(?P<text>.+)")
LIST_ITEM = re.compile(r"(?P<mark>\s*(?:[-*+]|\d+[.)]) )(?P<text>.+)")
BEGINS_A_BLOCK = re.compile(r"#{1,6} |\s*(?:[-*+]|\d+[.)]) |\||\$\$|```|<!--|\s*$")
INDENT = " " * 4  # of a block of code
NOTE = re.compile(r"(?P<code>.*? {2,})# (?P<text>.+)")  # a shell's comment, at the end of a line of code
BAR = re.compile(r"(?<!\\)\|")  # between cells of a table
CODE_OR_FORMULA = re.compile(r"`[^`]*`|\$[^$]*\$")


def rewrite_text(source: str, say: Say) -> str:
    """The cell with what `say` gives; formulas of their own, code in fences and Markdown's comments stay."""
    lines, written = source.split("\n"), []
    while lines:
        if lines[0].startswith(("$$", "```")):
            taken = _fenced(lines)
            written += taken
        elif not lines[0].strip() or lines[0].startswith("<!--"):
            taken = lines[:1]
            written += taken
        elif lines[0].startswith(INDENT) and not LIST_ITEM.fullmatch(lines[0]):
            taken = lines[:1]
            written.append(_line_of_code(lines[0], say))
        elif lines[0].startswith("|"):
            taken = lines[:1]
            written.append(_row(lines[0], say))
        else:
            taken = _block(lines)
            written += _said(taken, say)
        lines = lines[len(taken) :]
    return "\n".join(written)


def is_language(text: str) -> bool:
    """Whether there is a word to translate beside code and formulas."""
    return bool(re.search(r"[A-Za-z]{2}|\b[AaI]\b", CODE_OR_FORMULA.sub("", text)))


def _line_of_code(line: str, say: Say) -> str:
    """Of an indented block: its comment is said."""
    found = NOTE.fullmatch(line)
    said = say(Unit(found["text"], COMMENT)) if found else None
    return f"{found['code']}# {said}" if found and said else line


def _fenced(lines: list[str]) -> list[str]:
    fence = lines[0][:2] if lines[0].startswith("$$") else "```"
    if lines[0].count(fence) > 1:
        return lines[:1]
    ends = (number for number, line in enumerate(lines[1:], 2) if fence in line)
    return lines[: next(ends, len(lines))]


def _block(lines: list[str]) -> list[str]:
    """The first line and those that belong to it. A heading is one line."""
    if HEAD.fullmatch(lines[0]):
        return lines[:1]
    ends = (number for number, line in enumerate(lines) if number and BEGINS_A_BLOCK.match(line))
    return lines[: next(ends, len(lines))]


def _said(block: list[str], say: Say) -> Iterator[str]:
    """A translation is one line: a browser draws a line's end as a space, also between two hanzi."""
    text = " ".join(line.strip() for line in block)
    indented = len(block[0]) - len(block[0].lstrip())  # as a paragraph of a list's item is
    mark, kind = " " * indented, PARAGRAPH
    for form, what in ((HEAD, HEADING), (LIST_ITEM, ITEM)):
        if found := form.fullmatch(block[0]):
            mark, kind = found["mark"], what
            text = " ".join([found["text"], *(line.strip() for line in block[1:])])
    said = say(Unit(text, kind)) if is_language(text) else None
    yield from block if said is None else [mark + said]


def _row(line: str, say: Say) -> str:
    cells = []
    for cell in BAR.split(line):
        text = cell.strip()
        said = say(Unit(text, TABLE_CELL)) if is_language(text) else None
        cells.append(cell if said is None else f" {said} ")
    return "|".join(cells)
