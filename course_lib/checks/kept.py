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
    """Keeps an answer that has full points, in place of an earlier one, which stays where that cannot be.

    Says why it cannot; else nothing.
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
        return f"Later lessons will use {other}, for this one could not be kept: {reason}."
    return ""
