"""A course of one lesson whose submissions are graded by a paper grader, and its gradebook to compare."""

import contextlib
import copy
import shutil
from datetime import datetime
from pathlib import Path

import nbformat
from nbgrader.api import Comment, Grade, Student, SubmittedAssignment, SubmittedNotebook
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import NbGraderPreprocessor
from paper_grader import FULL, mark

from course_lib.authoring.build import ROOT
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.nbgrader.repair import grade_id

LESSON = "02_attention"
PAPER = "paper_grader.PaperGrader"
SCORES = {"ada": FULL, "bao": FULL | {"causal_mask": 1.5}, "chen": {}, "dora": {"padding_mask": 4}}


class PaperExecute(NbGraderPreprocessor):
    """In place of nbgrader's Execute, for stock autograde on paper."""

    def preprocess(self, notebook, resources):
        return mark(notebook), resources


def make_course(folder: Path, scores=SCORES) -> Course:
    """A course with one lesson in the gradebook, and a submission by each student."""
    for name in (f"{LESSON}/{LESSON}.ipynb", f"{LESSON}_hidden.py"):
        (folder / "solutions" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "solutions" / name, folder / "solutions" / name)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    course = Course(folder, LESSON)
    course.bundle()
    for student, points in scores.items():
        hand_in(course, student, answered(points))
    return course


def copy_of(course: Course, folder: Path) -> Course:
    shutil.copytree(course.root, folder, dirs_exist_ok=True)
    return Course(folder, LESSON)


def answered(points: dict[str, float], essay: str = ""):
    """The released notebook with answers that earn these points."""
    notebook = nbformat.read(ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    for cell in notebook.cells:
        if grade_id(cell) in points:
            cell.source = f"# earns {points[grade_id(cell)]}"
        elif essay and grade_id(cell) == "mask_keys_not_queries":
            cell.source = essay
    return notebook


def hand_in(course: Course, student: str, notebook, timestamp: str = "", name: str = "") -> Path:
    folder = course.folder("submitted", student)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name or LESSON}.ipynb"
    if isinstance(notebook, bytes):
        path.write_bytes(notebook)
    else:
        path.write_text(nbformat.writes(notebook), encoding="utf-8")
    if timestamp:
        (folder / "timestamp.txt").write_text(timestamp)
    return path


def stock_autograde(course: Course, force=False) -> None:
    """nbgrader's own, but for the execution; it raises at its end where one submission failed."""
    config = copy.deepcopy(course.config)
    steps = Autograde().autograde_preprocessors
    config.Autograde.autograde_preprocessors = [PaperExecute, *steps[1:]]
    with contextlib.suppress(NbGraderException):
        Autograde(coursedir=course.directory, config=config, force=force).start()


def rows(course: Course) -> list[tuple]:
    """All that the gradebook says of submissions, but for random ids."""
    found = []
    with course.open_gradebook() as gradebook:
        session = gradebook.db
        found += [(s.id, s.first_name, s.last_name, s.email) for s in session.query(Student)]
        for one in session.query(SubmittedAssignment):
            found.append((one.student_id, one.timestamp, one.extension, one.score, one.needs_manual_grade))
        for one in session.query(SubmittedNotebook):
            found.append((one.student.id, one.name, one.flagged, one.score, one.late_submission_penalty))
        for one in session.query(Grade):
            scores = one.auto_score, one.manual_score, one.extra_credit, one.needs_manual_grade
            found.append((one.student.id, one.name, one.cell.type, *scores))
        for one in session.query(Comment):
            found.append((one.student.id, one.name, one.cell.type, one.auto_comment, one.manual_comment))
    return sorted(found, key=repr)


def set_due(course: Course, due: str) -> None:
    with course.open_gradebook() as gradebook:
        gradebook.update_or_create_assignment(LESSON, duedate=datetime.fromisoformat(due))


def points_of(course: Course) -> dict[str, float]:
    with course.open_gradebook() as gradebook:
        return {one.student_id: one.score for one in gradebook.assignment_submissions(LESSON)}
