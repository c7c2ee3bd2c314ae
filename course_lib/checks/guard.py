"""Calls of an answer, watched: what it raises, what it changes, what kind of thing it gives back."""

import inspect
from typing import Any

import torch

from course_lib.checks.exercise import Exercise, Implementation, split_axes

CHANGED = (
    "Your function changes its argument `{}` in place, and the caller still needs it. "
    "Make a new tensor: `x = x / y` instead of `x /= y`."
)
RANDOM = "Two calls with the same arguments give different results: something in your function is random."


class Rejected(Exception):
    """An answer gave back something that is no answer, or changed its arguments."""


class Raised(Exception):
    """An answer raised; `error` is what it raised."""

    def __init__(self, error: BaseException):
        self.error = error


def guarded(exercise: Exercise, implementation: Implementation) -> Implementation:
    """The implementation, its results checked, its arguments watched, its first call repeated."""
    signature = inspect.signature(exercise.reference_implementation)
    repeated = False

    def call(*args, **kwargs):
        nonlocal repeated
        _check_call(implementation, signature, args, kwargs)
        arguments = signature.bind(*args, **kwargs).arguments
        before = {name: value.clone() for name, value in arguments.items() if isinstance(value, torch.Tensor)}
        result = _call(implementation, args, kwargs)
        for name, value in before.items():
            if not torch.equal(arguments[name], value):
                raise Rejected(CHANGED.format(name))
        check_returned(result, exercise.returns)
        if not repeated and not _same(result, _call(implementation, args, kwargs)):
            raise Rejected(RANDOM)
        repeated = True
        return result

    return call


def _call(implementation: Implementation, args: tuple, kwargs: dict) -> Any:
    try:
        return implementation(*args, **kwargs)
    except NotImplementedError:
        raise
    except (Exception, SystemExit) as error:
        raise Raised(error) from error


def _check_call(implementation: Implementation, signature: inspect.Signature, args, kwargs) -> None:
    try:
        inspect.signature(implementation).bind(*args, **kwargs)
    except TypeError as error:
        raise Rejected(f"Your function must take {signature}: {error}.") from None
    except ValueError:  # a builtin without a signature
        pass


def _same(first: Any, second: Any) -> bool:
    pairs = zip(as_tuple(first), as_tuple(second), strict=True)
    return all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in pairs)


def as_tuple(result: Any) -> tuple:
    """What a call returned, as a tuple also if it is one tensor."""
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def check_returned(result: Any, returns: tuple[str, ...]) -> None:
    """Raise Rejected unless `result` is as many tensors as `returns` names, with fitting numbers of axes."""
    labels = [split_axes(label) for label in returns]
    kind = "a tensor" if len(labels) == 1 else "a tuple of tensors"
    expected = f"expected {kind}: {', '.join(name for name, _ in labels)}"
    if result is None:
        raise Rejected(f"It returned None; {expected}. Did you forget `return`?")
    if len(labels) > 1 and not (isinstance(result, (tuple, list)) and len(result) == len(labels)):
        raise Rejected(f"It returned {describe(result)}; {expected}.")
    values = as_tuple(result) if len(labels) > 1 else (result,)
    for (name, _), value in zip(labels, values, strict=True):
        if not isinstance(value, torch.Tensor):
            raise Rejected(f"`{name}` is {describe(value)}; {expected}.")
    extra = [value.dim() - len(axes) for (_, axes), value in zip(labels, values, strict=True)]
    if len(set(extra)) > 1:  # axes of batch or heads may come before, but then before all
        shapes = ", ".join(
            f"`{name}` of shape {tuple(value.shape)}" for (name, _), value in zip(labels, values, strict=True)
        )
        wanted = "; ".join(f"{name} ({', '.join(axes)})" for name, axes in labels)
        raise Rejected(f"It returned {shapes}; expected {wanted}. Are they in the right order?")


def describe(value: Any) -> str:
    """What kind of thing a value is, for a message."""
    if isinstance(value, torch.Tensor):
        return f"one tensor of shape {tuple(value.shape)}"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)} values"
    if value is None:
        return "None"
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"of type {module}{kind.__name__}"
