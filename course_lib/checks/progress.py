"""Keeps a learner's progress across restarts of the kernel: one small file a lesson."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from course_lib.atomic import write_atomically
from course_lib.state import folder

STATUSES = ("right", "wrong", "not attempted")


@dataclass
class Record:
    """How the last check of an exercise came out. `earlier`: in a session before this one.

    slip: the key of the mistake that the last check named; call: code that shows it; told: whether a
    hint has told of it. slips: all mistakes that checks have named, each with its sources.
    answered: whether a written answer was passed to `model_answer`.
    """

    status: str = "not attempted"
    points: float = 0.0
    hints: int = 0
    earlier: bool = False
    slip: str = ""
    call: str = ""
    told: bool = False
    slips: dict[str, list[str]] = field(default_factory=dict)
    answered: bool = False

    @property
    def is_sound(self) -> bool:
        """Whether a check has made it, as against a damaged file."""
        lists = self.slips.values() if isinstance(self.slips, dict) else [None]
        return self.status in STATUSES and all(isinstance(sources, list) for sources in lists)


class Progress:
    """The records of one lesson by exercise, and their file.

    Where no file can be written the records last as long as the session does, and `note` says so.
    """

    def __init__(self, lesson: str):
        place = folder()
        self.path = place / f"{lesson}.json" if place else None
        self.problem = ""
        self.records = _read(self.path)

    def __getitem__(self, exercise: str) -> Record:
        return self.records.setdefault(exercise, Record())

    def save(self) -> None:
        """A killed kernel leaves the old file whole."""
        if self.path is None:
            return
        content = {name: asdict(record) | {"earlier": True} for name, record in self.records.items()}
        try:
            with write_atomically(self.path) as file:
                file.write(json.dumps(content).encode())
            self.problem = ""
        except OSError as error:
            self.problem = f"{type(error).__name__}: {error}"

    def note(self) -> str:
        """Where this is kept, or why it will be lost."""
        if self.path is None:
            return "Not saved. A restart of the kernel empties this table."
        if self.problem:
            return f"Not saved, so a restart of the kernel empties this table: {self.problem}"
        if "google.colab" in sys.modules and not self.path.resolve().is_relative_to("/content/drive"):
            return (
                "Saved until Colab takes this machine away. Your notebook in Drive stays, this table is lost."
            )
        return f"Saved in `{self.path}`. A restart of the kernel does not empty this table."

    def earlier_lessons(self) -> Iterator[tuple[str, dict[str, Record]]]:
        """The lessons before this one that have a file, the nearest first, each with its records."""
        if self.path is not None:
            before = [path for path in self.path.parent.glob("*.json") if path.stem < self.path.stem]
            yield from ((path.stem, _read(path)) for path in sorted(before, reverse=True))


def _read(path: Path | None) -> dict[str, Record]:
    """A file that is missing, damaged or not ours counts as empty."""
    if path is None:
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        records = {name: Record(**fields) for name, fields in content.items()}
        return {name: record for name, record in records.items() if record.is_sound}
    except (AttributeError, OSError, TypeError, ValueError):
        return {}
