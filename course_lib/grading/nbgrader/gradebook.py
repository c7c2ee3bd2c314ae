"""The only writer of the gradebook: a batch of submissions is one transaction.

Rows are those that stock autograde writes (nbgrader's Autograde.init_assignment, SaveAutoGrades and
AssignLatePenalties), on any database that SQLAlchemy speaks to.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

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

from course_lib.grading.course import Course, CourseError
from course_lib.grading.nbgrader.scores import Scores

TRIES, PAUSE = 5, 1.0  # while somebody else, such as formgrader, holds the database


@dataclass(frozen=True)
class Entry:
    """What is known of one submission. `scores` is None where it could not be graded."""

    student: str
    timestamp: datetime | None
    scores: Scores | None


class Records:
    """A context manager around nbgrader's Gradebook."""

    def __init__(self, course: Course):
        self._course = course
        self._gradebook = course.open_gradebook()
        self._session = self._gradebook.db
        self._lesson = self._gradebook.find_assignment(course.lesson)
        self._penalties = _late_penalties(course)

    def __enter__(self) -> "Records":
        return self

    def __exit__(self, *_) -> None:
        self._gradebook.close()

    def students(self) -> set[str]:
        """Those with a submission of the lesson in the gradebook."""
        mine = SubmittedAssignment.assignment_id == self._lesson.id
        return set(self._session.scalars(select(SubmittedAssignment.student_id).where(mine)))

    def save(self, batch: Sequence[Entry]) -> None:
        """All of the batch, or nothing of it. Raises CourseError where the database stays locked."""
        for left in reversed(range(TRIES)):
            try:
                self._write({entry.student: entry for entry in batch})
                self._session.commit()
                self._session.expire_all()
                return
            except OperationalError as error:
                self._session.rollback()
                if not left:
                    reason = str(error.orig).splitlines()[0]
                    raise CourseError(f"could not write to the gradebook: {reason}") from None
                time.sleep(PAUSE)
            except BaseException:
                self._session.rollback()
                raise

    def _write(self, batch: dict[str, Entry]) -> None:
        submissions = self._submissions(batch)
        for student, submission in submissions.items():
            if batch[student].timestamp:
                submission.timestamp = batch[student].timestamp
        by_id = {
            submission.id: batch[student].scores
            for student, submission in submissions.items()
            if batch[student].scores is not None
        }
        for where, name, grade in self._rows(Grade, by_id):
            if name in by_id[where].points:
                grade.auto_score = by_id[where].points[name]
                # a person has graded it, who has to look again, or has yet to
                grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
        for where, name, comment in self._rows(Comment, by_id):
            if name in by_id[where].comments:
                comment.auto_comment = by_id[where].comments[name]
        self._session.flush()
        if self._penalties:
            self._assign_penalties([s for s in submissions.values() if s.id in by_id])

    def _submissions(self, batch: dict[str, Entry]) -> dict[str, SubmittedAssignment]:
        """Those of the batch, by student; new ones with empty grades and comments."""
        known = set(self._session.scalars(select(Student.id).where(Student.id.in_(batch))))
        self._session.add_all(Student(id=student) for student in batch if student not in known)
        query = select(SubmittedAssignment).where(
            SubmittedAssignment.assignment_id == self._lesson.id, SubmittedAssignment.student_id.in_(batch)
        )
        found = {submission.student_id: submission for submission in self._session.scalars(query)}
        for student in batch:
            if student not in found:
                found[student] = self._mirror(student)
        self._session.flush()
        return found

    def _mirror(self, student: str) -> SubmittedAssignment:
        """As Gradebook.add_submission, which would commit."""
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

    def _assign_penalties(self, submissions: list[SubmittedAssignment]) -> None:
        for submission in submissions:
            for notebook in submission.notebooks:
                notebook.late_submission_penalty = None
                if (late := submission.total_seconds_late) > 0:
                    self._session.flush()
                    self._session.refresh(notebook, ["score"])
                    ask = self._penalties.plugin_inst.late_submission_penalty
                    penalty = ask(submission.student_id, notebook.score, late)
                    if penalty is not None:
                        penalty = self._penalties._check_late_penalty(notebook, penalty)
                    notebook.late_submission_penalty = penalty


def _late_penalties(course: Course) -> AssignLatePenalties | None:
    """nbgrader's, with the plugin of nbgrader_config.py; None where that switches it off."""
    steps = Autograde(config=course.config).autograde_preprocessors
    if not any("AssignLatePenalties" in str(step) for step in steps):
        return None
    penalties = AssignLatePenalties(config=course.config)
    penalties.init_plugin()
    return penalties if penalties.enabled else None
