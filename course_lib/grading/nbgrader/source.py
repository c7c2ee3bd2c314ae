"""The graded cells of a lesson as the gradebook has them: submissions are repaired from these."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nbgrader.api import Gradebook, MissingEntry


@dataclass(frozen=True)
class SourceCell:
    """One cell; fields are named as in nbgrader's tables. `max_score` is None where nothing is graded."""

    name: str
    cell_type: str
    source: str
    checksum: str
    locked: bool
    grade: bool
    solution: bool
    task: bool
    max_score: float | None

    def metadata(self) -> dict:
        """The value of "nbgrader" in the cell's metadata."""
        keys = {
            "cell_type": self.cell_type,
            "checksum": self.checksum,
            "grade": self.grade,
            "grade_id": self.name,
            "locked": self.locked,
            "schema_version": 3,
            "solution": self.solution,
            "task": self.task,
        }
        return keys if self.max_score is None else keys | {"points": self.max_score}


@dataclass(frozen=True)
class Source:
    """A lesson's cells in their order, behind the methods of nbgrader's Gradebook that preprocessors call.

    So no gradebook has to be opened for each submission.
    """

    lesson: str
    kernelspec: str | None  # json
    cells: tuple[SourceCell, ...]

    def find_notebook(self, name: str, assignment: str) -> "Source":
        return self

    def find_source_cell(self, name: str, *_) -> SourceCell:
        for cell in self.cells:
            if cell.name == name:
                return cell
        raise MissingEntry(f"no cell {name!r} in {self.lesson}")

    find_graded_cell = find_source_cell

    @property
    def source_cells(self) -> Sequence[SourceCell]:
        return self.cells

    @property
    def grade_cells(self) -> Sequence[SourceCell]:
        return [cell for cell in self.cells if cell.grade]

    @property
    def solution_cells(self) -> Sequence[SourceCell]:
        return [cell for cell in self.cells if cell.solution]

    @property
    def task_cells(self) -> Sequence[SourceCell]:
        return [cell for cell in self.cells if cell.task]


def read_source(gradebook: Gradebook, lesson: str, order: Sequence[str] = ()) -> Source:
    """Raises nbgrader's MissingEntry where the gradebook does not know the lesson.

    order: names of cells, where it is known; a database need not keep it.
    """
    notebook: Any = gradebook.find_notebook(lesson, lesson)  # its values are columns to type checkers
    cells = list(_cells(notebook))
    if order:
        cells.sort(key=lambda cell: order.index(cell.name) if cell.name in order else len(order))
    return Source(lesson, notebook.kernelspec, tuple(cells))


def _cells(notebook) -> Iterator[SourceCell]:
    grades = {cell.name: cell.max_score for cell in notebook.grade_cells}
    tasks = {cell.name: cell.max_score for cell in notebook.task_cells}
    solutions = {cell.name for cell in notebook.solution_cells}
    for cell in notebook.source_cells:
        yield SourceCell(
            cell.name,
            cell.cell_type,
            cell.source,
            cell.checksum,
            bool(cell.locked),
            cell.name in grades,
            cell.name in solutions,
            cell.name in tasks,
            grades.get(cell.name, tasks.get(cell.name)),
        )


def kernelspec(source: Source) -> dict:
    return json.loads(source.kernelspec) if source.kernelspec else {}
