"""The class as nbgrader's gradebook has it, and which of its students a file or a row belongs to."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from course_lib.grading.lms.lists import WORKSHEET, Person, kind_of, participant, people_in
from course_lib.grading.lms.names import CANVAS, MOODLE, Label
from course_lib.grading.lms.table import Table
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.plain_text import one_line

LONGEST_ID = 128  # of the gradebook's column


class UnknownStudentError(Exception):
    """Whose a file or a row is, is not known for certain. The message says why."""


@dataclass
class Saved:
    """What became of a list: names that are new to the gradebook, and by name why one was left out."""

    added: list[str] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)


class Roster:
    """worksheet: Moodle's, of the lesson, which knows the participant numbers in a download."""

    def __init__(self, people: Iterable[Person], worksheet: Table | None = None):
        self.people = {person.key: person for person in people}
        self._by_key: dict[str, set[str]] = {}
        self._by_name: dict[str, set[str]] = {}
        for key, person in self.people.items():
            self._by_key.setdefault(folded(key), set()).add(key)
            for text in (f"{person.first} {person.last}", f"{person.last} {person.first}", person.email):
                if folded(text):
                    self._by_name.setdefault(folded(text), set()).add(key)
        self._worksheet, self._rows = worksheet, {}
        if worksheet and kind_of(worksheet) == WORKSHEET:
            self._rows = {participant(worksheet, row): (who, row) for who, row in people_in(worksheet)}

    @property
    def is_empty(self) -> bool:
        """Whether there is no list: grading adds bare ids of whoever handed in."""
        return not any(person.last or person.email for person in self.people.values())

    def of_label(self, label: Label) -> str:
        """Raises UnknownStudentError."""
        if label.id.startswith("anon_"):
            raise UnknownStudentError("an anonymous download: end anonymous grading in Canvas and repeat it")
        if label.system == CANVAS:
            return label.id if self.is_empty else self._one(label.id, self._by_key)
        if label.system == MOODLE:
            if label.id in self._rows:
                return self.of_person(self._rows[label.id][0])
            return self._one(label.names[0], self._by_name, "; the grading worksheet tells: --list")
        return self._of_name(list(label.names))

    def _of_name(self, names: list[str]) -> str:
        """Of a plain folder, whose file may be called by any of these."""
        if not names:
            raise UnknownStudentError("its name does not say whose it is: call it ID.ipynb")
        if not self.is_empty:
            index = self._by_name | self._by_key
            known = [name for name in names if folded(name) in index]
            return self._one(known[0] if known else names[0], index)
        if len(names) > 1:
            raise UnknownStudentError(f"{' or '.join(names)}? A list of students tells: --list")
        if not is_id(names[0]):
            raise UnknownStudentError(f"{names[0]!r} cannot name a student's folder")
        return names[0]

    def of_person(self, person: Person) -> str:
        """Of a list's row. Raises UnknownStudentError."""
        if person.key:
            return self._one(person.key, self._by_key)
        if not person.name:
            raise UnknownStudentError("the list does not name this student: end anonymous marking in Moodle")
        return self._one(person.name, self._by_name)

    def shown(self, student: str) -> str:
        """The id, which alone may be a number, with the name."""
        person = self.people.get(student)
        return one_line(f"{student} ({person.name})" if person and person.name else student)

    def row_of(self, label: Label) -> list[str]:
        """The worksheet's, [] where there is none."""
        return self._rows[label.id][1] if label.system == MOODLE and label.id in self._rows else []

    def _one(self, text: str, index: dict[str, set[str]], advice: str = "") -> str:
        found = index.get(folded(text), set())
        if len(found) == 1:
            return next(iter(found))
        if found:
            raise UnknownStudentError(f"{text!r} may be {' or '.join(sorted(found))}{advice}")
        raise UnknownStudentError(f"no student {text!r} in the list")


def read_roster(course: Course, worksheet: Table | None = None) -> Roster:
    with course.open_gradebook() as gradebook:
        people = [
            Person(str(one.id), str(one.first_name or ""), str(one.last_name or ""), str(one.email or ""))
            for one in gradebook.students
        ]
    return Roster(people, worksheet)


def save_list(course: Course, table: Table) -> Saved:
    """Into the gradebook. Nobody is removed, and nothing that the list leaves empty is emptied."""
    saved, people = Saved(), [person for person, _ in people_in(table)]
    counts = Counter(person.key for person in people)
    with course.open_gradebook() as gradebook:
        students: dict[str, Any] = {str(one.id): one for one in gradebook.students}
        for person in people:
            if not is_id(person.key) or counts[person.key] > 1:
                saved.problems[person.name or person.key] = _why_not(person.key)
                continue
            given = {"first_name": person.first, "last_name": person.last, "email": person.email}
            if (known := students.get(person.key)) is None:
                saved.added.append(person.key)
            elif known.first_name and not person.first:  # a worksheet has the whole name in one
                given = {"email": person.email}
            new: Any = {
                name: text for name, text in given.items() if text and getattr(known, name, None) != text
            }
            if new or known is None:
                gradebook.update_or_create_student(person.key, **new)
    return saved


def _why_not(key: str) -> str:
    if not key:
        return "the list has no email address, username or number of this student"
    return f"{key!r} stands there twice" if is_id(key) else f"{key!r} cannot name a folder"


def is_id(text: str) -> bool:
    """Whether it can name a student's folder on every system, and a row of the gradebook."""
    return (
        text.isprintable()
        and 0 < len(text.encode("utf-8", "replace")) <= LONGEST_ID
        and text == text.strip(" .")
        and not re.search(r'[/\\:*?"<>|\[\]{}]', text)
    )


def folded(text: str) -> str:
    """As names are compared: Moodle leaves some characters out of a folder's, and Mac divides others."""
    text = re.sub(r"""[&<>"`|':\\/]""", "", unicodedata.normalize("NFC", text))
    return " ".join(text.replace("_", " ").casefold().split())
