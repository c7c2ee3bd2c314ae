"""Write points to the gradebook, a batch of submissions in one transaction; nothing else writes to it.

Rows are those that stock autograde writes (nbgrader's Autograde.init_assignment, SaveAutoGrades and
AssignLatePenalties), on any database that SQLAlchemy speaks to. But the time is that of what was graded:
stock keeps an old one without a timestamp.txt, and takes that of a notebook that it cannot read.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nbgrader.api import (
    BaseCell,
    Comment,
    Grade,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.converters import Autograde
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from course_lib.grading.nbgrader.cell_points import CellPoints
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.nbgrader.course_files import CourseError, as_settings

LOCK_ATTEMPTS, LOCK_PAUSE = 5, 1.0  # while another program, such as formgrader, holds the database; seconds


@dataclass(frozen=True)
class Entry:
    """What the gradebook learns of one submission. `cells` is None where it could not be graded.

    timestamp: of what is graded; None counts as in time.
    """

    student: str
    timestamp: datetime | None
    cells: CellPoints | None


class Records:
    """A context manager around nbgrader's Gradebook."""

    def __init__(self, course: Course):
        self._course = course
        self._gradebook = course.open_gradebook()
        self._session = self._gradebook.db
        self._lesson = self._gradebook.find_assignment(course.lesson)
        with as_settings(course.root):
            self._penalties = _late_penalties(course)

    def __enter__(self) -> "Records":
        return self

    def __exit__(self, *_) -> None:
        self._gradebook.close()

    def students(self) -> set[str]:
        """Those with a submission of the lesson in the gradebook."""
        mine = SubmittedAssignment.assignment_id == self._lesson.id
        return set(self._session.scalars(select(SubmittedAssignment.student_id).where(mine)))

    def renew_penalties(self, graded: set[str]) -> None:
        """Of all but those: the due date, the penalty or points by hand may have changed since.

        Raises CourseError where the database stays locked.
        """
        if self._penalties and (others := sorted(self.students() - graded)):
            self.save([Entry(student, None, None) for student in others], anew=True)

    def save(self, batch: Sequence[Entry], anew: bool = False) -> None:
        """Write all of the batch, or nothing of it. Raises CourseError where the database stays locked.

        anew: assign penalties also to those that were graded before.
        """
        for attempts_left in reversed(range(LOCK_ATTEMPTS)):
            try:
                self._write({entry.student: entry for entry in batch}, anew)
                self._session.commit()
                self._session.expire_all()  # else the objects of all batches would stay in memory
                return
            except OperationalError as error:  # locked, or the server restarts: the whole batch once more
                self._session.rollback()
                if not attempts_left:
                    reason = str(error.orig).splitlines()[0]
                    raise CourseError(f"could not write to the gradebook: {reason}") from None
                time.sleep(LOCK_PAUSE)
            except BaseException:
                self._session.rollback()
                raise

    def _write(self, batch: dict[str, Entry], anew: bool) -> None:
        """The transaction, up to its commit: one query a table for all of the batch, not one a student."""
        submissions, new = self._submissions(batch)
        cells_by_id: dict[str, CellPoints] = {}  # of those that were graded, by the id of the submission
        for student, submission in submissions.items():
            cells = batch[student].cells
            if cells is not None:
                cells_by_id[submission.id] = cells
            if cells is not None or student in new:  # the points of an earlier one keep its time
                submission.timestamp = batch[student].timestamp
        for submission_id, name, grade in self._rows(Grade, cells_by_id):
            if name in (points := cells_by_id[submission_id].points):
                grade.auto_score = points[name]
                # A person has graded it and has to look again, or nobody has graded it yet.
                grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
        for submission_id, name, comment in self._rows(Comment, cells_by_id):
            if name in (comments := cells_by_id[submission_id].comments):
                comment.auto_comment = comments[name]
        self._session.flush()
        if self._penalties:  # they depend on the scores that were just written
            graded = [one for one in submissions.values() if anew or one.id in cells_by_id]
            self._assign_penalties(graded, self._penalties)

    # Rows are Any: to type checkers nbgrader's tables have columns where their objects have values.
    def _submissions(self, batch: dict[str, Entry]) -> tuple[dict[str, Any], Collection[str]]:
        """The batch's rows by student, and who had none before: theirs are added, with empty grades."""
        enrolled = set(self._session.scalars(select(Student.id).where(Student.id.in_(batch))))
        self._session.add_all(Student(id=student) for student in batch if student not in enrolled)
        query = select(SubmittedAssignment).where(
            SubmittedAssignment.assignment_id == self._lesson.id, SubmittedAssignment.student_id.in_(batch)
        )
        rows: Any = self._session.scalars(query)
        known = {one.student_id: one for one in rows}
        added = {student: self._add_submission(student) for student in batch if student not in known}
        self._session.flush()
        return known | added, added.keys()

    def _add_submission(self, student: str) -> Any:
        """As Gradebook.add_submission, which would commit and so end our transaction."""
        submission = SubmittedAssignment(assignment_id=self._lesson.id, student_id=student)
        for notebook in self._lesson.notebooks:
            own = SubmittedNotebook(notebook_id=notebook.id, assignment=submission)
            for cell in [*notebook.grade_cells, *notebook.task_cells]:
                Grade(cell_id=cell.id, notebook=own)
            for cell in [*notebook.solution_cells, *notebook.task_cells]:
                Comment(cell_id=cell.id, notebook=own)
        self._session.add(submission)
        return submission

    def _rows(self, table: type[Grade] | type[Comment], submissions: dict) -> Sequence:
        """(id of the submission, name of the cell, row)."""
        query = (
            select(SubmittedNotebook.assignment_id, BaseCell.name, table)
            .join(SubmittedNotebook, SubmittedNotebook.id == table.notebook_id)
            .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
            .join(BaseCell, BaseCell.id == table.cell_id)
            .where(SubmittedNotebook.assignment_id.in_(submissions), Notebook.name == self._course.lesson)
        )
        return self._session.execute(query).all()

    def _assign_penalties(self, submissions: list[Any], penalties: AssignLatePenalties) -> None:
        for submission in submissions:
            for notebook in submission.notebooks:
                notebook.late_submission_penalty = None
                if (late := submission.total_seconds_late) > 0:
                    self._session.flush()  # `score` is computed by the database, from the rows written above
                    self._session.refresh(notebook, ["score"])
                    plugin: Any = penalties.plugin_inst
                    with as_settings(self._course.root, "a late penalty that is a number or None"):
                        penalty = plugin.late_submission_penalty(submission.student_id, notebook.score, late)
                        if penalty is not None:
                            penalty = penalties._check_late_penalty(notebook, penalty)
                    notebook.late_submission_penalty = penalty


def _late_penalties(course: Course) -> AssignLatePenalties | None:
    """nbgrader's, with the plugin of nbgrader_config.py; None where that switches it off."""
    steps = Autograde(config=course.config).autograde_preprocessors
    if not any("AssignLatePenalties" in str(step) for step in steps):
        return None
    penalties = AssignLatePenalties(config=course.config)
    penalties.init_plugin()
    return penalties if penalties.enabled else None
