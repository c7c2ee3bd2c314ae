"""Keeps what has passed its check, as a file of Python beside the learner's progress."""

from pathlib import Path
from typing import Any

from course_lib.atomic import write_atomically
from course_lib.checks.pieces import text_of
from course_lib.state import folder


def path_of(name: str) -> Path | None:
    """Where the piece of an exercise is kept; None where nothing is."""
    place = folder()
    return place / "pieces" / f"{name}.py" if place else None


def keep(name: str, answer: Any) -> str:
    """Saves an answer that has full points, instead of an earlier one.

    If it cannot be saved, the earlier one stays, and the reason is returned; otherwise an empty text.
    """
    path = path_of(name)
    if path is None:
        return ""
    try:
        text = text_of(name, answer)
        with write_atomically(path) as file:
            file.write(text.encode())
    except Exception as reason:  # whatever an answer is made of, its points must be told
        other = f"your earlier `{name}`" if path.is_file() else f"the course's `{name}`"
        return f"This answer could not be saved, so later lessons will use {other}: {reason}."
    return ""
