"""Whether what observes an answer, and what it stands on, is as it was before a learner's code ran."""

import builtins
import contextlib
import inspect
import linecache
import operator
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from importlib.machinery import SourceFileLoader  # `disable` adds to it
from types import FunctionType, ModuleType
from typing import Any

import cloudpickle.cloudpickle
import torch

from course_lib.checks.as_installed import CLASSES
from course_lib.checks.disabled import FOR_GOOD
from course_lib.grading.sandbox.chains import Asked, asked

AUTOGRAD: Any = torch.autograd  # pyright knows nothing of the profiler's own classes
BY_C: Any = getattr(torch._C, "_autograd")  # noqa: B009
# To these and their classes names may be added.
BELOW = builtins, cloudpickle.cloudpickle, contextlib, linecache, traceback, AUTOGRAD
WARNED = "__warningregistry__"  # comes with the first warning
# In builtins the last result of a cell; and what a child tells itself as it is confined.
CHANGING = ("_", WARNED, "_parent", "_in_user_namespace")
COMING_AND_GOING = {"stdout", "stderr", "stdin", "displayhook", WARNED}
MANY = 500  # of which none is compared: who puts one there takes none away


def unchanged(modules: Iterable[ModuleType]) -> Callable[[], bool]:
    """A function that says so of the names of these modules, and of their classes.

    Only the call that made it holds what it compares and by what: in a module that could be replaced, too.
    """
    strict = [space for module in modules for space in _spaces(module)]
    loose = [space for module in BELOW for space in _spaces(module)]
    loose += [vars(BY_C._KinetoEvent), vars(BY_C._ProfilerResult), vars(threading.Thread)]
    known = [(space, *_kept(space), len(space) - (WARNED in space)) for space in strict]
    known += [(space, *_kept(space), 0) for space in loose]
    for holder, names in _asked_by(modules):
        space = vars(holder)
        has_size = isinstance(holder, type) and holder not in (*CLASSES, SourceFileLoader)
        known.append((space, [*names], [*map(space.get, names)], len(space) if has_size else 0))
    known += [(table, *_kept(table), len(table)) for table in _tables(modules)]

    def is_unchanged(each: Any = map, every: Any = all, same: Any = operator.is_, size: Any = len) -> bool:
        for space, names, values, count in known:
            if not every(each(same, each(space.get, names), values)):
                return False
            if count and size(space) - (WARNED in space) != count:
                return False
        return True

    return is_unchanged


def _asked_by(modules: Iterable[ModuleType]) -> Iterator[tuple[Any, set[str]]]:
    """What the code in these asks other modules for: by the names of each, those that it asks for.

    Of a class these are its functions.
    """
    found: dict[int, tuple[Any, set[str]]] = {}  # by the id of what has them

    def add(holder: Any, names: Iterable[str]) -> None:
        used = {name for name in names if _is_used(vars(holder).get(name))} - COMING_AND_GOING
        found.setdefault(id(holder), (holder, set()))[1].update(used)

    for module in modules:
        for code in _codes_in(module):
            for chain in code.chains:
                value = vars(module).get(chain.root)
                for name in chain.attributes:
                    if not isinstance(value, ModuleType):
                        break
                    add(value, [name])
                    value = vars(value).get(name)
                if isinstance(value, ModuleType):  # it is given to `getattr`, with a name
                    add(value, code.given)
                if isinstance(value, type) and value not in CLASSES:  # those as_installed.py puts back
                    add(value, [name for name, one in vars(value).items() if isinstance(one, FunctionType)])
    yield from found.values()


def _is_used(value: Any) -> bool:
    return callable(value) or isinstance(value, ModuleType)


def _codes_in(module: ModuleType) -> Iterator[Asked]:
    waiting = [one.__code__ for space in _spaces(module) for one in _functions_in(space)]
    while waiting:
        found = asked(waiting.pop())
        yield found
        waiting += found.inner


def _functions_in(space: Any) -> Iterator[FunctionType]:
    for value in space.values():
        inner = inspect.unwrap(getattr(value, "__func__", value))
        if isinstance(inner, FunctionType):
            yield inner


def _tables(modules: Iterable[ModuleType]) -> Iterable[dict[Any, Any]]:
    """What they keep there once for all."""
    values = [pair for module in modules for pair in vars(module).items()]
    tables = {id(value): value for name, value in values if type(value) is dict and name.isupper()}
    return [table for table in tables.values() if table is not FOR_GOOD]


def _spaces(module: ModuleType) -> Iterator[Any]:
    yield vars(module)
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__ and module is not builtins:
            yield vars(value)


def _kept(space: Any) -> tuple[list[str], list[Any]]:
    there = space.items() if len(space) < MANY else ()
    kept = [(name, value) for name, value in there if name not in CHANGING]
    return [name for name, _ in kept], [value for _, value in kept]
