"""A right submission, that the kinds of honest notebooks vary."""

import functools
import re

import nbformat
from nbformat import NotebookNode

from course_lib.authoring.build import ROOT
from course_lib.grading.nbgrader.repair import grade_id


@functools.cache
def _text(folder: str, lesson: str) -> str:
    return (ROOT / folder / lesson / f"{lesson}.ipynb").read_text(encoding="utf-8")


def solved(lesson: str) -> NotebookNode:
    """The released notebook with the instructor's answers, without the cells that only show something."""
    notebook = nbformat.reads(_text("notebooks", lesson), as_version=4)
    right = {grade_id(cell): cell.source for cell in nbformat.reads(_text("solutions", lesson), 4).cells}
    for cell in answers(notebook):
        marks = r"^ *### (BEGIN|END) SOLUTION\n?"
        cell.source = re.sub(marks, "", right[grade_id(cell)], flags=re.MULTILINE)
    # Figures and training cost time, and no answer needs them; pieces of earlier lessons may be needed.
    is_needed = re.compile(r"^(import|from) |\byours\(", re.MULTILINE)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if grade_id(cell)
        or (cell.cell_type == "code" and is_needed.search(cell.source) and "plots.show" not in cell.source)
    ]
    return notebook


def answers(notebook: NotebookNode) -> list[NotebookNode]:
    """The code cells that hold the answers."""
    keys = [(cell, cell.metadata.get("nbgrader", {})) for cell in notebook.cells]
    return [cell for cell, key in keys if key.get("solution") and cell.cell_type == "code"]


def imports(notebook: NotebookNode) -> int:
    """The place of the lesson's own imports."""
    return next(i for i, cell in enumerate(notebook.cells) if "import torch\n" in cell.source)
