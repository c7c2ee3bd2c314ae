"""Keeps a learner's progress across restarts of the kernel: one small file a lesson."""

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from course_lib.atomic import write_atomically

FOLDER = "COURSE_LIB_STATE"  # environment variable: where the files lie; empty: keep nothing
STATUSES = ("right", "wrong", "not attempted")


@dataclass
class Record:
    """How the last check of an exercise came out. `earlier`: in a session before this one."""

    status: str = "not attempted"
    points: float = 0.0
    hints: int = 0
    earlier: bool = False


class Progress:
    """The records of one lesson by exercise, and their file.

    Where no file can be written the records last as long as the session does, and `note` says so.
    """

    def __init__(self, lesson: str):
        folder = os.environ.get(FOLDER, "~/.transformer_course")
        # Where nbgrader runs a notebook nothing is read or written.
        kept = folder and not os.environ.get("NBGRADER_EXECUTION")
        self.path = Path(folder).expanduser() / f"{lesson}.json" if kept else None
        self.problem = ""
        self.records = self._read()

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
            return "Not kept: a restart of the kernel empties this table."
        if self.problem:
            return f"Not kept, a restart of the kernel empties this table: {self.problem}"
        if "google.colab" in sys.modules and not self.path.resolve().is_relative_to("/content/drive"):
            return (
                "Kept until Colab takes this machine away. Your notebook in Drive stays, this table does not."
            )
        return f"Kept in `{self.path}`: a restart of the kernel does not empty this table."

    def _read(self) -> dict[str, Record]:
        """A file that is missing, damaged or not ours counts as empty."""
        if self.path is None:
            return {}
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            records = {name: Record(**fields) for name, fields in content.items()}
            return {name: record for name, record in records.items() if record.status in STATUSES}
        except (AttributeError, OSError, TypeError, ValueError):
            return {}
