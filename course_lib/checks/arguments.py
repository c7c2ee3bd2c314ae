"""What an answer is given: copies for each call, and whether a call changes them, or what it gave before."""

import copy
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from course_lib.checks.results import DEPTH, RejectedError, same

WRITTEN = (
    "Your function changes its argument `{0}` in place, and the caller still needs it. "
    "Make a new tensor, as `x = x + y` does; `x += y`, `x[0] = y` and `x.add_(y)` write into the old one."
)
CHANGED = (
    "Your function changes its argument `{0}`, and the caller still needs it. Leave `{0}` as it is: "
    "make a new list or dict, or work on a copy."
)
REUSED = (
    "Your function gives the same object in each call, and the next call changes it. So it changes a result "
    "that the caller has kept. Make a new object in each call."
)
CONTAINERS = list, dict, set
Earlier = tuple[Any, Any]  # what calls gave, and a copy of it from before another call


class Given:
    """The arguments of one call, and what calls before it gave, as they are before it."""

    def __init__(self, taker: inspect.Signature | Callable, args: Sequence, kwargs: dict, earlier: Earlier):
        """taker: what names the arguments."""
        try:
            taken = taker if isinstance(taker, inspect.Signature) else inspect.signature(taker)
            # The answer's own could compute here, outside of its call.
            self._named = taken.bind(*args, **kwargs).arguments if type(taken) is inspect.Signature else {}
        except (TypeError, ValueError):  # the call itself will tell
            self._named = {}
        named = self._named.items()
        # A write into a tensor is seen only by a comparison with a copy from before the call.
        self._tensors = {name: one.clone() for name, one in named if _has_numbers(one)}
        self._held = {name: contents(one) for name, one in named if isinstance(one, (*CONTAINERS, tuple))}
        self._earlier = earlier

    def refuse_written(self) -> None:
        """Raises RejectedError where a tensor holds other numbers now."""
        for name, before in self._tensors.items():
            if not _same_numbers(self._named[name], before):
                raise RejectedError(WRITTEN.format(name))

    def changed(self) -> Iterator[str]:
        """A sentence for each argument that holds something else now, and one for the earlier result."""
        for name, held in self._held.items():
            if contents(self._named[name]) != held:
                yield CHANGED.format(name)
        if not same(*self._earlier):
            yield REUSED


def _has_numbers(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and not value.is_meta


def _same_numbers(one: torch.Tensor, other: torch.Tensor) -> bool:
    """NaN beside NaN too: an answer may be given what another of its calls has made."""
    if torch.equal(one, other):
        return True
    return one.shape == other.shape and bool(((one == other) | (one.isnan() & other.isnan())).all())


def copies(args: Sequence, kwargs: dict) -> tuple[list, dict]:
    """Arguments for one call: what it does to a list or dict is not seen by another call."""
    return [copied(value) for value in args], {name: copied(value) for name, value in kwargs.items()}


def copied(value: Any, depth: int = DEPTH) -> Any:
    """A list, dict or set, and those that it holds, of their own; what else they hold is shared."""
    if not depth:
        return value
    if type(value) is tuple:
        return tuple(copied(item, depth - 1) for item in value)
    own = copy.copy(value) if isinstance(value, CONTAINERS) else value
    if isinstance(own, list):
        own[:] = [copied(item, depth - 1) for item in own]
    elif isinstance(own, dict):
        own.update({key: copied(item, depth - 1) for key, item in own.items()})
    return own


def contents(value: Any, depth: int = DEPTH) -> Any:
    """What is in lists, dicts and sets, and in those that they hold; of anything else, which object it is.

    With its kind: 1 is not 1.0, and a list is no tuple.
    """
    if type(value) is torch.Tensor and not value.is_inference():
        return id(value), value._version  # which each write into it raises
    kind = type(value)
    if isinstance(value, (list, tuple)) and depth:
        return kind, [contents(item, depth - 1) for item in value]
    if isinstance(value, dict) and depth:
        return kind, [(contents(key, 1), contents(item, depth - 1)) for key, item in value.items()]
    if isinstance(value, set):
        return kind, set(value)
    return kind, value if kind in (str, int, float) else id(value)


def detached(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone()


def as_it_is(value: Any, own: Callable[[torch.Tensor], torch.Tensor] = detached, depth: int = DEPTH) -> Any:
    """Its tensors, copied by `own`, and its lists, tuples, dicts and sets. Other things are shared."""
    if isinstance(value, torch.Tensor):
        return own(value)
    if isinstance(value, (list, tuple)) and depth:
        items = [as_it_is(item, own, depth - 1) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    if isinstance(value, dict) and depth:
        return {key: as_it_is(item, own, depth - 1) for key, item in value.items()}
    return set(value) if isinstance(value, set) else value
