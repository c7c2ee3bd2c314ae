"""A cell's text as a syntax tree, where it can be read in a moment."""

import ast
import re
from functools import lru_cache

import IPython.core.magics
from IPython.core.inputtransformer2 import TransformerManager

LONGEST = 100_000  # characters of a cell
ESCAPE = re.compile(r"^[ \t]*(?:[%!?/,;]|\S.*=[ \t]*[%!])|\?[ \t]*$", re.MULTILINE)
# IPython reads a cell once more for each line with % or !, so the time grows as their product.
MOST_WORK = 500_000
MOST_DEPTH = 4  # of code in the line of a magic in code
MOST_CODES = 2000  # in magics, shell commands and texts of one notebook
TOO_MANY = "too many lines with magics or shell commands"
LINE_MAGICS = {  # the modules of some are imported only when they are asked for
    magic
    for name in dir(IPython.core.magics)
    if name.endswith("Magics")
    for magic in getattr(IPython.core.magics, name).__dict__.get("magics", {}).get("line", ())
}


class TooCostlyError(Exception):
    """The cell is too long, or holds too many magics or names of names, to be read in a moment."""


def work(source: str) -> int:
    """How much it takes to read a cell."""
    return len(source) * (1 + len(ESCAPE.findall(source))) + _work_of_blanks(source)


def _work_of_blanks(source: str) -> int:
    """Where no token follows them, they are read again from each on."""
    return sum(len(run) ** 2 for run in re.findall(r"[ \t\f]+", source)) // 8


@lru_cache(maxsize=256)
def parsed(source: str) -> ast.Module | None:
    if len(source) > LONGEST:
        raise TooCostlyError(f"{len(source):,} characters, at most {LONGEST:,} are read")
    if _work_of_blanks(source) > MOST_WORK // 2:
        raise TooCostlyError("too many blanks in a row")
    if work(source) > MOST_WORK:
        raise TooCostlyError(TOO_MANY)
    try:
        return ast.parse(as_python(source))
    except (RecursionError, MemoryError):
        raise TooCostlyError("too deep") from None
    except (SyntaxError, ValueError):
        return None


@lru_cache(maxsize=256)
def as_python(source: str) -> str:
    """What IPython makes of a cell. A single line that is no Python may be a magic without its %."""
    text = TransformerManager().transform_cell(source)
    if len(text.splitlines()) == 1 and LINE_MAGICS.intersection(text.split()[:1]):
        try:
            ast.parse(text)
        except SyntaxError:
            return TransformerManager().transform_cell(f"%{text}")
    return text
