"""What a graded class looks like: points from nbgrader's gradebook, diagnoses from the graded notebooks."""

from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook

from course_lib.checks.score import MIME
from course_lib.grading.repair import REPAIRS


@dataclass
class Result:
    """One submission. `points` by exercise or question; None where a person has yet to grade."""

    student: str
    points: dict[str, float | None]
    max_points: dict[str, float]
    mistakes: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def total(self) -> float:
        return sum(points or 0 for points in self.points.values())


def results(course: Path, lesson: str) -> list[Result]:
    """All submissions of a lesson that were collected, graded or not, by student."""
    database = f"sqlite:///{course / 'gradebook.db'}"
    with Gradebook(database) as gradebook:
        graded = {
            submission.student.id: _points(submission)
            for submission in gradebook.assignment_submissions(lesson)
        }
    students = sorted(path.parent.name for path in (course / "submitted").glob(f"*/{lesson}"))
    found = []
    for student in students:
        notebook = course / "autograded" / student / lesson / f"{lesson}.ipynb"
        if student in graded and notebook.exists():
            result = Result(student, *graded[student])
            _add_diagnoses(result, notebook)
        else:
            result = Result(student, {}, {}, notes=["not graded: nbgrader could not read the submission"])
        found.append(result)
    return found


def _points(submission) -> tuple[dict[str, float | None], dict[str, float]]:
    points, max_points = {}, {}
    for notebook in submission.notebooks:
        for grade in notebook.grades:
            name = grade.name.removeprefix("check_")
            points[name] = None if grade.needs_manual_grade and grade.manual_score is None else grade.score
            max_points[name] = grade.max_score
    return points, max_points


def _add_diagnoses(result: Result, path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    result.notes += notebook.metadata.get(REPAIRS, [])
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "").removeprefix("check_")
        if cell.cell_type != "code" or not name:
            continue
        for output in cell.outputs:
            if output.output_type == "error":
                result.notes.append(f"{name}: {output.ename}: {output.evalue}".splitlines()[0])
            elif MIME in output.get("data", {}):
                score = output.data[MIME]
                result.mistakes[name] = score["mistakes"] or (
                    ["unlisted"] if score["status"] == "wrong" else []
                )


def table(found: list[Result]) -> str:
    """A text table, one row a submission."""
    names = list(max((result.max_points for result in found), key=len))
    heads = ["student", *names, "total", "mistakes and notes"]
    rows = [heads, *(_row(result, names) for result in found)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads) - 1)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    )


def _row(result: Result, names: list[str]) -> list[str]:
    points = ["-" if name not in result.points else _shown(result, name) for name in names]
    mistakes = [f"{name}: {', '.join(ids)}" for name, ids in result.mistakes.items() if ids]
    return [result.student, *points, f"{result.total:g}", "; ".join(mistakes + result.notes)]


def _shown(result: Result, name: str) -> str:
    points = result.points[name]
    return "by hand" if points is None else f"{points:g}/{result.max_points[name]:g}"
