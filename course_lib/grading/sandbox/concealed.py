"""Keeps the modules that observe answers out of the sight of learners' code."""

import contextlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

import course_lib

PACKAGE = Path(course_lib.__file__).parent
FOLDERS = "checks", "grading"
# Known before a child is forked: to look through all of sys.modules would write into 1,600 of its pages.
NAMES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for folder in FOLDERS
    for path in sorted(PACKAGE.glob(f"{folder}/**/*.py"))
]


class Concealed:
    """Takes them out of sys.modules. Who imports one finds no file, or gets a new one."""

    def __init__(self) -> None:
        self._at_work = _take_out()

    @property
    def modules(self) -> Iterable[ModuleType]:
        return self._at_work.values()

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
    for folder in FOLDERS:
        course_lib.__dict__.pop(folder, None)
    return {name: sys.modules.pop(name) for name in NAMES if name in sys.modules}
