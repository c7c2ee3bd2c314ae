"""`course collect`: from what a learning management system gives to nbgrader's submitted/."""

import argparse
import sys
from datetime import datetime, timedelta
from pathlib import Path

from course_lib.grading.lms.archive import read_download
from course_lib.grading.lms.choose import Choice, choose
from course_lib.grading.lms.lesson_of import Recognizer
from course_lib.grading.lms.lists import WORKSHEET, kind_of, submitted_at
from course_lib.grading.lms.names import CANVAS
from course_lib.grading.lms.roster import Roster, read_roster, save_list
from course_lib.grading.lms.submitted import TAKEN, UNCHANGED, Submitted
from course_lib.grading.lms.table import Table, read_table
from course_lib.grading.nbgrader.course import Course, CourseError
from course_lib.grading.plain_text import one_line

LATE = timedelta(seconds=1)
NO_LIST = "no list of students: each name is taken as it stands; --list FILE gives the system's own list"


def collect(options: argparse.Namespace) -> int:
    """The exit code of `course collect` with these options."""
    try:
        course = Course(Path.cwd(), options.lesson)
        return Collecting(course, read_table(options.list) if options.list else None).start(options.source)
    except CourseError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"{error.strerror or error}: {error.filename or 'no file is named'}", file=sys.stderr)
    return 2


class Collecting:
    """One run; it prints what it does."""

    def __init__(self, course: Course, students: Table | None):
        self._course, self._not_taken = course, {}
        self._verdict = Recognizer(course).verdict  # first: an unknown lesson changes nothing
        is_worksheet = students is not None and kind_of(students) == WORKSHEET
        self._worksheet = students if is_worksheet else None
        if students:
            saved = save_list(course, students)
            self._not_taken |= saved.problems
            print(f"list of students: {len(saved.added)} new")
        with course.open_gradebook() as gradebook:
            due = gradebook.find_assignment(course.lesson).duedate
        self._due: datetime | None = due if isinstance(due, datetime) else None

    def start(self, source: Path) -> int:
        """The exit code: 1 where something was not taken."""
        roster = read_roster(self._course, self._worksheet)
        if roster.is_empty:
            print(NO_LIST)
        choices = choose(read_download(source), self._course.lesson, roster, self._verdict)
        self._not_taken |= choices.not_taken
        counts, submitted = {TAKEN: 0, UNCHANGED: 0}, Submitted(self._course)
        try:
            for choice in sorted(choices.chosen.values(), key=lambda one: one.student):
                became = submitted.put(choice, self._time(choice, roster))
                if became in counts:
                    counts[became] += 1
                else:
                    self._not_taken[choice.file.name] = became
        finally:
            submitted.save()
        _tell("older", choices.older)
        _tell("not taken", self._not_taken)
        print(
            f"{counts[TAKEN]} taken, {counts[UNCHANGED]} unchanged, {len(choices.older)} older, "
            f"{len(self._not_taken)} not taken; {self._missing(roster)}"
        )
        return int(bool(self._not_taken))

    def _time(self, choice: Choice, roster: Roster) -> datetime | None:
        """When it was handed in, as far as the system says it: None counts as in time.

        A download of Canvas says only that something is late, so it becomes as little late as possible.
        """
        if choice.label.system != CANVAS:
            row = roster.row_of(choice.label)
            return submitted_at(self._worksheet, row) if self._worksheet and row else None
        if not choice.label.late:
            return None
        if self._due is None:
            print(f"late: {one_line(choice.file.name)}: counts as in time, for nbgrader has no due date")
            return None
        print(f"late: {one_line(choice.file.name)}: counts as one second late; Canvas does not say how much")
        return self._due + LATE

    def _missing(self, roster: Roster) -> str:
        there = {one.student for one in self._course.submissions()}
        return f"{len(roster.people.keys() - there)} of {len(roster.people)} students have no submission"


def _tell(what: str, reasons: dict[str, str]) -> None:
    for name, reason in sorted(reasons.items()):
        print(f"{what}: {one_line(name)}: {one_line(reason)}")
