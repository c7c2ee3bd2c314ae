"""What an answer returned: whether it has the requested form, and its numbers as ordinary tensors."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import permutations
from typing import Any

import torch
from torch import nn

from course_lib.checks.exercise import is_plain, split_axes
from course_lib.checks.kinds import Kinds

TEXT = "text"  # in `returns` of an exercise: its answer gives a string
ONE_OR_MORE_TENSORS = "a tensor", "a tuple of tensors"
PLAIN = Kinds(bool, int, float, str, bytes, set, type(None))
TENSORS = Kinds(torch.Tensor, nn.Parameter)
MOST = 10**6  # numbers of a tensor, or items of a list, that are looked at
DEPTH = 30  # of lists in lists, that are looked into: one may hold itself


class RejectedError(Exception):
    """An answer gave back something that is no answer, or changed its arguments."""


def same(first: Any, second: Any, tolerance: float = 1e-3) -> bool:
    """Whether two results of one call agree, but for rounding. NaN agrees with NaN.

    Of things that are no numbers or texts only the kind is compared.
    tolerance: how lstsq and its like round depends on where in memory their arguments lie.
    """
    if isinstance(first, torch.Tensor) and isinstance(second, torch.Tensor):
        first, second = ordinary(first, "result"), ordinary(second, "result")
        if (first.shape, first.dtype, first.device) != (second.shape, second.dtype, second.device):
            return False
        if torch.equal(first, second):
            return True
        is_near = partial(torch.allclose, rtol=tolerance, atol=tolerance, equal_nan=True)
        return first.is_floating_point() and is_near(first, second)
    if first is second:
        return True
    if isinstance(first, (tuple, list)) and isinstance(second, (tuple, list)):
        return len(first) == len(second) and all(map(partial(same, tolerance=tolerance), first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(
            same(first[key], second[key], tolerance) for key in first
        )
    if type(first) is not type(second):
        return False
    return type(first) not in PLAIN or bool(first == second or first != first)


def checked(result: Any, returns: tuple[str, ...], slips: list[str]) -> Any:
    """The result, its lists of numbers and arrays made tensors where `returns` names tensors.

    Raises RejectedError unless it is what `returns` names. More axes may come before the named ones, the same
    number in all tensors. slips: gets a sentence on each value that had to be made a tensor.
    """
    if not returns:
        return result
    labels = [split_axes(label) for label in returns]
    one, several = ("a value", "a tuple of values") if any(map(is_plain, returns)) else ONE_OR_MORE_TENSORS
    kind = one if len(labels) == 1 else several
    expected = f"expected {kind}: {', '.join(name for name, _ in labels)}"
    if result is None:
        raise RejectedError(f"It returned None; {expected}. Did you forget `return`?")
    if len(labels) > 1 and not (isinstance(result, (tuple, list)) and len(result) == len(labels)):
        raise RejectedError(f"It returned {describe(result)}; {expected}.")
    values = list(result) if len(labels) > 1 else [result]
    _refuse_iterators(values, expected)
    if TEXT in returns:
        _require_text(result)
    else:
        _refuse_text(values, expected)
    tensors = []
    for number, (label, (name, axes)) in enumerate(zip(returns, labels, strict=True)):
        value = values[number]
        if isinstance(value, torch.Tensor):
            values[number] = ordinary(value, name)
        if is_plain(label):
            continue
        if not isinstance(value, torch.Tensor):
            wanted = expected if len(labels) == 1 else "expected a tensor"
            slip = f"`{name}` is {describe(value)}; {wanted}."
            values[number] = ordinary(_as_tensor(value, slip), name)
            slips.append(slip)
        tensors.append((name, axes, values[number]))
    _check_leading_axes(tensors)
    return tuple(values) if len(labels) > 1 else values[0]


def ordinary(tensor: torch.Tensor, name: str) -> torch.Tensor:
    """The same numbers in a dense tensor of torch's own class, with its gradient.

    Raises RejectedError where it has no numbers that could be compared, or far too many.
    """
    if not tensor.is_nested and torch.Tensor.numel(tensor) > MOST:
        raise RejectedError(f"`{name}` has shape {tuple(tensor.shape)}: that is far too large.")
    for kind in ("nested", "quantized", "meta"):
        if getattr(tensor, f"is_{kind}"):
            raise RejectedError(f"`{name}` is a {kind} tensor, expected an ordinary one.")
    if tensor.layout == torch.strided and type(tensor) in TENSORS:
        return _of_zeros_and_ones(tensor) if tensor.dtype == torch.bool else tensor
    try:
        with torch._C.DisableTorchFunction():
            dense: Any = tensor.to_dense()
            return dense.as_subclass(torch.Tensor)
    except (RuntimeError, TypeError):
        raise RejectedError(f"`{name}` is {describe(tensor)} of a kind that cannot be read.") from None


def _of_zeros_and_ones(booleans: torch.Tensor) -> torch.Tensor:
    """Of another byte, comparisons say that it is True, and that it is False."""
    numbers = booleans.view(torch.uint8)
    return numbers != 0 if (numbers > 1).any() else booleans


def _as_tensor(value: Any, slip: str) -> torch.Tensor:
    """Numbers in another kind of box. Raises RejectedError where there are none."""
    try:
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], torch.Tensor):
            return torch.stack(tuple(value))
        if isinstance(value, (bool, int, float, list, tuple)) or type(value).__module__ == "numpy":
            return torch.as_tensor(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        pass
    raise RejectedError(slip)


def _refuse_iterators(values: Sequence, expected: str) -> None:
    if any(isinstance(value, Iterator) for value in values):
        once = "It returned an iterator, which can be read only once"
        raise RejectedError(f"{once}; {expected}. Make a list of it.")


def _require_text(result: Any) -> None:
    if type(result) is not str:
        raise RejectedError(f"It returned {describe(result)}; expected a text.")


def _refuse_text(values: Sequence, expected: str) -> None:
    if texts := [value for value in values if isinstance(value, str)]:
        text = f"It returned the text {texts[0]!r:.50}"
        raise RejectedError(f"{text}; {expected}. The check cannot calculate with text.")


def _check_leading_axes(tensors: Sequence[tuple[str, tuple[str, ...], torch.Tensor]]) -> None:
    """Axes of batch or heads may come before the named ones, but then before those of all tensors."""
    values = [value for _, _, value in tensors]
    if len(_axes_before(tensors, values)) > 1:
        shapes = ", ".join(f"`{name}` {tuple(value.shape)}" for name, _, value in tensors)
        wanted = "; ".join(f"{name} ({', '.join(axes)})" for name, axes, _ in tensors)
        another = any(len(_axes_before(tensors, order)) == 1 for order in permutations(values))
        order = " Are they in the right order?" if another else ""
        raise RejectedError(f"It returned shapes {shapes}; expected {wanted}.{order}")


def _axes_before(tensors: Sequence[tuple], values: Sequence[torch.Tensor]) -> set[int]:
    """How many axes come before the named ones, if the values are those of the tensors in this order."""
    return {value.dim() - len(axes) for (_, axes, _), value in zip(tensors, values, strict=True)}


def describe(value: Any) -> str:
    """What kind of thing a value is, for a message."""
    if isinstance(value, torch.Tensor):
        return f"one tensor of shape {tuple(value.shape)}"
    if isinstance(value, (tuple, list)):
        kind, size = type(value).__name__, len(value)
        return f"a {kind} of 1 value" if size == 1 else f"a {kind} of {size} values"
    if value is None:
        return "None"
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"a value of type {module}{kind.__name__}"
