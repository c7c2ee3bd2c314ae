"""Fills the points of a lesson into a file that Canvas or Moodle has exported, for it to import again.

One column changes, in the rows of who has points; all else stays as it was exported, for both systems make a
new column or drop a row where anything else differs.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from course_lib.grading.lms.lists import GRADEBOOK, WORKSHEET, kind_of, people_in
from course_lib.grading.lms.roster import Roster, UnknownStudentError, folded
from course_lib.grading.lms.table import Table, read_table, write_table
from course_lib.grading.nbgrader.course import CourseError
from course_lib.grading.results import SubmissionResult

KEPT = ("EX", "N/A")  # of Canvas: excused, and not assigned
TWICE = "are this student's, so they stay as they were: one row is expected"
NO_POINTS = "not graded, so its row stays as it was"


@dataclass
class Filled:
    """rows: by student, the row that got points; ungraded: who has written answers that count 0 so far."""

    rows: dict[str, list[str]] = field(default_factory=dict)
    ungraded: list[str] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)


class Upload:
    """lesson: its name; points: that it has in all. Raises CourseError where the file does not fit."""

    def __init__(self, path: Path, lesson: str, points: float, title: str = ""):
        self.table = read_table(path)
        self.kind = kind_of(self.table)
        if self.kind not in (GRADEBOOK, WORKSHEET):
            raise CourseError(
                f"{path} has no grades: give Canvas's gradebook or Moodle's grading worksheet, as exported"
            )
        self._column = _column(self.table, lesson, title) if self.kind == GRADEBOOK else _grade(self.table)
        texts = set(self._maxima())
        if wrong := [text for text in texts if _number(text) not in (None, points)]:
            raise CourseError(
                f"{self.table.heads[self._column]} has {wrong[0]} points in {path}, {lesson} has {points:g}: "
                "change that in the system, and export again"
            )
        self._comma = any("," in text for text in texts)
        self.path = Path(f"{lesson}_{self.kind.split()[0].lower()}.csv")
        self._require_replaceable()

    def _require_replaceable(self) -> None:
        if not self.path.exists():
            return
        if self.path.samefile(self.table.path):
            raise CourseError(f"{self.path} is what would be written: give the export another name")
        if (found := kind_of(read_table(self.path))) != self.kind:
            raise CourseError(f"{self.path} is not written over: expected a {self.kind}, found {found}")

    def _maxima(self) -> Iterator[str]:
        for row in self.table.rows:
            if self.kind == WORKSHEET:
                yield self.table.cell(row, "Maximum Grade")
            elif not self.table.cell(row, "ID") and len(row) > self._column:  # as "Points Possible"
                yield row[self._column].strip()

    def write(self, found: Sequence[SubmissionResult], roster: Roster) -> Filled:
        """Into `path`, in the current folder."""
        filled, rows, results = Filled(), self._rows(roster), {one.student: one for one in found}
        for student, (row, *others) in rows.items():
            if (result := results.pop(student, None)) is None:
                continue
            if others:
                filled.problems[student] = f"{len(others) + 1} rows of {self.table.path} {TWICE}"
                continue
            if reason := self._why_not(row, result):
                filled.problems[student] = reason
                continue
            row += [""] * (self._column + 1 - len(row))
            row[self._column] = self._text(result.total)
            filled.rows[student] = row
            if None in result.points.values():
                filled.ungraded.append(student)
        filled.problems |= dict.fromkeys(results, f"no row in {self.table.path}")
        write_table(self.table, self.path)
        return filled

    def _rows(self, roster: Roster) -> dict[str, list[list[str]]]:
        """By student; who is not known has none."""
        rows: dict[str, list[list[str]]] = {}
        for person, row in people_in(self.table):
            with suppress(UnknownStudentError):
                rows.setdefault(roster.of_person(person), []).append(row)
        return rows

    def _why_not(self, row: list[str], result: SubmissionResult) -> str:
        if not result.points:
            return NO_POINTS
        old = row[self._column].strip() if len(row) > self._column else ""
        if self.kind == GRADEBOOK and old.upper() in KEPT:
            return f"{old} in Canvas, which stays"
        if self.table.cell(row, "Grade can be changed").casefold() == "no" and _number(old) != result.total:
            return f"locked in Moodle, which keeps {old or 'no grade'}"
        return ""

    def _text(self, points: float) -> str:
        text = f"{points:.10g}"
        return text.replace(".", ",") if self._comma else text


def _column(table: Table, lesson: str, title: str) -> int:
    """Of Canvas: the assignment called so, or else the only one with that in its title."""
    titles = {place: head for place, head in enumerate(table.heads) if re.search(r"\(\d+\)$", head)}
    wanted = folded(title or lesson)
    called = [
        place for place, head in titles.items() if wanted in (folded(head), folded(head.rpartition(" (")[0]))
    ]
    places = called or [place for place, head in titles.items() if wanted in folded(head)]
    if len(places) != 1:
        raise CourseError(
            f"{table.path} has {len(places)} assignments called {title or lesson}: choose one with --column; "
            f"there are {', '.join(titles.values()) or 'none'}"
        )
    return places[0]


def _grade(table: Table) -> int:
    place = table.column("Grade")
    assert place is not None  # a worksheet is known by it
    return place


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None
