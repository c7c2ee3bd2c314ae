"""Whose code asks: a learner's, or that of a library, which may have what its own source names."""

import sys
from functools import lru_cache
from types import CodeType

from course_lib.checks.definitions import INSTALLED, WORKSHOP

LIBRARIES = (*INSTALLED, WORKSHOP, "<frozen ")


def asker() -> CodeType:
    """Of a function that asks here, the code that has called its own caller: who has called getattr, say."""
    return sys._getframe(3).f_code


def is_of_a_library(code: CodeType) -> bool:
    return code.co_filename.startswith(LIBRARIES)


def says(code: CodeType, name: str) -> bool:
    """Whether it stands in the code itself: nobody has told it the name."""
    return name in code.co_names or name in _constants(code)


@lru_cache(maxsize=1024)
def _constants(code: CodeType) -> frozenset[object]:
    """With those in tuples, as of a loop over some names."""
    return frozenset(
        one for each in code.co_consts for one in (each if isinstance(each, (tuple, frozenset)) else (each,))
    )
