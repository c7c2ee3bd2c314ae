"""Writes nbgrader's submitted/STUDENT/LESSON, and remembers where each notebook came from.

A notebook that came in another way, such as by hand, is never written over; nor is a newer one.
"""

import hashlib
import json
from datetime import datetime
from pathlib import Path

from course_lib.atomic import write_atomically
from course_lib.grading.lms.choose import Choice
from course_lib.grading.lms.names import CANVAS
from course_lib.grading.nbgrader.course import STAMP, Course

TAKEN, UNCHANGED = "taken", "unchanged"


class Submitted:
    """The record is submitted/.collected/LESSON.json: nbgrader does not look at names with a dot."""

    def __init__(self, course: Course):
        self._course = course
        top = course.root / course.directory.submitted_directory
        self._record = top / ".collected" / f"{course.lesson}.json"
        try:
            self._known: dict[str, dict] = json.loads(self._record.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # lost: then all that is there counts as come in another way
            self._known = {}

    def put(self, choice: Choice, time: datetime | None) -> str:
        """TAKEN, UNCHANGED, or why what is there was kept.

        time: of submission, UTC. Where the system does not tell it, what is known of the same notebook stays.
        """
        folder = self._course.folder("submitted", choice.student)
        path = folder / f"{self._course.lesson}.ipynb"
        new = _digest(choice.file.data)
        old = _digest(path.read_bytes()) if path.is_file() else ""
        is_told = time is not None or choice.label.system == CANVAS  # Moodle needs its worksheet for that
        stamp = _stamp(time) if is_told or old != new else _read(folder / STAMP)
        is_changed = (old, _read(folder / STAMP)) != (new, stamp)
        if old and is_changed and (reason := self._kept(choice, old, new)):
            return reason
        if is_changed:
            _write(folder / STAMP, stamp.encode())
            _write(path, choice.file.data)
        self._known[choice.student] = {
            "file": choice.file.name,
            "system": choice.label.system,
            "rank": choice.rank,
            "sha256": new,
        }
        return TAKEN if is_changed else UNCHANGED

    def save(self) -> None:
        """The record, once all are put."""
        _write(self._record, json.dumps(self._known, indent=1, sort_keys=True).encode())

    def _kept(self, choice: Choice, old: str, new: str) -> str:
        folder = self._course.folder("submitted", choice.student)
        known = self._known.get(choice.student, {})
        if known.get("sha256") != old or known.get("system") != choice.label.system:
            other = f"{folder} holds another notebook, which came in another way: remove it to take this one"
            return UNCHANGED if old == new else other
        if known["rank"] >= choice.rank and old != new:
            return f"{folder} holds a newer one, {known['file']}"
        return ""


def _stamp(time: datetime | None) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S} UTC" if time else ""


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _write(path: Path, data: bytes) -> None:
    """An empty file is none."""
    if not data:
        path.unlink(missing_ok=True)
        return
    with write_atomically(path) as file:
        file.write(data)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
