"""What an answer is given: copies for each call, and whether a call changes them."""

import copy
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from course_lib.checks.results import RejectedError

WRITTEN = (
    "Your function changes its argument `{0}` in place, and the caller still needs it. "
    "Make a new tensor, as `x = x + y` does; `x += y`, `x[0] = y` and `x.add_(y)` write into the old one."
)
CHANGED = (
    "Your function changes its argument `{0}`, and the caller still needs it. Leave `{0}` as it is: "
    "make a new list or dict, or work on a copy."
)
CONTAINERS = list, dict, set


class Given:
    """The arguments of one call, as they are before it."""

    def __init__(self, taker: inspect.Signature | Callable, args: Sequence, kwargs: dict):
        """taker: what names them."""
        try:
            taken = taker if isinstance(taker, inspect.Signature) else inspect.signature(taker)
            self._named = taken.bind(*args, **kwargs).arguments
        except (TypeError, ValueError):  # the call itself will tell
            self._named = {}
        named = self._named.items()
        # A write into a tensor is seen only by a comparison with a copy from before the call.
        self._tensors = {name: one.clone() for name, one in named if _has_numbers(one)}
        self._held = {name: contents(one) for name, one in named if isinstance(one, CONTAINERS)}

    def refuse_written(self) -> None:
        """Raises RejectedError where a tensor holds other numbers now."""
        for name, before in self._tensors.items():
            if not _same_numbers(self._named[name], before):
                raise RejectedError(WRITTEN.format(name))

    def changed(self) -> Iterator[str]:
        """A sentence for each list, dict and set that holds something else now."""
        return (
            CHANGED.format(name) for name, held in self._held.items() if contents(self._named[name]) != held
        )


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


def copied(value: Any) -> Any:
    """A list, dict or set, and those that it holds, of their own; what else they hold is shared."""
    if type(value) is tuple:
        return tuple(map(copied, value))
    own = copy.copy(value) if isinstance(value, CONTAINERS) else value
    if isinstance(own, list):
        own[:] = map(copied, own)
    elif isinstance(own, dict):
        own.update({key: copied(item) for key, item in own.items()})
    return own


def contents(value: Any) -> Any:
    """What is in lists, dicts and sets, and in those that they hold; of anything else, which object it is."""
    if isinstance(value, (list, tuple)):
        return [contents(item) for item in value]
    if isinstance(value, dict):
        return [(contents(key), contents(item)) for key, item in value.items()]
    if isinstance(value, set):
        return set(value)
    if type(value) is torch.Tensor:
        return id(value), value._version  # which each write into it raises
    return value if type(value) in (str, int, float) else id(value)
