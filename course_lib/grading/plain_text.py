"""Learners' text on the way to a terminal or a table."""

from collections.abc import Sequence

LONGEST = 200  # characters
MOST = 10  # sentences of one kind about a submission: thousands would fill a terminal, or a cell of a table


def one_line(text: str, most: int = LONGEST) -> str:
    """Without what a terminal would obey or a table would break at: escape codes, newlines; and cut."""
    shown = "".join(char if char.isprintable() else repr(char)[1:-1] for char in text[: most + 1])
    return shown if len(text) <= most else shown[: most - 3] + "..."


def sentences(texts: Sequence[str]) -> list[str]:
    """The first of them, each in one line, and how many more there are."""
    told = [one_line(text) for text in texts[:MOST]]
    return [*told, f"and {len(texts) - MOST} more"] if len(texts) > MOST else told
