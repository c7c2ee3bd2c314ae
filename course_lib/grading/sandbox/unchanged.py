"""Whether what observes an answer, and what it stands on, is as it was before a learner's code ran."""

import builtins
import contextlib
import linecache
import operator
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

import torch

AUTOGRAD: Any = torch.autograd  # pyright knows nothing of the profiler's own classes
BY_C: Any = getattr(torch._C, "_autograd")  # noqa: B009
# To these and their classes names may be added.
BELOW = builtins, contextlib, linecache, traceback, AUTOGRAD
WARNED = "__warningregistry__"  # comes with the first warning
CHANGING = ("_", WARNED)  # in builtins the last result of a cell


def unchanged(modules: Iterable[ModuleType]) -> Callable[[], bool]:
    """A function that says so of the names of these modules, and of their classes.

    Only the call that made it holds what it compares and by what: in a module that could be replaced, too.
    """
    strict = [space for module in modules for space in _spaces(module)]
    loose = [space for module in BELOW for space in _spaces(module)]
    loose += [vars(BY_C._KinetoEvent), vars(BY_C._ProfilerResult), vars(threading.Thread)]
    known = [(space, *_kept(space), len(space) - (WARNED in space)) for space in strict]
    known += [(space, *_kept(space), 0) for space in loose]

    def is_unchanged(each: Any = map, every: Any = all, same: Any = operator.is_, size: Any = len) -> bool:
        for space, names, values, count in known:
            if not every(each(same, each(space.get, names), values)):
                return False
            if count and size(space) - (WARNED in space) != count:
                return False
        return True

    return is_unchanged


def _spaces(module: ModuleType) -> Iterator[Any]:
    yield vars(module)
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__ and module is not builtins:
            yield vars(value)


def _kept(space: Any) -> tuple[list[str], list[Any]]:
    kept = [(name, value) for name, value in space.items() if name not in CHANGING]
    return [name for name, _ in kept], [value for _, value in kept]
