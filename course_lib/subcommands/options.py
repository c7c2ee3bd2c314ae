"""What the modules of subcommands share."""

import argparse
from collections.abc import Callable

Options = argparse.Namespace
Run = Callable[[], int]  # returns the exit code


def count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of 1 or more, got {text!r}")
    return int(text)


def lesson_names(options: Options) -> list[str]:
    """The names of all lessons, which only a clone of the course has."""
    from course_lib.authoring import build

    if not (names := [path.stem for path in build.lessons()]):
        options.error(
            f"there are no lessons in {build.ROOT / 'solutions'}: it works in a clone of the course"
        )
    return names
