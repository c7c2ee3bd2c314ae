"""What an answer gave, without classes of the learner's: their methods could say that they equal anything."""

import sys
from typing import Any

import torch
from torch import nn

from course_lib.checks.definitions import INSTALLED, WORKSHOP
from course_lib.checks.results import MOST, RejectedError, describe

DEPTH = 30  # of lists in lists
MADE_AT_RUN_TIME = 1 << 9  # a flag of types: Py_TPFLAGS_HEAPTYPE
EXACT = {bool, int, float, complex, str, bytes, type(None), torch.Tensor, nn.Parameter}
NUMBERS_AND_TEXTS = {int: int.__int__, float: float.__float__, str: str.__str__}
NO_RESULT = "A result is {0}; expected tensors, numbers, strings or lists of them."


def exact(value: Any, depth: int = DEPTH) -> Any:
    """The value itself where no class in it is the learner's own.

    A number, a text and a box of such a class become ordinary ones; of modules nothing is asked. Raises
    RejectedError for anything else.
    """
    kind = type(value)
    if kind in EXACT or not depth:
        return value
    is_known = _is_of_a_library(kind)
    for base, ordinary in NUMBERS_AND_TEXTS.items():
        if issubclass(kind, base):
            return value if is_known else ordinary(value)
    for box in (list, tuple, set, frozenset):
        if issubclass(kind, box) and box.__len__(value) <= MOST:
            items = [exact(item, depth - 1) for item in box.__iter__(value)]
            is_same = all(one is other for one, other in zip(items, box.__iter__(value), strict=True))
            return value if is_known and is_same else box(items)
    if issubclass(kind, dict) and dict.__len__(value) <= MOST:
        pairs = [(exact(key, depth - 1), exact(item, depth - 1)) for key, item in dict.items(value)]
        is_same = all(
            key is one and item is other
            for (key, item), (one, other) in zip(pairs, dict.items(value), strict=True)
        )
        return value if is_known and is_same else dict(pairs)
    if is_known or issubclass(kind, (torch.Tensor, nn.Module)):
        return value
    raise RejectedError(NO_RESULT.format(describe(value)))


def _is_of_a_library(kind: type) -> bool:
    """Whether it is written in C, or a library or the course has it under its name."""
    if not type.__dict__["__flags__"].__get__(kind) & MADE_AT_RUN_TIME:
        return True
    name = str(type.__dict__["__module__"].__get__(kind))
    module = vars(sys.modules[name]) if name in sys.modules else {}
    is_there = module.get(type.__dict__["__qualname__"].__get__(kind)) is kind
    file = str(module.get("__file__"))
    return is_there and (name in sys.builtin_module_names or file.startswith((*INSTALLED, WORKSHOP)))
