"""Has NumPy's as_strided, which asks nothing, stay inside of the array that it is given."""

import sys
from functools import wraps
from typing import Any

import numpy as np
from numpy.lib import stride_tricks


def bound_views() -> None:
    """In this process, from now on: a view of memory beyond an array is one of any object."""
    given = stride_tricks.as_strided

    @wraps(given)
    def as_strided(x: Any, *arguments: Any, **named: Any) -> np.ndarray:
        array = np.asanyarray(x)
        view = given(array, *arguments, **named)
        if view.size and not _holds(array, view):
            raise ValueError(
                "as_strided leaves the memory of the array: shape and strides must stay inside of it"
            )
        return view

    for module in {stride_tricks, sys.modules[given.__globals__["__name__"]]}:  # who calls it by either name
        setattr(module, given.__name__, as_strided)


def _holds(array: np.ndarray, view: np.ndarray) -> bool:
    while isinstance(array.base, np.ndarray):
        array = array.base
    (begin, end), (first, last) = _bytes(array), _bytes(view)
    return begin <= first and last <= end


def _bytes(array: np.ndarray) -> tuple[int, int]:
    """The first byte of its numbers, and the one after the last. NumPy 1 and 2 have it in two places."""
    steps = [(length - 1) * stride for length, stride in zip(array.shape, array.strides, strict=True)]
    begin = array.__array_interface__["data"][0]
    back, ahead = (sum(step for step in steps if (step > 0) is forward) for forward in (False, True))
    return begin + back, begin + ahead + array.itemsize
