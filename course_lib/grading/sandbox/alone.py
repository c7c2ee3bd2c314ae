"""An answer works alone: another process could have its results from a library that nobody sees there."""

import _posixsubprocess
import contextlib
import sys
from collections.abc import Callable, Collection, Iterator
from typing import Any

from course_lib.grading.sandbox import isolation
from course_lib.grading.sandbox.heard import Handlers

BEGINNINGS = (
    *("subprocess.Popen", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.system", "os.spawn"),
)
REFUSED = "no process begins while an answer is checked"

Working = Callable[[Collection[str]], contextlib.AbstractContextManager[None]]


def alone() -> tuple[Working, Handlers]:
    """What is given the layers of isolation, and what has to be heard for it.

    Within the former no process begins, and those that have begun stand still.
    """
    within = [False]

    def refuse(*_: Any) -> None:
        if within[0]:
            raise PermissionError(REFUSED)

    @contextlib.contextmanager
    def working_alone(layers: Collection[str]) -> Iterator[None]:
        within[0] = True
        try:
            with isolation.others_halted(layers):
                yield
        finally:
            within[0] = False

    _tell_of_forks()
    return working_alone, dict.fromkeys(BEGINNINGS, refuse)


def _tell_of_forks() -> None:
    """`multiprocessing` begins processes without a word to the audit hooks."""
    begin = _posixsubprocess.fork_exec

    def told(*args: Any) -> int:
        sys.audit("os.fork")
        return begin(*args)

    _posixsubprocess.fork_exec = told
