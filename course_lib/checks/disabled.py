"""Disables what of PyTorch and NumPy an answer may not call: whoever calls it, it computes nothing.

PyTorch looks each operation up in its dispatcher, under the kind of the tensors. There each forbidden one is
replaced, and functions of Python's get another code. So nothing has to watch what an answer calls.
"""

import contextlib
import functools
import gc
import importlib.machinery
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any, NoReturn

import torch

from course_lib.checks.codes import place_of, standing_in
from course_lib.checks.ready_made_names import ORIGINS, is_made, meant, meant_by
from course_lib.checks.results import RejectedError

COMPILED = (
    "PyTorch has compiled or recorded your code, so that no check can see what it calls. Check it in plain "
    "Python."
)
READY_MADE = (
    "PyTorch's `{0}` does what this exercise asks for. Use neither that nor what comes close to it: write it "
    "yourself, out of simpler operations."
)
Forbidden = tuple[str, ...]


class Disabled:
    """What stands in place of operations, as long as this lives, and the codes that functions had."""

    def __init__(self, names: Forbidden, functions: Iterable[tuple[FunctionType, CodeType]]):
        self._libraries: dict[str, Any] = {}
        self.codes: list[tuple[FunctionType, CodeType]] = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # which say that something is replaced
            for operation, forbidden, keys in _operations(names):
                self._replace(operation, keys, functools.partial(_refuse, READY_MADE.format(forbidden)))
        for function, instead in functions:
            self.codes.append((function, function.__code__))
            function.__code__ = instead

    def _replace(self, operation: str, keys: Iterable[str], refuse: Callable[..., NoReturn]) -> None:
        space, _, name = operation.partition("::")
        if space not in self._libraries:
            begin = getattr(torch._C, "_dispatch_library")  # noqa: B009
            self._libraries[space] = begin("IMPL", space, "", __file__, 0)
        for key in keys:
            self._libraries[space].impl(name, key, refuse)


FOUND: dict[Forbidden, list[tuple[FunctionType, CodeType]]] = {}  # by `find`
FOR_GOOD: dict[Forbidden, Disabled] = {}


@contextlib.contextmanager
def disabled(names: Forbidden) -> Iterator[None]:
    """Within it. names: as in an exercise's `ready_made`."""
    if not names or names in FOR_GOOD:
        yield
        return
    now = Disabled(names, _with_codes(_functions(names, len(sys.modules))))
    try:
        yield
    finally:
        for function, code in now.codes:
            function.__code__ = code


def find(names: Forbidden) -> None:
    """Before a process is copied: to find takes longer than to disable."""
    FOUND[names] = [*_with_codes(_functions(names))]
    _operations(names)


def disable(names: Forbidden) -> None:
    """Until the process ends, and in what is imported later, too. Nothing of it is kept."""
    if not names or names in FOR_GOOD:
        return
    _functions.cache_clear()
    _libraries_functions.cache_clear()
    # What was there when `find` looked may have been frozen: then the collector does not list it.
    now = FOR_GOOD[names] = Disabled(names, [*FOUND.get(names, ()), *_with_codes(_functions(names))])
    now.codes.clear()
    loader: Any = importlib.machinery.SourceFileLoader
    load = loader.get_code

    def get_code(self: Any, name: str) -> CodeType:
        return _without(load(self, name), names)

    loader.get_code = get_code


@functools.lru_cache(maxsize=8)  # a lesson's exercises
def _functions(names: Forbidden, modules: int = 0) -> tuple[tuple[FunctionType, str], ...]:
    """Those in memory, and why each may not run. modules: how many are loaded, for each brings functions."""
    found = ((function, _sentence(function.__code__, names)) for function in _libraries_functions(modules))
    return tuple((function, why) for function, why in found if why)


@functools.lru_cache(maxsize=1)
def _libraries_functions(modules: int) -> tuple[FunctionType, ...]:
    """All that any answer could be forbidden, of all those in memory: to look through these takes longest."""
    there = (one for one in gc.get_objects() if type(one) is FunctionType)
    return tuple(one for one in there if place_of(one.__code__)[0].startswith(ORIGINS))


def _with_codes(functions: Iterable[tuple[FunctionType, str]]) -> Iterator[tuple[FunctionType, CodeType]]:
    """Each with the code that it gets instead of its own."""
    return ((function, _refusing(function.__code__, why)) for function, why in functions)


@functools.cache
def _operations(names: Forbidden) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Each operation with its overload, which of the names it means, and under which keys it is."""
    schemas = torch._C._jit_get_all_schemas()
    named = {".".join(filter(None, (one.name, one.overload_name))): meant(one.name, names) for one in schemas}
    return tuple((one, forbidden, _keys(one)) for one, forbidden in named.items() if forbidden)


def _keys(operation: str) -> tuple[str, ...]:
    """Under which it is registered: by kinds of tensors, and by what is done with them, as for `torch.vmap`.

    What it is made of, as for all kinds, stands under keys of its own, which no tensor has.
    """
    has: Any = getattr(torch._C, "_dispatch_has_kernel_for_dispatch_key")  # noqa: B009
    keys: list[str] = []
    for key in getattr(torch._C, "DispatchKey").__members__:  # noqa: B009
        with contextlib.suppress(RuntimeError):  # some are no keys, but stand between them
            if has(operation, key):
                keys.append(key)
    return tuple(keys)


def _sentence(code: CodeType, names: Forbidden) -> str:
    """Why this code may not run; "" if it may."""
    if is_made(code):
        return COMPILED
    forbidden = meant_by(code, names)
    return READY_MADE.format(forbidden) if forbidden else ""


def _without(code: CodeType, names: Forbidden) -> CodeType:
    """The code, or where it or one in it may not run, one that raises."""
    if sentence := _sentence(code, names):
        return _refusing(code, sentence)
    inner = tuple(_without(one, names) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_consts=inner)


def _refusing(code: CodeType, sentence: str) -> CodeType:
    return standing_in(code, _raises, RejectedError(sentence))


def _raises(*_: Any, **__: Any) -> NoReturn:
    raise "<value>".with_traceback(None)  # type: ignore[attr-defined]


def _refuse(sentence: str, *_: Any, **__: Any) -> NoReturn:
    raise RejectedError(sentence)
