"""Of all notebooks of a download, the one of each student that counts, and why the others do not."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from course_lib.grading.lms.archive import Download, Found
from course_lib.grading.lms.lesson_of import Verdict
from course_lib.grading.lms.names import CANVAS, MOODLE, PLAIN, Label, labels
from course_lib.grading.lms.roster import Roster, UnknownStudentError


@dataclass(frozen=True)
class Choice:
    """A student's notebook. broken: why it cannot be read, or ""."""

    student: str
    file: Found
    label: Label
    broken: str = ""

    @property
    def rank(self) -> float:
        """Grows with each submission: Canvas's number of an attachment; elsewhere the file's time."""
        return self.label.attachment if self.label.system == CANVAS else self.file.time.timestamp()


@dataclass
class Choices:
    """chosen: by student; older and not_taken: by name in the download, with the reason."""

    chosen: dict[str, Choice] = field(default_factory=dict)
    older: dict[str, str] = field(default_factory=dict)
    not_taken: dict[str, str] = field(default_factory=dict)


def choose(download: Download, lesson: str, roster: Roster, verdict: Callable[[bytes], Verdict]) -> Choices:
    """The choice among all notebooks of the lesson, and those that are too broken to tell."""
    choices = Choices(not_taken=dict(download.refused))
    known = labels([file.name for file in download.notebooks], lesson)
    by_student: dict[str, list[Choice]] = {}
    for file in download.notebooks:
        try:
            student = roster.of_label(known[file.name])
        except UnknownStudentError as error:
            choices.not_taken[file.name] = str(error)
            continue
        found = verdict(file.data)
        if found.refusal and not found.is_broken:
            choices.not_taken[file.name] = found.refusal
            continue
        by_student.setdefault(student, []).append(Choice(student, file, known[file.name], found.refusal))
    for handed_in in by_student.values():
        _choose_one(handed_in, choices)
    _tell_others(download, lesson, known.values(), choices)
    return choices


def _choose_one(handed_in: list[Choice], choices: Choices) -> None:
    """The newest counts. If it is broken, none is taken: an older one in its place would be a guess."""
    newest = max(handed_in, key=lambda one: one.rank)
    rivals = [one for one in handed_in if one.file.data != newest.file.data]
    if any(not _is_older(one, newest) for one in rivals):
        for one in handed_in:
            choices.not_taken[one.file.name] = (
                f"{len(handed_in)} different notebooks of {newest.student}, and none is the newest for "
                f"certain: call the right one {newest.student}.ipynb and collect that file"
            )
        return
    if newest.broken:
        choices.not_taken[newest.file.name] = newest.broken
    else:
        choices.chosen[newest.student] = newest
    for one in handed_in:
        if one is not newest:
            same = one.file.data == newest.file.data
            choices.older[one.file.name] = f"{'the same as' if same else 'older than'} {newest.file.name}"


def _is_older(one: Choice, newest: Choice) -> bool:
    """For certain. Moodle packs all files of a submission at once, and gives none of their times."""
    systems = {one.label.system, newest.label.system}
    return len(systems) == 1 and MOODLE not in systems and one.rank < newest.rank


def _tell_others(download: Download, lesson: str, seen: Iterable[Label], choices: Choices) -> None:
    """What is no notebook; it may be all that a student has handed in."""
    those_seen = {(label.system, label.id) for label in seen}
    known = labels(list(download.others), lesson)
    for name, reason in download.others.items():
        label = known[name]
        alone = label.system != PLAIN and (label.system, label.id) not in those_seen
        choices.not_taken[name] = f"{reason}, and no notebook of this student is there" if alone else reason
