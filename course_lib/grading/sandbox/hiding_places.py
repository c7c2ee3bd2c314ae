"""Where a walk through an answer does not see what is there: in arrays, graphs, and what others keep."""

import logging
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy
import torch

from course_lib.grading.sandbox.askers import is_of_a_library

data_of: Any = vars(numpy.ndarray)["dtype"].__get__  # type: ignore[attr-defined]
graph_of: Any = vars(torch.Tensor.__base__)["grad_fn"].__get__
# What a tensor holds, and the garbage collector is not told of.
HELD = "grad", "_base", "_backward_hooks", "_post_accumulate_grad_hooks"
HELD_BY: tuple[Any, ...] = tuple(vars(torch.Tensor.__base__)[name].__get__ for name in HELD)


def left_with_loggers() -> Iterator[Any]:
    """What a cell has put there, and not PyTorch itself: everybody gets a logger by its name."""
    usual = vars(logging.Logger("")).keys()
    named = (one for one in logging.root.manager.loggerDict.values() if isinstance(one, logging.Logger))
    for logger in (logging.root, *named):
        there = [value for name, value in vars(logger).items() if name not in usual]
        yield from (value for value in there if value is not logging.root.manager and not _is_librarys(value))


def _is_librarys(value: Any) -> bool:
    return type(value) is FunctionType and is_of_a_library(value.__code__)


def held_by(value: Any) -> Iterator[Any]:
    """What a tensor without a graph holds beside its names."""
    if issubclass(type(value), torch.Tensor):
        yield from (held(value) for held in HELD_BY)


def hides(value: Any) -> bool:
    """Whether it is an array of objects or a tensor with a graph: what they hold, or run, is not seen."""
    kind = data_of(value) if issubclass(type(value), numpy.ndarray) else value
    if issubclass(type(kind), numpy.dtype):
        return kind.hasobject or kind.fields is not None or kind.metadata is not None
    return issubclass(type(value), torch.Tensor) and graph_of(value) is not None
