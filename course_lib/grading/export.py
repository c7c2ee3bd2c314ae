"""Write the grades of a lesson as CSV, with a column for each exercise."""

import csv
from pathlib import Path

from course_lib.grading.nbgrader.course import Course
from course_lib.grading.outputs import TABLE, require_replaceable
from course_lib.grading.results import SubmissionResult

PERSON = ("student_id", "last_name", "first_name", "email")
SUMS = ("raw_score", "late_submission_penalty", "score", "max_score", "to_grade_by_hand", "mistakes", "notes")


def export(course: Course, collected: list[SubmissionResult], path: Path) -> None:
    """One row for each student of the gradebook, as `nbgrader export` has it; nothing handed in is 0.

    Students whom nbgrader's settings leave out have none.
    """
    max_points = collected[0].max_points if collected else {}
    names = list(max_points)
    by_student = {result.student: result for result in collected}
    with course.open_gradebook() as gradebook:
        people = {
            str(person.id): [getattr(person, key) or "" for key in PERSON[1:]]
            for person in gradebook.students
        }
    students = sorted(people.keys() - set(course.excluded) | by_student.keys())
    with open(require_replaceable(path, TABLE), "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*PERSON, *names, *SUMS])
        for student in students:
            missing = SubmissionResult(student, {}, max_points, notes=["nothing handed in"])
            result = by_student.get(student, missing)
            row = [student, *people.get(student, ["", "", ""]), *_columns(result, names)]
            writer.writerow([_escape_formula(cell) for cell in row])


def _columns(result: SubmissionResult, names: list[str]) -> list:
    points = ["" if result.points.get(name) is None else result.points[name] for name in names]
    by_hand = [name for name in names if name in result.points and result.points[name] is None]
    max_score = sum(result.max_points.values())
    texts = ["; ".join(texts) for texts in (by_hand, result.told(), result.notes)]
    return [*points, result.raw_total, result.penalty, result.total, max_score, *texts]


def _escape_formula(cell) -> str | float:
    """Put an apostrophe before a text that a spreadsheet would run as a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+-@\t\r" and cell else cell
