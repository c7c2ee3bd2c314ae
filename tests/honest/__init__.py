"""Kinds of honest notebooks: right answers, and what students, editors and services add to them.

`CELLS`: a cell of the student's own; `ANSWERS`: another way to write the answers; `CHANGES`: what is done to
the notebook; `BYTES`: how its file may be written. None may cost a point or raise a flag of the first rank.
"""

from collections.abc import Callable

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from course_lib.authoring.build import ROOT
from honest.answers import ANSWERS
from honest.files import BYTES, CHANGES
from honest.solved import answers, imports, solved

__all__ = ["ANSWERS", "BYTES", "CELLS", "CHANGES", "answered", "solved", "with_cell"]


def _read_cells() -> dict[str, str]:
    """Of cells.txt: a name, and the cell's source up to the next name."""
    text = (ROOT / "tests" / "honest" / "cells.txt").read_text(encoding="utf-8")
    cells = (part.split("\n", 1) for part in text.split("# %% ")[1:])
    return {name: source.strip("\n") for name, source in cells}


CELLS = _read_cells()


def with_cell(lesson: str, source: str) -> NotebookNode:
    """The student's own cell, below the lesson's imports."""
    notebook = solved(lesson)
    notebook.cells.insert(imports(notebook) + 1, new_code_cell(source))
    return notebook


def answered(lesson: str, change: Callable[[str], str]) -> NotebookNode:
    """Each answer's cell changed."""
    notebook = solved(lesson)
    for cell in answers(notebook):
        cell.source = change(cell.source)
    return notebook
