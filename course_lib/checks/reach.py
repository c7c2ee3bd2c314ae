"""What the course's functions may come to call: found in their code, so that no caller has a say in it."""

import inspect
import sys
from collections.abc import Collection, Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from course_lib.checks.codes import place_of

Unit = tuple[str, str]  # a file, and the function or class there, with all that is defined within it


def unit_of(code: CodeType) -> Unit:
    file, _, qualified = place_of(code)
    return file, qualified.partition(".")[0]


class Reach:
    """Of these functions. Not found is a method that is called on an argument whose class is not named."""

    def __init__(self, functions: Iterable[FunctionType]):
        self._named: dict[Unit, set[Unit]] = {}
        for function in functions:
            self._named.setdefault(unit_of(function.__code__), set()).update(_named(function))

    def of(self, names: Collection[str]) -> frozenset[Unit]:
        """The units with these names, and all that they may come to."""
        found: set[Unit] = set()
        waiting = [unit for unit in self._named if unit[1] in names]
        while waiting:
            unit = waiting.pop()
            if unit not in found:
                found.add(unit)
                waiting += self._named.get(unit, ())
        return frozenset(found)


def _named(function: FunctionType) -> Iterator[Unit]:
    """What its code names: a global, or what is in a module that is a global, or imported on the way."""
    names = _names(function.__code__)
    there = [function.__globals__, *(vars(sys.modules[name]) for name in names if name in sys.modules)]
    values = [space[name] for space in there for name in names if name in space]
    modules = [vars(value) for value in values if isinstance(value, ModuleType)]
    values += [space[name] for space in modules for name in names if name in space]
    for value in values:
        for one in (value, *_within(value)):
            yield from _units(one)


def _names(code: CodeType) -> set[str]:
    inner = (_names(one) for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*inner)


def _within(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, (list, tuple, set, frozenset)) else ()


def _units(value: Any) -> Iterator[Unit]:
    """Of a function; of a class, or of what is made of one, with those that it inherits from."""
    value = inspect.unwrap(value) if callable(value) else value
    if isinstance(value, FunctionType):
        yield unit_of(value.__code__)
        return
    for kind in (value if isinstance(value, type) else type(value)).__mro__:
        yield from {unit_of(one.__code__) for one in vars(kind).values() if isinstance(one, FunctionType)}
