"""What is said where a program or a page is written, in the language that is spoken."""

from pathlib import Path

from course_lib.language import say


class ForeignFileError(Exception):
    """The file exists and is something else than a file that the course wrote."""

    def __init__(self, path: Path):
        super().__init__(say(f"{path} exists and was not written by this command: give another name"))


def program_is_written(path: Path) -> str:
    return say(f"{path} is written. In a terminal:")


def page_is_written(path: Path, size: int) -> str:
    """size: in bytes."""
    return say(f"{path.resolve()} is written ({size / 1000:.0f} kB). Open it in a browser.")
