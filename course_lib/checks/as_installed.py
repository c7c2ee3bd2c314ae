"""What checks stand on, as it was installed: what a notebook has put in its place deceives none.

The audit of a graded notebook flags such a change where it can read it, and a module has many names.
"""

import ast
import contextlib
import copy
import dis
import gc
import inspect
import linecache
import operator
import random
import re
import signal
import time
import traceback
from collections.abc import Collection, Iterator
from operator import is_
from types import ModuleType
from typing import Any

import torch
from torch import nn

from course_lib.checks.results import RejectedError

PATCHED = "Your code changes `{0}`, which is not yours. Write your answer without that."
# Not all names of PyTorch: to ask for one writes into its page of memory, of which a graded process then gets
# a copy of its own.
USED = {
    torch: (
        *("Tensor", "allclose", "as_tensor", "autograd", "default_generator", "device", "enable_grad"),
        *("equal", "get_default_device", "get_default_dtype", "get_rng_state", "is_tensor", "isclose"),
        *("no_grad", "random", "set_default_dtype", "set_rng_state", "stack"),
    ),
    torch.random: ("fork_rng", "get_rng_state", "set_rng_state"),
    torch.autograd: ("grad",),
    ast: ("get_docstring", "iter_child_nodes", "parse", "unparse", "walk"),
    contextlib: ("nullcontext", "redirect_stderr", "redirect_stdout", "suppress"),
    copy: ("copy", "deepcopy"),
    dis: ("get_instructions",),
    gc: ("get_referents",),
    inspect: ("getmro", "isclass", "isfunction", "signature", "unwrap"),
    linecache: ("getlines",),
    random: ("getstate", "setstate"),
    re: ("findall", "search", "sub"),
    signal: ("getitimer", "getsignal", "setitimer", "signal"),
    time: ("monotonic", "process_time"),
    traceback: ("extract_tb",),
}
CLASSES = torch.Tensor, nn.Parameter, nn.Module
BY_TORCH = {"__init__", "__setstate__"}  # what torch.compile changes itself
BY_PICKLE = "__slotnames__"  # which it writes into a class
_MISSING = object()
_call: Any = operator.call  # pyright takes it for a function of one argument


class _Names:
    """Names of a module or class, as they are when this is made."""

    def __init__(self, holder: ModuleType | type, names: Collection[str]):
        self.holder, self._now, self.names = holder, vars(holder), tuple(names)
        self.values = tuple(map(self._now.get, self.names))
        self._all = {*self._now, BY_PICKLE}
        self._changing = {BY_PICKLE, *(BY_TORCH & self._now.keys())}
        self._inherited = {name for kind in getattr(holder, "__mro__", ())[1:] for name in vars(kind)}
        self.getters = (self._now.get,) * len(self.names)

    def has_more(self) -> bool:
        """Whether a class has other names than it had, where none of those that are watched is gone."""
        has_changing = sum(map(self._now.__contains__, self._changing))
        return len(self._now) - has_changing != len(self._all) - len(self._changing)

    def changes(self) -> Iterator[tuple[str, Any]]:
        """By name, what should be there. A class may have something instead of what it inherits."""
        for name, value in zip(self.names, self.values, strict=True):
            if self._now.get(name, _MISSING) is not value:
                yield name, value
        yield from ((name, _MISSING) for name in self._inherited & (self._now.keys() - self._all))

    def put(self, name: str, value: Any) -> Any:
        """What was there."""
        before = self._now.get(name, _MISSING)
        if value is _MISSING:
            delattr(self.holder, name)
        else:
            setattr(self.holder, name, value)
        return before


_WATCHED = [_Names(module, names) for module, names in USED.items()]
_KINDS = [_Names(kind, vars(kind).keys() - BY_TORCH) for kind in CLASSES]
_WATCHED += _KINDS
# All of them in one list, for these are compared at each call of an answer.
_GETTERS = [getter for watched in _WATCHED for getter in watched.getters]
_NAMES = [name for watched in _WATCHED for name in watched.names]
_VALUES = [value for watched in _WATCHED for value in watched.values]


@contextlib.contextmanager
def as_installed() -> Iterator[None]:
    """Within it they are; at the end what a notebook had put there is there again."""
    put_aside = _put_back()
    try:
        yield
    finally:
        _put_back()
        for names, name, value in put_aside:
            names.put(name, value)


def _put_back() -> list[tuple[_Names, str, Any]]:
    """What was there instead."""
    if _are_as_installed():
        return []
    changes = [(names, *change) for names in _WATCHED for change in names.changes()]
    return [(names, name, names.put(name, value)) for names, name, value in changes]


def _are_as_installed() -> bool:
    return all(map(is_, map(_call, _GETTERS, _NAMES), _VALUES)) and not any(map(_Names.has_more, _KINDS))


def refuse_changes() -> None:
    """Raises RejectedError where an answer has changed them while it was called."""
    if _are_as_installed():
        return
    for names in _WATCHED:
        for name, _ in names.changes():
            raise RejectedError(PATCHED.format(f"{names.holder.__name__}.{name}"))
