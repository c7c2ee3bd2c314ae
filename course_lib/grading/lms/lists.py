"""What the columns of Canvas's and Moodle's own lists of students mean.

Canvas: the gradebook, as "Export entire gradebook" gives it. Moodle: the participants, or an assignment's
grading worksheet, which alone knows the participant numbers in the names of a download. All in English.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from dateutil import parser

from course_lib.grading.lms.table import Table
from course_lib.grading.nbgrader.course import CourseError

GRADEBOOK, WORKSHEET, PARTICIPANTS = "Canvas gradebook", "Moodle grading worksheet", "Moodle participants"
# What stays the same over assignments and years: of these the first that is filled becomes nbgrader's id.
KEYS = {
    GRADEBOOK: ("ID",),
    WORKSHEET: ("Email address", "Username", "ID number"),
    PARTICIPANTS: ("Email address", "Username", "ID number"),
}
FIRST_NAMES, LAST_NAMES = ("FirstName", "First name"), ("LastName", "Last name", "Surname")
TEST_STUDENT = "Student, Test"  # of Canvas, for an instructor's student view
SUBMITTED = "Last modified (submission)"


@dataclass(frozen=True)
class Person:
    """A student of a list. key: "" where the list has none."""

    key: str
    first: str = ""
    last: str = ""
    email: str = ""

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}".strip()


def kind_of(table: Table) -> str:
    """Which list it is, by its heads. Raises CourseError."""
    if None not in (table.column("ID"), table.column("Section"), table.column("Student", "LastName")):
        return GRADEBOOK
    if None not in (table.column("Identifier"), table.column("Grade")):
        return WORKSHEET
    if None not in (table.column(*FIRST_NAMES), table.column(*LAST_NAMES)):
        return PARTICIPANTS
    raise CourseError(
        f"{table.path} has the columns {', '.join(table.heads[:6])}; expected Canvas's gradebook (Student, "
        "ID, Section), Moodle's grading worksheet (Identifier, Full name, Grade) or Moodle's participants "
        "(First name, Last name, Email address), exported in English"
    )


def people_in(table: Table) -> list[tuple[Person, list[str]]]:
    """Each with its row. Canvas has rows for points and for its test student too: they are left out."""
    kind = kind_of(table)
    found = [(_person(table, row, kind), row) for row in table.rows if any(row)]
    return [
        (person, row)
        for person, row in found
        if kind != GRADEBOOK or (person.key and table.cell(row, "Student") != TEST_STUDENT)
    ]


def _person(table: Table, row: list[str], kind: str) -> Person:
    key = next(filter(None, (table.cell(row, head) for head in KEYS[kind])), "")
    first, last = table.cell(row, *FIRST_NAMES), table.cell(row, *LAST_NAMES)
    email = table.cell(row, "Email address")
    if kind == GRADEBOOK:
        if not last:
            last, _, first = (part.strip() for part in table.cell(row, "Student").partition(","))
        login = table.cell(row, "SIS Login ID")
        email = login if "@" in login else ""
    if kind == WORKSHEET:  # where the first name ends is not known
        first, last = "", table.cell(row, "Full name")
    return Person(key, first, last, email)


def participant(table: Table, row: list[str]) -> str:
    """The number of "Participant 123" of a worksheet, in any language."""
    match = re.search(r"\d+$", table.cell(row, "Identifier"))
    return match[0] if match else ""


def submitted_at(table: Table, row: list[str]) -> datetime | None:
    """UTC; a worksheet has it to the minute, in the zone of who exported it: taken as this machine's.

    None where nothing was handed in. Raises ValueError with what is no date.
    """
    text = table.cell(row, SUBMITTED)
    if not any(map(str.isdecimal, text)):
        return None  # "-": nothing handed in
    try:
        return parser.parse(text).astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise ValueError(f"expected a date in English, found {text!r}") from None
