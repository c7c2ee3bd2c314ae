"""Whose code asks: a learner's, or that of a library, which may have what its own source names."""

import os
import sys
import threading
from functools import lru_cache
from types import CodeType, FrameType

from course_lib.checks.definitions import INSTALLED, WORKSHOP

LIBRARIES = (*INSTALLED, WORKSHOP, "<frozen ")


class _Here(threading.local):
    is_asking = False  # whether what watches asks for a frame itself, which nobody refuses


here = _Here()


def frame_behind(calls: int) -> FrameType:
    """As sys._getframe where this is called. To watch that, too, would take most of the time."""
    here.is_asking = True
    try:
        return sys._getframe(calls + 1)
    finally:
        here.is_asking = False


def asker() -> CodeType:
    """Of a function that asks here, the code that has called its own caller: who has called getattr, say."""
    return frame_behind(3).f_code


def is_of_a_library(code: CodeType) -> bool:
    return is_library_file(code.co_filename)


def is_library_file(path: str) -> bool:
    """Not by a detour: who puts a folder's name together may go up from there again."""
    return _is_library_file(path if type(path) is str else str.__str__(path))


@lru_cache(maxsize=4096)
def _is_library_file(path: str) -> bool:
    return path.startswith(LIBRARIES) and os.pardir not in path


def told_by_a_learner(asking: FrameType, name: str) -> bool:
    """Whether the name that a library asks for here comes from a learner's code.

    It is the library's own where a function of it on the way says the name, or where it is being imported.
    """
    frame = asking.f_back
    while frame:
        code = frame.f_code
        if not is_of_a_library(code):
            return True
        if code.co_name == "<module>" or says(code, name):
            return False
        frame = frame.f_back
    return True  # a thread, or what C calls


def says(code: CodeType, name: str) -> bool:
    """Whether it stands in the code itself: nobody has told it the name."""
    return name in code.co_names or name in _constants(code)


@lru_cache(maxsize=1024)
def _constants(code: CodeType) -> frozenset[object]:
    """With those in tuples, as of a loop over some names."""
    return frozenset(
        one for each in code.co_consts for one in (each if isinstance(each, (tuple, frozenset)) else (each,))
    )
