"""`course collect`: from what a learning management system gives to nbgrader's submitted/."""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from course_lib.grading.lms.archive import Download, read_download
from course_lib.grading.lms.choose import Choice, choose
from course_lib.grading.lms.lesson_of import Recognizer
from course_lib.grading.lms.lists import WORKSHEET, kind_of, submitted_at
from course_lib.grading.lms.names import CANVAS
from course_lib.grading.lms.roster import read_roster, save_list
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


@dataclass(frozen=True)
class Decision:
    """taken: by student, each with the time of submission (UTC; None counts as in time).

    older and not_taken: by name in the download, or in the list of students, with the reason.
    """

    taken: list[tuple[Choice, datetime | None]]
    older: dict[str, str]
    not_taken: dict[str, str]

    def told(self) -> Iterator[str]:
        """A line for each file that is not taken."""
        for what, reasons in (("older", self.older), ("not taken", self.not_taken)):
            for name, reason in sorted(reasons.items()):
                yield f"{what}: {one_line(name)}: {one_line(reason)}"


class Collecting:
    """One run; `say` gets each line of what it does."""

    def __init__(self, course: Course, students: Table | None, say: Callable[[str], None] = print):
        self._course, self._problems, self._say = course, {}, say
        self._verdict = Recognizer(course).verdict  # first: an unknown lesson changes nothing
        is_worksheet = students is not None and kind_of(students) == WORKSHEET
        self._worksheet = students if is_worksheet else None
        if students:
            saved = save_list(course, students)
            self._problems = saved.problems
            say(f"list of students: {len(saved.added)} new")
        with course.open_gradebook() as gradebook:
            due = gradebook.find_assignment(course.lesson).duedate
        self._due: datetime | None = due if isinstance(due, datetime) else None
        self._roster = read_roster(course, self._worksheet)

    def decide(self, download: Download) -> Decision:
        """What counts; nothing is written."""
        if self._roster.is_empty:
            self._say(NO_LIST)
        choices = choose(download, self._course.lesson, self._roster, self._verdict)
        taken = [
            (one, self._time(one)) for one in sorted(choices.chosen.values(), key=lambda one: one.student)
        ]
        return Decision(taken, choices.older, self._problems | choices.not_taken)

    def start(self, source: Path) -> int:
        """The exit code: 1 where something was not taken."""
        decision = self.decide(read_download(source))
        counts, submitted = {TAKEN: 0, UNCHANGED: 0}, Submitted(self._course)
        try:
            for choice, time in decision.taken:
                became = submitted.put(choice, time)
                if became in counts:
                    counts[became] += 1
                else:
                    decision.not_taken[choice.file.name] = became
        finally:
            submitted.save()
        for line in decision.told():
            self._say(line)
        self._say(
            f"{counts[TAKEN]} taken, {counts[UNCHANGED]} unchanged, {len(decision.older)} older, "
            f"{len(decision.not_taken)} not taken; {self._missing()}"
        )
        return int(bool(decision.not_taken))

    def _time(self, choice: Choice) -> datetime | None:
        """When it was handed in, as far as the system says it: None counts as in time.

        A download of Canvas says only that something is late, so it becomes as little late as possible.
        """
        if choice.label.system != CANVAS:
            row = self._roster.row_of(choice.label)
            try:
                return submitted_at(self._worksheet, row) if self._worksheet and row else None
            except ValueError as error:
                self._say(f"no time: {one_line(choice.file.name)}: {one_line(str(error))} in the worksheet")
                return None
        if not choice.label.late:
            return None
        if self._due is None:
            self._say(
                f"late: {one_line(choice.file.name)}: counts as in time, for nbgrader has no due date: "
                "set it in formgrader and collect again"
            )
            return None
        self._say(
            f"late: {one_line(choice.file.name)}: counts as one second late; Canvas does not say how much"
        )
        return self._due + LATE

    def _missing(self) -> str:
        there, people = {one.student for one in self._course.submissions()}, self._roster.people
        return f"{len(people.keys() - there)} of {len(people)} students have no submission"
