"""Points and comments of each graded cell of an executed notebook, by nbgrader's own rules."""

import math
from dataclasses import dataclass, field

from nbformat import NotebookNode
from nbgrader.utils import compute_checksum, determine_grade, is_grade, is_solution, is_task

from course_lib.grading.nbgrader.repair import grade_id

# Notebook metadata: what a person should look at, and what is only noted, in sentences.
FLAGS, NOTES = "course_flags", "course_notes"


class NoPointsError(Exception):
    """A check showed no number of points that it can give. The message is for the instructor."""


@dataclass(frozen=True)
class CellPoints:
    """By grade id. points: None where a person has to decide; comments: None where there is none."""

    points: dict[str, float | None] = field(default_factory=dict)
    comments: dict[str, str | None] = field(default_factory=dict)


def cell_points(notebook: NotebookNode) -> CellPoints:
    """A number that no check can have given is worth nothing, and is flagged."""
    cells = CellPoints()
    for cell in notebook.cells:
        if is_grade(cell):
            try:
                cells.points[grade_id(cell)] = _points(cell)
            except NoPointsError as error:
                cells.points[grade_id(cell)] = 0.0
                flag(notebook, f"{grade_id(cell)}: {error}")
        if is_solution(cell) or is_task(cell):
            # As nbgrader's SaveAutoGrades: it says so where a learner left the stub as it was.
            untouched = cell.metadata["nbgrader"].get("checksum") == compute_checksum(cell)
            comment = "No response." if untouched and not is_task(cell) else None
            cells.comments[grade_id(cell)] = comment
    return cells


def flag(notebook: NotebookNode, sentence: str) -> None:
    notebook.metadata.setdefault(FLAGS, []).append(sentence)


def note(notebook: NotebookNode, sentence: str) -> None:
    notebook.metadata.setdefault(NOTES, []).append(sentence)


def is_decided(cell: NotebookNode) -> bool:
    """Whether a graded code cell has an output that nbgrader takes points from."""
    return any(
        output.output_type in ("error", "execute_result")
        or (output.output_type == "stream" and output.name == "stderr")
        for output in cell.outputs
    )


def _points(cell: NotebookNode) -> float | None:
    """nbgrader gives full points for nothing, for nan and for what is no number: here they are refused."""
    if cell.cell_type == "code" and not is_solution(cell):
        if not is_decided(cell):
            raise NoPointsError("the check showed no points")
        if cell.outputs and (result := _first_result(cell)) is not None:
            _refuse_impossible(result, float(cell.metadata["nbgrader"]["points"]))
    return determine_grade(cell)[0]


def _first_result(cell: NotebookNode) -> str | None:
    for output in cell.outputs:
        if output.output_type == "error" or output.get("name") == "stderr":
            return None
        if output.output_type == "execute_result":
            return str(output.get("data", {}).get("text/plain"))
    return None


def _refuse_impossible(result: str, most: float) -> None:
    try:
        points = float(result)
    except ValueError:
        points = math.nan
    if not 0 <= points <= most:
        raise NoPointsError(f"the check showed {result[:60]!r}, expected 0 to {most:g} points")
