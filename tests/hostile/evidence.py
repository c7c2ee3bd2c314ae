"""What is seen of an attack after grading, and what it is called in the table."""

import contextlib
import hashlib
import os
import socket
import sqlite3
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from course_lib.grading.demo_students import EXERCISES
from hostile.submission import CANARY, LOOT, PORT, Submission, full

GUARDED = (CANARY, "solutions/02_attention_hidden.py", "solutions/02_attention.py")


@dataclass
class Evidence:
    """points: by exercise, None where the submission got no grade. others: the class came out right."""

    points: dict[str, float | None] | None
    others: bool = True
    loot: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    alive: int = 0
    flags: list[str] = field(default_factory=list)

    def told(self, submission: Submission) -> str:
        """One cell of the table."""
        found = [_told_points(self.points, submission)]
        found += [] if self.others else ["**the class gets no grades**"]
        found += [f"**{what}**" for what in dict.fromkeys(self.loot)]
        found += [f"**changes {what}**" for what in self.changed]
        found += [f"**is heard by {', '.join(self.heard)}**"] if self.heard else []
        found += ["**a process lives on**"] if self.alive else []
        return "; ".join(found)

    def as_json(self) -> dict:
        return asdict(self)


def _told_points(points: dict[str, float | None] | None, submission: Submission) -> str:
    earned = submission.expected()
    expected = sum(earned.values())
    if points is None:
        return f"**no grade** ({expected:g} earned)"
    if any(points[name] is None for name in earned):
        return f"**waits for a person** ({expected:g} earned)"
    got = sum(points[name] or 0 for name in earned)
    if {name: points[name] for name in earned} == earned:
        return f"{got:g}"
    return f"**{got:g}** ({expected:g} earned)"


def loot(notebook: NotebookNode) -> list[str]:
    """What attacks have printed of their successes; the source of cells does not count."""
    lines = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "stream":
                lines += [line for line in output.text.splitlines() if line.startswith(LOOT)]
    return sorted({line.removeprefix(LOOT).strip() for line in lines})


class Witness:
    """Watches a course's guarded files, and listens where nobody may call."""

    def __init__(self, course: Path):
        self.course, self.heard, self._open = course, set(), []
        (course / CANARY).write_text("nothing has happened\n")
        self._before = {name: _digest(course / name) for name in GUARDED}

    def __enter__(self) -> "Witness":
        self._listen("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT))
        self._listen("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", PORT))
        self._listen("an abstract socket", socket.AF_UNIX, socket.SOCK_STREAM, f"\0canary-{PORT}")
        path = os.path.relpath(self.course / "canary.sock")  # an address has at most 107 bytes
        self._listen("a socket file", socket.AF_UNIX, socket.SOCK_STREAM, path)
        return self

    def __exit__(self, *error) -> None:
        for listener in self._open:
            with contextlib.suppress(OSError):  # a datagram socket is not connected, but wakes up
                listener.shutdown(socket.SHUT_RDWR)  # else who waits on it keeps its address taken
            listener.close()

    def _listen(self, name: str, family: int, kind: int, address) -> None:
        listener = socket.socket(family, kind)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        self._open.append(listener)
        if kind == socket.SOCK_STREAM:
            listener.listen()
        threading.Thread(target=self._hear, args=(name, listener, kind), daemon=True).start()

    def _hear(self, name: str, listener: socket.socket, kind: int) -> None:
        try:
            if listener.accept() if kind == socket.SOCK_STREAM else listener.recv(9):
                self.heard.add(name)
        except OSError:  # closed: nobody has called
            pass

    def changed(self) -> list[str]:
        found = [name for name, digest in self._before.items() if _digest(self.course / name) != digest]
        return found + ["the gradebook"] * _cheated(self.course / "gradebook.db")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "gone"


def _cheated(gradebook: Path) -> bool:
    """Whether anybody has the points that attacks write."""
    if not gradebook.exists():
        return False
    with sqlite3.connect(gradebook) as database:
        return bool(database.execute("select count(*) from grade where manual_score = 99").fetchone()[0])


def processes() -> set[int]:
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}


def everything() -> float:
    return full(*EXERCISES)
