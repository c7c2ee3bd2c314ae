"""Disables, in a copy of the process, what of PyTorch and NumPy an answer may not call.

What watches an answer (checks/ready_made.py) says what it has called, and may be deceived. What is disabled
computes nothing, whoever calls it. Nothing is put back: the process ends with the answer.
"""

import functools
import gc
from collections.abc import Collection, Iterable
from types import CodeType, FunctionType
from typing import Any, NoReturn

import torch

from course_lib.checks.ready_made_names import meant, meant_by, place_of

# An operation is looked for under these in turn, by what its tensors are and by what is done with them.
KINDS = "CPU", "SparseCPU", "SparseCsrCPU", "NestedTensorCPU", "MkldnnCPU", "QuantizedCPU"
KEYS = "BackendSelect", *KINDS, "AutogradCPU", "AutogradNestedTensor", "AutogradOther"
FUNCTIONS: dict[tuple[str, ...], list[FunctionType]] = {}  # of those that were there before learners' code
Forbidden = tuple[str, ...]


def find(forbidden: Collection[Forbidden]) -> None:
    """Before a process is copied: to find them takes longer than to disable them."""
    there = _functions() if forbidden else []
    for names in forbidden:
        FUNCTIONS[names] = _meant(there, names)
        _operations(names)


def disable(names: Forbidden) -> list[Any]:
    """names: as in an exercise's `ready_made`. Where what it gives ends, PyTorch's operations are back."""
    kept: dict[str, Any] = {}
    if not names:
        return []
    for operation in _operations(names):
        space, _, name = operation.partition("::")
        if space not in kept:
            kept[space] = getattr(torch._C, "_dispatch_library")("IMPL", space, "", __file__, 0)  # noqa: B009
        for key in KEYS:
            kept[space].impl(name, key, _refuse, False)
    # The collector lists only what came after those that were found: these are frozen.
    for function in (*FUNCTIONS.get(names, ()), *_meant(_functions(), names)):
        function.__code__ = _refusing(function.__code__)
    return [*kept.values()]


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise RuntimeError("this function does the whole exercise: it does not run while an answer is graded")


def _refusing(code: CodeType) -> CodeType:
    """It is known by its place, as the code was, and has as many variables of functions around it."""
    file, name, qualified = place_of(code)
    return _refuse.__code__.replace(
        co_freevars=code.co_freevars, co_filename=file, co_name=name, co_qualname=qualified
    )


def _functions() -> list[FunctionType]:
    return [one for one in gc.get_objects() if type(one) is FunctionType]


def _meant(functions: Iterable[FunctionType], names: Forbidden) -> list[FunctionType]:
    return [function for function in functions if meant_by(function.__code__, names)]


@functools.cache
def _operations(names: Forbidden) -> list[str]:
    schemas = torch._C._jit_get_all_schemas()
    return [
        ".".join(filter(None, (one.name, one.overload_name))) for one in schemas if meant(one.name, names)
    ]
