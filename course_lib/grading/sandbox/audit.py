"""Static audit of a learner's cells: flags code that reaches into the interpreter, the grader or the answers.

A flag forbids nothing; a person decides. Flags have two ranks. Of the first rank is what can deceive: it
tampers with what checks stand on, or borrows a finished piece. The answers are then run once more without
these cells: see Case.score in judge.py. Of the second rank is what honest notebooks do too, such as a shell
command; it is only noted.
"""

import ast
import json
from collections.abc import Collection, Iterator
from itertools import accumulate

from nbformat import NotebookNode
from nbgrader.utils import is_grade, is_locked, is_solution

from course_lib.grading.sandbox.audited_cell import modules_of
from course_lib.grading.sandbox.audited_code import Reader
from course_lib.grading.sandbox.audited_uses import Flag
from course_lib.grading.sandbox.cell_text import MOST_WORK, TooCostlyError, parsed, work
from course_lib.grading.sandbox.lent import Lent

SKIP = "skip-execution"  # tag of demonstrations

MOST_WORK_OF_ALL = 2_000_000  # see cell_text.work
TOO_MUCH = Flag("cannot be audited: the notebook's cells take too long")


def sources_of(notebook: str, kind: str = "code") -> list[str]:
    """The sources of its cells of this kind; none of an empty text."""
    cells = json.loads(notebook)["cells"] if notebook else []
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


def is_skipped(cell: NotebookNode) -> bool:
    """Whether it is not run while work is graded. A graded cell is, whatever its tags."""
    return SKIP in cell.metadata.get("tags", []) and not (is_grade(cell) or is_solution(cell))


class Audit:
    """released: the text of the notebook that was handed out; its own cells are not looked at.

    exercises: the names of what is to be written in it, which is never lent. editions: its texts in other
    languages.
    """

    def __init__(self, released: str = "", exercises: Collection[str] = (), editions: Collection[str] = ()):
        sources = sources_of(released)
        self.given = {source.strip() for text in editions for source in sources_of(text)}
        self.given |= {source.strip() for source in sources}
        self.given_texts = {text for source in self.given for text in _texts_of(source)}
        self.lent = Lent(sources, exercises, sources_of(released, "markdown"))

    def flags(self, notebook: NotebookNode) -> dict[int, list[Flag]]:
        """Of cells of the learner's own that are run, by the cell's place in the notebook, from 0."""
        sources = {
            index: cell.source
            for index, cell in enumerate(notebook.cells)
            if cell.cell_type == "code" and not is_skipped(cell)
        }
        costs = {i: 0 if source.strip() in self.given else work(source) for i, source in sources.items()}
        # What is too costly by itself is not read, and takes nothing from the others.
        totals = accumulate(cost if cost <= MOST_WORK else 0 for cost in costs.values())
        unread = {i for i, total in zip(costs, totals, strict=True) if total > MOST_WORK_OF_ALL}
        try:
            modules = modules_of(source for index, source in sources.items() if index not in unread)
        except TooCostlyError:  # nobody knows what any cell's names are then
            unread, modules = {*sources}, {}
        reader = Reader(self.lent, self.given_texts)
        flags, checks = {}, _last_checks(notebook)
        for index, source in sources.items():
            if not is_locked(notebook.cells[index]) and source.strip() not in self.given:
                reader.checked = {name for name, place in checks.items() if place < index}
                flags[index] = [TOO_MUCH] if index in unread else reader.flags(source, modules)
        return {index: of_cell for index, of_cell in flags.items() if of_cell}


def _last_checks(notebook: NotebookNode) -> dict[str, int]:
    """By exercise, the place of its check, or of the last cell that calls itself so."""
    graded = ((index, cell) for index, cell in enumerate(notebook.cells) if is_grade(cell))
    return {cell.metadata.nbgrader["grade_id"].removeprefix("check_"): index for index, cell in graded}


def _texts_of(source: str) -> Iterator[str]:
    """The constant texts in a cell that was handed out: who pastes it into another cell says nothing new."""
    tree = parsed(source)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
