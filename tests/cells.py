"""Cells of a notebook, run as IPython does."""

import linecache
from itertools import count
from typing import Any

NUMBERS = count()


def run_cell(names: dict[str, Any], source: str) -> dict[str, Any]:
    """The names, with those that the cell defines. Its text is in linecache."""
    file = f"<cell of a test {next(NUMBERS)}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    exec(compile(source, file, "exec"), names)
    return names
