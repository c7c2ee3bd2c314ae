"""Keeps frames, code and closures from learners' code that looks them up by a name that no audit has read."""

import builtins
import operator
import sys
from types import (
    ClassMethodDescriptorType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
from typing import Any

from course_lib.checks.definitions import INSTALLED, WORKSHOP
from course_lib.grading.sandbox.suspicions import DUNDERS, REACHING

LIBRARIES = (*INSTALLED, WORKSHOP, "<frozen ")
NAMES = frozenset((*DUNDERS, *REACHING)) - {"__dict__"}
CAREFUL = NAMES | {"__dict__"}
# What a type's __dict__ has to read something of its objects: of a frame its names, of a function its code.
READERS = {
    *(GetSetDescriptorType, MemberDescriptorType, WrapperDescriptorType),
    *(MethodDescriptorType, ClassMethodDescriptorType),
}
_getattr, _vars, _attrgetter = getattr, vars, operator.attrgetter


def guard() -> None:
    """In this process getattr, vars and operator.attrgetter are others, but for code of libraries."""
    for name, guarded in (("getattr", _guarded_getattr), ("vars", _guarded_vars)):
        setattr(builtins, name, guarded)
    operator.attrgetter = _GuardedAttrgetter  # type: ignore[assignment,misc]


def _guarded_getattr(thing: Any, name: Any, /, *default: Any) -> Any:
    """As getattr; but for NAMES it gives the default, or None, and for a class's __dict__ what vars gives."""
    if type(name) is str and name not in CAREFUL:  # nearly always, and a check asks thousands of times
        return _getattr(thing, name, *default)
    plain = str.__str__(name) if isinstance(name, str) else ""
    if plain in NAMES and _asks_a_learner():
        return default[0] if default else None
    if plain == "__dict__" and issubclass(type(thing), type) and _asks_a_learner():
        return _without_readers(thing)
    return _getattr(thing, plain or name, *default)


def _guarded_vars(*given: Any) -> Any:
    if not given:
        return sys._getframe(1).f_locals
    if issubclass(type(given[0]), type) and _asks_a_learner():
        return _without_readers(given[0])
    return _vars(*given)


class _GuardedAttrgetter:
    """A class, as the real one is: torch._dynamo wants one there."""

    def __new__(cls, *names: Any) -> Any:
        parts = {part for name in names if isinstance(name, str) for part in str.split(name, ".")}
        if parts & {*NAMES, "__dict__"} and _asks_a_learner():
            return lambda thing: None
        return _attrgetter(*names)


def _without_readers(kind: type) -> dict[str, Any]:
    return {name: member for name, member in _vars(kind).items() if type(member) not in READERS}


def _asks_a_learner() -> bool:
    return not sys._getframe(2).f_code.co_filename.startswith(LIBRARIES)
