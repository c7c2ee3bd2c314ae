"""Makes a learner's frozen dataclass one that is frozen in name alone.

Python freezes it by a text with object.__setattr__, past what keeps modules and classes: whoever calls the
`__init__` with another object sets the fields of that. So the text is refused. An answer that is right needs
no more of a frozen class than that it has a hash.
"""

import dataclasses
import functools
import sys
from typing import Any

from course_lib.grading.sandbox.askers import is_of_a_library

_dataclass = dataclasses.dataclass


def thaw_dataclasses() -> None:
    dataclasses.dataclass = _thawed  # type: ignore[assignment]


@functools.wraps(_dataclass)
def _thawed(cls: Any = None, /, **options: Any) -> Any:
    if is_of_a_library(sys._getframe(1).f_code) or not options.pop("frozen", False):
        return _dataclass(cls, **options)

    def made(one: type) -> type:
        has_own_hash = vars(one).get("__hash__") is not None
        is_hashed = options.get("eq", True) and not has_own_hash
        return _dataclass(one, **options | {"unsafe_hash": is_hashed or options.get("unsafe_hash", False)})

    return made if cls is None else made(cls)
