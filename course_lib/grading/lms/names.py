"""Who handed in a file, by the name that Canvas, Moodle or an instructor gave it.

Canvas: name_LATE_id_attachment_file, as its lib/content_zipper.rb writes it. The name is in small letters and
without blanks, the id is that of the gradebook's column ID, and an attachment's number grows with time.
Moodle: Full Name_number_assignsubmission_file/file, or all in one name where folders are switched off. The
number is a participant's in one assignment only.
Otherwise: a folder or a file for each student, called as the student is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

CANVAS, MOODLE, PLAIN = "Canvas", "Moodle", "folder"
_MOODLE = re.compile(r"(?P<name>[^_]+)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?")
_CANVAS = re.compile(  # a name stands before each id that is a number: 2026_3_homework.ipynb has none
    r"(?:(?P<name>\w*?)_)??(?P<late>LATE_)?(?P<id>(?<=_)[1-9]\d*|anon_\w+?)"
    r"_(?P<attachment>[1-9]\d*)_(?P<file>.+)"
)
_BEFORE = r"(?:copy[ _]of[ _])*"
_AFTER = r"(?:[ _]?\(\d+\)|-copy\d*)*"  # a student may be called s-123, so -2 is not among them


@dataclass(frozen=True)
class Label:
    """names: what the student may be called (which of them, a list of students knows); or the system's name.

    id: the system's number, or anon_ and what stands for it; "" of a plain folder.
    attachment: Canvas's, 0 where there is none. file: as the student called it.
    """

    system: str
    names: tuple[str, ...]
    file: str
    id: str = ""
    attachment: int = 0
    late: bool = False


def labels(names: Sequence[str], lesson: str) -> dict[str, Label]:
    """Of all files of a download, by their names."""
    found = {name: label for name in names if (label := _of_a_system(name, lesson))}
    rest = {
        name: tuple(part for part in PurePosixPath(name).parts[:-1] if part != lesson)
        for name in names
        if name not in found
    }
    around = _is_around(list(rest.values()))  # a folder that holds the students' is no student's
    for name, folders in rest.items():
        file = PurePosixPath(name).name
        stem = PurePosixPath(file).stem
        own = [stem, without_copy_marks(stem)] if not is_called(stem, lesson) else []
        found[name] = Label(PLAIN, tuple(dict.fromkeys([*folders[around:], *own])), file)
    return found


def _is_around(paths: Sequence[tuple[str, ...]]) -> bool:
    return (
        all(len(path) > 1 for path in paths)
        and len({path[0] for path in paths}) == 1
        and len({path[1] for path in paths}) > 1
    )


def without_copy_marks(stem: str) -> str:
    """Without what browsers and Colab add to copies: Copy_of_, (1)."""
    return re.sub(f"^{_BEFORE}|{_AFTER}$", "", stem, flags=re.IGNORECASE)


def is_called(stem: str, lesson: str) -> bool:
    """Whether a notebook's name is the lesson's, or that of a copy of it: Copy_of_, (1), -2."""
    copy = rf"{_BEFORE}{re.escape(lesson)}{_AFTER}(?:-\d+)?{_AFTER}"
    return re.fullmatch(copy, stem, re.IGNORECASE) is not None


def _of_a_system(name: str, lesson: str) -> Label | None:
    parts = PurePosixPath(name).parts
    for part in parts:
        if match := _MOODLE.fullmatch(part):
            file = match["file"] or parts[-1] if part == parts[-1] else parts[-1]
            return Label(MOODLE, (match["name"],), file, match["id"])
    match = _CANVAS.fullmatch(parts[-1])
    if match and not is_called(f"{match['attachment']}_{PurePosixPath(match['file']).stem}", lesson):
        late = bool(match["late"])
        return Label(
            CANVAS, (match["name"] or "",), match["file"], match["id"], int(match["attachment"]), late
        )
    return None
