"""What an answer gave, without classes of the learner's: their methods could say that they equal anything."""

import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, MappingView
from functools import partial
from itertools import islice
from operator import is_
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import torch
from torch import nn
from torch.nn import parameter

from course_lib.checks.kinds import Kinds
from course_lib.checks.made_of import is_array_of_objects
from course_lib.checks.results import DEPTH, MOST, RejectedError, describe

BOXES_DEEP = 8  # into which an argument is looked, at each call
MADE_AT_RUN_TIME = 1 << 9  # a flag of types: Py_TPFLAGS_HEAPTYPE
EXACT = Kinds(
    *(bool, int, float, complex, str, bytes, type(None), torch.Tensor, nn.Parameter),
    *(range, torch.dtype, torch.device, torch.layout, torch.memory_format, torch.Generator),
    # Of these one is equal to itself alone.
    *(object, type, FunctionType, BuiltinFunctionType, MethodType, partial),
)
OF_TORCH = Kinds(
    torch.Tensor,
    *(one for one in vars(parameter).values() if isinstance(one, type) and issubclass(one, torch.Tensor)),
)
NUMBERS_AND_TEXTS = {int: int.__int__, float: float.__float__, str: str.__str__}
# Of classes that are written in Python; which module has one under its name, learners' code could change.
KNOWN = Kinds(*(one for one in vars(nn).values() if isinstance(one, type) and issubclass(one, nn.Module)))
PROXIES = Kinds(*weakref.ProxyTypes)
PLAIN_BOXES = Kinds(list, tuple, dict)
BOXES: tuple[Any, ...] = (list, tuple, set, frozenset, dict, deque)
NO_RESULT = "A result is {0}; expected tensors, numbers, strings or lists of them."


def exact(value: Any, depth: int = DEPTH, modules: bool = False) -> Any:
    """The value itself where no class in it is the learner's own.

    A number, a text, a tensor and a box of such a class become ordinary ones, and what is read one by one is
    read. Raises RejectedError for anything else: a library's object may ask one of the learner's when it is
    compared (`unittest.mock.ANY`, `torch.SymInt`). modules: whether one of these may be the learner's own.
    """
    kind = type(value)
    if kind in EXACT or not depth:
        return value
    is_known = kind in KNOWN or not _is_made_at_run_time(kind)
    for base, ordinary in NUMBERS_AND_TEXTS.items():
        if issubclass(kind, base):
            return value if is_known else ordinary(value)
    for box in BOXES:
        if issubclass(kind, box) and box.__len__(value) <= MOST:
            held = [*(dict.items(value) if box is dict else box.__iter__(value))]
            # The pairs of a dict are no level of their own.
            items = [exact(item, depth - (box is not dict), modules) for item in held]
            return value if is_known and all(map(is_, items, held)) else box(items)
    if issubclass(kind, torch.Tensor):
        return as_torch_has_it(value)
    if issubclass(kind, nn.Module) and (modules or is_known):
        return value
    if is_known and issubclass(kind, Iterator | MappingView) and kind not in PROXIES:
        items = [exact(item, depth - 1, modules) for item in islice(value, MOST)]
        return iter(items) if issubclass(kind, Iterator) else items
    if is_known and kind.__module__ == "numpy" and not is_array_of_objects(value):
        return value
    raise RejectedError(NO_RESULT.format(describe(value)))


def exact_arguments(args: Iterable[Any], named: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What an answer calls the course's function with, its tensors and numbers torch's and Python's own.

    Whatever else it gives stays as it is: a learner's own object may be what that function works with.
    """
    return tuple(map(_exact_argument, args)), {name: _exact_argument(one) for name, one in named.items()}


def _exact_argument(value: Any, depth: int = BOXES_DEEP) -> Any:
    kind = type(value)
    if kind in EXACT or not depth:
        return value
    if kind in PLAIN_BOXES and len(value) <= MOST:
        held = [*(value.items() if kind is dict else value)]
        items = [_exact_argument(item, depth - (kind is not dict)) for item in held]
        return value if all(map(is_, items, held)) else kind(items)
    for base, ordinary in NUMBERS_AND_TEXTS.items():
        if issubclass(kind, base):
            return ordinary(value)
    return as_torch_has_it(value)


def as_torch_has_it(value: Any) -> Any:
    """A tensor of a learner's class as one of torch's own, with its gradient; any other value as it is."""
    if type(value) in OF_TORCH or not issubclass(type(value), torch.Tensor):
        return value
    with torch._C.DisableTorchFunction():
        return torch.Tensor.as_subclass(value, torch.Tensor)


def _is_made_at_run_time(kind: type) -> bool:
    """It is written in Python, mostly."""
    return bool(type.__dict__["__flags__"].__get__(kind) & MADE_AT_RUN_TIME)
