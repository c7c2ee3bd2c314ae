"""An answer works alone: another process could have its results from a library that nobody sees there."""

import _posixsubprocess
import contextlib
import sys
from collections.abc import Callable, Collection, Iterator
from typing import Any

from course_lib.grading.sandbox import isolation

BEGINNINGS = frozenset(
    ("subprocess.Popen", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.system", "os.spawn")
)
REFUSED = "no process begins while an answer is checked"


def alone() -> Callable[[Collection[str]], contextlib.AbstractContextManager[None]]:
    """From now on this process asks, before it begins another, whether it may.

    What is returned is given the layers of isolation: within it no process begins, and those that have begun
    stand still.
    """
    within = [False]

    def refuse(event: str, _: tuple[Any, ...]) -> None:
        if event in BEGINNINGS and within[0]:
            raise PermissionError(REFUSED)

    @contextlib.contextmanager
    def working_alone(layers: Collection[str]) -> Iterator[None]:
        within[0] = True
        try:
            with isolation.others_halted(layers):
                yield
        finally:
            within[0] = False

    sys.addaudithook(refuse)
    _tell_of_forks()
    return working_alone


def _tell_of_forks() -> None:
    """`multiprocessing` begins processes without a word to the audit hooks."""
    begin = _posixsubprocess.fork_exec

    def told(*args: Any) -> int:
        sys.audit("os.fork")
        return begin(*args)

    _posixsubprocess.fork_exec = told
