"""Learners' text on the way to a terminal or a table."""

LONGEST = 200  # characters


def one_line(text: str, most: int = LONGEST) -> str:
    """Without what a terminal would obey or a table would break at: escape codes, newlines; and cut."""
    shown = "".join(char if char.isprintable() else repr(char)[1:-1] for char in text[: most + 1])
    return shown if len(text) <= most else shown[: most - 3] + "..."
