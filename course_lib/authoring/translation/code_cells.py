"""A code cell in another language: its comments, docstrings and shown strings; the code stays."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

from course_lib.authoring.translation.shown_strings import literal, shown, template
from course_lib.authoring.translation.text_cells import is_language
from course_lib.authoring.translation.units import COMMENT, DOCSTRING, STRING, TEMPLATE, WIDTH, Say, Unit
from course_lib.authoring.translation.wrapping import wrapped

MAGIC = re.compile(r"^(\s*)[%!].*$", re.MULTILINE)  # of IPython, which Python cannot read
MARKER = re.compile(r"###|# (?:noqa|type:|pyright:)")  # comments for machines
TITLE_OR_NOTE = re.compile(r"^(#\s*(?:@title\s+)?)")  # Colab shows a title above its cell
SHAPE = re.compile(r"\([\w\s,.*/+-]*\)")
QUOTES = '"""'


class Edit(NamedTuple):
    """Lines count from 0, columns in characters."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def rewrite_code(source: str, say: Say, strings: bool = True) -> str:
    """The cell with what `say` gives. Without `strings` only comments and docstrings are asked for."""
    readable = MAGIC.sub(r"\1pass", source)
    tree, lines = ast.parse(readable), source.split("\n")
    edits = [*_comments(readable, say), *_docstrings(tree, lines, say)]
    if strings:
        edits += _strings(tree, lines, say)
    for edit in sorted(edits, reverse=True):
        (first, column), (last, end) = edit.start, edit.end
        new = lines[first][:column] + edit.text + lines[last][end:]
        lines[first : last + 1] = new.split("\n")
    return "\n".join(lines)


def _comments(source: str, say: Say) -> Iterator[Edit]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or MARKER.match(token.string):
            continue
        _, mark, text = TITLE_OR_NOTE.split(token.string)
        if not is_language(SHAPE.sub("", text)):
            continue
        if (said := say(Unit(text, COMMENT))) is not None:
            row, column = token.start
            yield Edit((row - 1, column), (token.end[0] - 1, token.end[1]), mark + said)


def _docstrings(tree: ast.Module, lines: list[str], say: Say) -> Iterator[Edit]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
            text = node.body[0].value  # pyright: ignore[reportAttributeAccessIssue]  (a docstring is an Expr)
            start, end = place(text, lines)
            whole = between(lines, start, end)
            if whole.startswith(QUOTES) and (said := _docstring(whole, start[1], say)) != whole:
                yield Edit(start, end, said)


def _docstring(literal: str, indent: int, say: Say) -> str:
    """What may be one sentence in several lines is one unit: a line that ends with a full stop ends it."""
    written, margin = [], " " * indent
    for unit in _sentences(literal[len(QUOTES) : -len(QUOTES)]):
        text = " ".join(line.strip() for line in unit)
        said = say(Unit(text, DOCSTRING)) if is_language(text) else None
        if said is None:
            written += unit
            continue
        first = len(QUOTES) if not written else 0
        pieces = wrapped(said, WIDTH - indent - 2 * first, WIDTH - indent)
        written += [pieces[0] if first else margin + pieces[0], *(margin + piece for piece in pieces[1:])]
    return QUOTES + "\n".join(written) + QUOTES


def _sentences(text: str) -> Iterator[list[str]]:
    """Lines, several where a sentence runs on; an empty line is by itself."""
    unit: list[str] = []
    for line in text.split("\n"):
        if not line.strip() and unit:
            yield unit
            unit = []
        unit.append(line)
        if not line.strip() or line.endswith("."):
            yield unit
            unit = []
    if unit:
        yield unit


def _strings(tree: ast.Module, lines: list[str], say: Say) -> Iterator[Edit]:
    for node in shown(tree):
        start, end = place(node, lines)
        whole = between(lines, start, end)
        unit = Unit(template(node), TEMPLATE if isinstance(node, ast.JoinedStr) else STRING)
        if (said := say(unit)) is not None and said != unit.english:
            yield Edit(start, end, literal(said, unit.kind, raw=whole.lower().startswith(("r", "fr", "rf"))))


def place(node: ast.expr, lines: list[str]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where it stands; Python counts columns in bytes."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    start = len(lines[first].encode()[: node.col_offset].decode())
    return (first, start), (last, len(lines[last].encode()[: node.end_col_offset].decode()))


def between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return lines[start[0]][start[1] : end[1]]
    return "\n".join([lines[start[0]][start[1] :], *lines[start[0] + 1 : end[0]], lines[end[0]][: end[1]]])
