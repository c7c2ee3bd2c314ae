"""Keeps the modules that observe answers out of the sight of learners' code."""

import contextlib
import sys
from collections.abc import Iterator
from types import ModuleType

import course_lib

PACKAGES = "course_lib.checks", "course_lib.grading"


class Concealed:
    """Takes them out of sys.modules. Who imports one of them gets a new one, which nobody uses."""

    def __init__(self) -> None:
        self._at_work = _take_out()

    @contextlib.contextmanager
    def in_sight(self) -> Iterator[None]:
        """Within it they are where a pickle looks for them. Nothing of the learner's may run in it."""
        others = _take_out()
        sys.modules.update(self._at_work)
        try:
            yield
        finally:
            _take_out()
            sys.modules.update(others)


def _take_out() -> dict[str, ModuleType]:
    for package in PACKAGES:
        course_lib.__dict__.pop(package.rpartition(".")[2], None)
    inside = tuple(f"{package}." for package in PACKAGES)
    return {name: sys.modules.pop(name) for name in [*sys.modules] if f"{name}.".startswith(inside)}
