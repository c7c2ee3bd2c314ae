"""Results as plain data, which a judge in another process can read."""

from collections import Counter, OrderedDict, defaultdict
from typing import Any

import torch

from course_lib.checks.exact import NO_RESULT
from course_lib.checks.kinds import Kinds
from course_lib.checks.results import DEPTH, MOST, RejectedError, describe, ordinary

BITS = 1000  # of a whole number
ATOMS = Kinds(type(None), bool, int, float, str)
LISTS, DICTS = Kinds(list, tuple, set), Kinds(dict, OrderedDict, defaultdict, Counter)


def plain(value: Any, name: str, depth: int = 0) -> Any:
    """The value as plain data, cut off from graphs and from classes that the learner may have written."""
    if isinstance(value, torch.Tensor):
        return ordinary(value, name).detach().clone()
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        value = value.item()  # NumPy's numbers are numbers
    _refuse_what_is_too_large(value, name)
    if type(value) in ATOMS:
        return value
    if depth == DEPTH:
        raise RejectedError(f"`{name}` is nested more deeply than a check can read.")
    if isinstance(value, tuple):
        value = tuple(tuple.__iter__(value))  # of a namedtuple
    if type(value) in LISTS:
        return type(value)(plain(item, name, depth + 1) for item in value)
    if type(value) in DICTS:
        return {plain(key, name, depth + 1): plain(item, name, depth + 1) for key, item in value.items()}
    raise RejectedError(NO_RESULT.format(describe(value)))


def _refuse_what_is_too_large(value: Any, name: str) -> None:
    if isinstance(value, int) and value.bit_length() > BITS:
        raise RejectedError(f"`{name}` is a whole number of about {value.bit_length() * 3 // 10} digits.")
    if isinstance(value, (str, list, tuple, set, dict)) and len(value) > MOST:
        raise RejectedError(f"`{name}` is a {type(value).__name__} of length {len(value)}.")
