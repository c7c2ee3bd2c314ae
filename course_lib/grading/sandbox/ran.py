"""Tells which functions of learners' code have run: also those that a cell has hung into a library."""

import contextlib
from _lsprof import Profiler
from collections.abc import Container, Iterable, Iterator
from types import CodeType

from course_lib.grading.sandbox.askers import is_of_a_library

WRITTEN_BY_PYTHON = "<string>"  # methods of dataclasses and named tuples


@contextlib.contextmanager
def codes_run() -> Iterator[list[CodeType]]:
    """At the end, the codes of all functions that have run.

    The profiler is one of C, and calls nobody; who asks Python for another is refused.
    """
    codes: list[CodeType] = []
    profiler = Profiler()
    profiler.enable(subcalls=False, builtins=False)
    try:
        yield codes
    finally:
        profiler.disable()
        codes += [entry.code for entry in profiler.getstats() if type(entry.code) is CodeType]


def hidden(codes: Iterable[CodeType], known: Container[int] = ()) -> list[str]:
    """The names of those of a learner's that are not known. known: by their ids."""
    return [code.co_qualname for code in codes if id(code) not in known and _is_a_learners(code)]


def _is_a_learners(code: CodeType) -> bool:
    return not is_of_a_library(code) and code.co_filename != WRITTEN_BY_PYTHON
