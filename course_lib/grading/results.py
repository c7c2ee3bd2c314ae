"""Read a graded class back: points from nbgrader's gradebook, mistakes from the graded notebooks."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.api import BaseCell, Grade, MissingEntry, Notebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import select

from course_lib.checks.score import MARKS, MIME, group
from course_lib.grading.nbgrader.cell_points import FLAGS
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.nbgrader.repair import REPAIRS
from course_lib.grading.nbgrader.source import read_source
from course_lib.grading.plain_text import one_line, sentences

UNLISTED = "unlisted"
UNGRADED = "not graded"
NOT_GRADED = "not graded: the submission could not be read"
EARLIER = "could not be read: its points are those of an earlier submission"
GONE = "its folder is no longer in submitted/: its points in the gradebook stay"
CUT = "its notebook in autograded/ cannot be read, so no mistakes are shown"
LOOK_AGAIN = "{0}: graded again after a person had graded it: look again"
CELL = re.compile(r" \([^()]*(, line \d+)\)$")  # of a SyntaxError: the file is a cell, which has no name


@dataclass
class SubmissionResult:
    """What the instructor sees of one submission.

    points: by exercise or question; None where a person has yet to grade
    mistakes: by exercise the keys of those that were recognized; of a wrong answer without any, "unlisted"
    unnamed: by such an exercise what the check says first (see score.group)
    statuses: by exercise "right", "wrong", "not attempted", or "error" where the check did not get to run
    errors: by such an exercise what Python says first, as "SyntaxError: invalid syntax, line 3"
    parts: by exercise and part "right", "wrong" or "not attempted"
    """

    student: str
    points: dict[str, float | None]
    max_points: dict[str, float]
    penalty: float = 0.0
    mistakes: dict[str, list[str]] = field(default_factory=dict)
    unnamed: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    parts: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def total(self) -> float:
        """After the penalty, as the gradebook has it."""
        return max(0.0, self.raw_total - self.penalty)

    @property
    def raw_total(self) -> float:
        return sum(points or 0 for points in self.points.values())

    def told(self) -> list[str]:
        """Mistakes as tables have them: "softmax: no_keepdim"."""
        return [
            f"{name}: {', '.join(self.unnamed.get(name, key) if key == UNLISTED else key for key in keys)}"
            for name, keys in self.mistakes.items()
            if keys
        ]


def results(course: Course) -> list[SubmissionResult]:
    """All submissions of the lesson that were collected, graded or not, by student.

    Those that have points in the gradebook are among them where somebody has removed their folder.
    """
    with course.open_gradebook() as gradebook:
        try:
            cells = read_source(gradebook, course.lesson, course.order()).cells
        except MissingEntry:
            cells = ()
        max_points = {_exercise(cell.name): cell.max_score for cell in cells if cell.max_score is not None}
        points, penalties, again = _points(gradebook.db, course.lesson)
    there = {submission.student for submission in course.submissions()}
    scored = {name for name, earned in points.items() if any(one is not None for one in earned.values())}
    collected = []
    for student in sorted(there | scored.difference(course.excluded)):
        notebook = course.autograded(student)
        earned = points.get(student, {})
        own = {name: earned[name] for name in max_points if name in earned}
        if not notebook.exists() and all(value is None for value in own.values()):
            own = {}  # it was never graded
        result = SubmissionResult(student, own, max_points, penalties.get(student, 0.0))
        if own and notebook.exists():
            try:
                _add_diagnoses(result, notebook)
            except (OSError, ValueError, KeyError, TypeError, AttributeError):  # a crash may have cut it
                result.notes.append(CUT)
        elif student in there:
            result.notes.append(EARLIER if own else NOT_GRADED)
        if student not in there:
            result.notes.append(GONE)
        result.notes += [LOOK_AGAIN.format(name) for name in again.get(student, ())]
        collected.append(result)
    return collected


def _points(session, lesson: str) -> tuple[dict[str, dict], dict[str, float], dict[str, list[str]]]:
    """By student: points by exercise, the late penalty, and exercises to be looked at again.

    One query for the class.
    """
    query = (
        select(
            SubmittedAssignment.student_id, SubmittedNotebook.late_submission_penalty, BaseCell.name, Grade
        )
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
        .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
        .join(BaseCell, BaseCell.id == Grade.cell_id)
        .where(SubmittedAssignment.name == lesson, Notebook.name == lesson)
    )
    points: dict[str, dict[str, float | None]] = {}
    penalties: dict[str, float] = {}
    again: dict[str, list[str]] = {}
    for student, penalty, name, grade in session.execute(query):
        ungraded = grade.needs_manual_grade and grade.manual_score is None
        if grade.needs_manual_grade and not ungraded:
            again.setdefault(student, []).append(_exercise(name))
        points.setdefault(student, {})[_exercise(name)] = None if ungraded else grade.score
        penalties[student] = penalty or 0.0
    return points, penalties, again


def _exercise(grade_id: str) -> str:
    return grade_id.removeprefix("check_")


def _add_diagnoses(result: SubmissionResult, path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for key in (REPAIRS, FLAGS):
        result.notes += sentences(notebook["metadata"].get(key, []))
    for name, output in _outputs(notebook):
        if output["output_type"] == "error":
            result.statuses.setdefault(name, "error")
            told = one_line(CELL.sub(r"\1", f"{output['ename']}: {output['evalue']}".partition("\n")[0]))
            if name in result.errors and output["ename"] == "NameError" and f"'{name}'" in output["evalue"]:
                continue  # for the cell that defines it has failed, which is told
            result.errors.setdefault(name, told)
            result.notes.append(f"{name}: {told}")
        elif isinstance(score := output.get("data", {}).get(MIME), dict):
            status = str(score.get("status"))
            result.statuses[name] = status if status in MARKS else "error"
            listed = [str(mistake) for mistake in score.get("mistakes", [])]
            result.mistakes[name] = listed or ([UNLISTED] if status == "wrong" else [])
            result.parts[name] = _parts(score.get("parts"))
            if sentence := group(str(score.get("unnamed", ""))):
                result.unnamed[name] = sentence


def _parts(told: object) -> dict[str, str]:
    """What a notebook says of the parts, which a learner may have written where nothing is isolated."""
    if not isinstance(told, dict):
        return {}
    return {part: str(status) for part, status in told.items() if str(status) in MARKS}


def _outputs(notebook: dict) -> Iterator[tuple[str, dict]]:
    """The outputs of the lesson's own code cells, each with the name of its exercise."""
    for cell in notebook["cells"]:
        name = _exercise(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))
        if cell["cell_type"] == "code" and name:
            for output in cell["outputs"]:
                yield name, output


def table(shown: list[SubmissionResult]) -> str:
    """A text table, one row a submission."""
    if not shown:
        return "no submissions"
    heads = ["student", *shown[0].max_points, "total", "mistakes and notes"]
    rows = [heads, *(_row(result) for result in shown)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads) - 1)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    )


def _row(result: SubmissionResult) -> list[str]:
    points = ["-" if name not in result.points else _cell(result, name) for name in result.max_points]
    late = [f"late: -{result.penalty:g}"] if result.penalty else []
    return [result.student, *points, f"{result.total:g}", "; ".join(result.told() + late + result.notes)]


def _cell(result: SubmissionResult, name: str) -> str:
    points = result.points[name]
    return "by hand" if points is None else f"{points:g}/{result.max_points[name]:g}"
