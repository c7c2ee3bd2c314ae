"""Compares two values, and says in a sentence how they differ: type, shape, dtype, device, NaN or numbers."""

import math
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import permutations, zip_longest
from typing import Any

import torch

from course_lib.checks import gradients
from course_lib.checks.exercise import Part, Values

LONGEST_TEXT, TEXT_SHOWN = 80, 40  # characters of a text that a message shows whole; else of its part
SHOWN = 12  # items of a list that a message shows
SEEN = " It was seen in {0}."
NAN = (
    "NaN comes from 0/0, infinity - infinity, infinity / infinity, 0 * infinity, the sine or cosine of "
    "infinity, or the root or logarithm of a negative number."
)


def same(got: Values, expected: Values, rtol: float, atol: float) -> bool:
    """Whether all values agree, NaN with NaN."""
    return got.keys() == expected.keys() and all(
        _same_value(got[label], value, rtol, atol) for label, value in expected.items()
    )


def _same_value(got: Any, expected: Any, rtol: float, atol: float) -> bool:
    if not isinstance(expected, torch.Tensor) or not isinstance(got, torch.Tensor):
        return _same_plain(got, expected, rtol, atol)
    if got.shape != expected.shape or got.dtype != expected.dtype or got.device != expected.device:
        return False
    # Right ones are mostly equal to the last bit, and `equal` is a hundred times faster.
    return torch.equal(got, expected) or torch.allclose(got, expected, rtol, atol, equal_nan=True)


def _same_plain(got: Any, expected: Any, rtol: float, atol: float) -> bool:
    if type(got) is not type(expected):
        return False
    if isinstance(expected, float):
        return math.isclose(got, expected, rel_tol=rtol, abs_tol=atol) or (
            got != got and expected != expected
        )
    if isinstance(expected, (list, tuple)):
        pairs = zip(got, expected, strict=False)
        return len(got) == len(expected) and all(_same_value(*pair, rtol, atol) for pair in pairs)
    if gradients.is_flow(expected):
        return gradients.same_flow(got, expected)
    if isinstance(expected, dict):
        return got.keys() == expected.keys() and all(
            _same_value(got[key], expected[key], rtol, atol) for key in expected
        )
    return got == expected


def same_but_kind(got: Values, expected: Values, rtol: float, atol: float) -> bool:
    """Whether all numbers agree, though some come as another type: another dtype, a number for a tensor."""
    return got.keys() == expected.keys() and all(
        _same_but_kind(got[label], value, rtol, atol) for label, value in expected.items()
    )


def _same_but_kind(got: Any, expected: Any, rtol: float, atol: float) -> bool:
    if gradients.is_flow(expected):
        return gradients.same_flow(got, expected)
    if isinstance(got, str) or isinstance(expected, str) or got is None or expected is None:
        return got == expected
    if isinstance(expected, dict) or isinstance(got, dict):
        return type(got) is type(expected) and same_but_kind(got, expected, rtol, atol)
    a, b = _numbers(got), _numbers(expected)
    if a is not None and b is not None:
        return a.shape == b.shape and torch.allclose(a, b, rtol, atol, equal_nan=True)
    if isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        pairs = zip(got, expected, strict=False)
        return len(got) == len(expected) and all(_same_but_kind(*pair, rtol, atol) for pair in pairs)
    tensors = isinstance(got, torch.Tensor) or isinstance(expected, torch.Tensor)
    return not tensors and type(got) is type(expected) and bool(got == expected)


def _numbers(value: Any) -> torch.Tensor | None:
    """As a tensor of float64, where it is real numbers in whatever box."""
    try:
        numbers = torch.as_tensor(value)
        return None if numbers.is_complex() else numbers.to(device="cpu", dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return None


def difference(
    name: str, axes: Sequence[str], got: Any, expected: Any, rtol: float, atol: float
) -> str | None:
    """A sentence on the first thing that differs, or None; `axes` name the axes of the expected tensor."""
    if _same_value(got, expected, rtol, atol):
        return None
    if gradients.is_flow(got) and gradients.is_flow(expected):
        return _in_its_case(gradients.told(name, got, expected), name)
    if got is None and gradients.is_flow(expected):
        return gradients.NO_PARAMETER.format(name.rpartition(" ")[2])
    if isinstance(got, str) and (isinstance(expected, str) or gradients.is_flow(expected)):
        return _in_its_case(got, name)  # a finding in words is a sentence already
    if not isinstance(got, torch.Tensor) or not isinstance(expected, torch.Tensor):
        text = f"{_in_code(name)} is {written(got, expected)}, expected {written(expected, got)}."
        return text + _kind_hint(got, expected)
    if got.shape != expected.shape:
        text = f"{_in_code(name)} has shape {tuple(got.shape)}, expected {named_shape(expected, axes)}."
        return text + _axes_hint(got, expected, axes)
    if got.dtype != expected.dtype:
        return f"{_in_code(name)} is {got.dtype}, expected {expected.dtype}."
    if got.device != expected.device:
        return (
            f"{_in_code(name)} is on {got.device}, expected {expected.device}. Use the device of the inputs."
        )
    return _difference_in_numbers(name, axes, got, expected, rtol, atol)


def _in_its_case(finding: str, label: str) -> str:
    """A finding in words, with its case where the label has one that it does not name."""
    label = label.removesuffix(gradients.EVALUATION.format(label="")).removeprefix(gradients.label_of(""))
    case = label.partition(" (")[2].removesuffix(")")
    return finding if case in finding else finding + SEEN.format(_in_code(label))


def _difference_in_numbers(name, axes, got, expected, rtol, atol) -> str:
    wrong = ~torch.isclose(got, expected, rtol, atol, equal_nan=True)  # the shape of both
    if expected.dtype != torch.bool and got.isnan().any() and not expected.isnan().any():
        where = place(name, axes, got.isnan())
        return f"{where} is NaN. {NAN}"
    # Of the wrong numbers the one farthest off is shown. `spot` is True there and nowhere else.
    gap = (got.double() - expected.double()).abs()
    index = torch.where(wrong, gap, -1.0).flatten().argmax()
    spot = torch.zeros_like(wrong).flatten().index_fill(0, index, True).view_as(wrong)
    count = f" {int(wrong.sum())} of {wrong.numel()} numbers differ." if wrong.numel() > 1 else ""
    digits = 4 if number(got[spot]) != number(expected[spot]) else 8
    found, right = number(got[spot], digits), number(expected[spot], digits)
    right = "0" if expected.dtype != torch.bool and abs(expected[spot].item()) < atol else right
    text = f"{place(name, axes, spot)} is {found}, expected {right}.{count}"
    return f"{text} {relation(got, expected)}".strip()


def named_shape(tensor: torch.Tensor, axes: Sequence[str]) -> str:
    """(batch 2, target 5) for a tensor of shape (2, 5) with axes batch and target."""
    if tensor.dim() != len(axes):
        return str(tuple(tensor.shape))
    return "(" + ", ".join(f"{axis} {size}" for axis, size in zip(axes, tensor.shape, strict=True)) + ")"


def place(label: str, axes: Sequence[str], where: torch.Tensor) -> str:
    """`weights[batch 0, target 2]` (late): the first True of `where`, for a label "weights (late)"."""
    index = where.nonzero()[0].tolist()
    if not index:
        return _in_code(label)
    parts = [f"{axis} {i}" for axis, i in zip(axes, index, strict=True)] if len(axes) == len(index) else index
    return _in_code(label, f"[{', '.join(map(str, parts))}]")


def _in_code(label: str, place: str = "") -> str:
    """`weights` (late) for a label "weights (late)"."""
    name, bracket, case = label.partition(" (")
    return f"`{name}{place}`{bracket}{case}"


def number(value: torch.Tensor, digits: int = 4) -> str:
    """The one number of a tensor, floats to so many digits."""
    plain = value.item()
    return str(plain) if isinstance(plain, (bool, int)) else f"{plain:.{digits}g}"


def written(value: Any, other: Any = None) -> str:
    """A plain value as Python text, numbers to six digits; of a long list also where `other` differs."""
    if type(value) is float:
        return repr(float(f"{value:.6g}"))
    if type(value) in (list, tuple) and len(value) > 1:
        others = other if type(other) in (list, tuple) else ()
        return listed(value, others, written, "[]" if type(value) is list else "()")
    if type(value) is list and value:
        return f"[{written(value[0], other[0] if type(other) is list and other else None)}]"
    if type(value) is str and len(value) > LONGEST_TEXT:
        return _part_of(value, other)
    return repr(value)


def _part_of(text: str, other: Any) -> str:
    """A part of a long text, from a little before the place where `other` begins to differ."""
    first = _first_difference(text, other if type(other) is str else "")
    start = max(0, first - 10)
    part = repr(text[start : start + TEXT_SHOWN])
    return f"{'...' * (start > 0)}{part}{'...' * (start + TEXT_SHOWN < len(text))} ({len(text)} characters)"


def listed(items: Sequence, others: Sequence, text: Callable[[Any, Any], str], brackets: str = "[]") -> str:
    """Items in brackets; of many the first, those where `others` begin to differ, and the count."""

    def texts(start: int, end: int) -> list[str]:
        # They may be very many: only those that are shown become text.
        chosen = items[start:end]
        return [text(*pair) for pair in zip_longest(chosen, others[start : start + len(chosen)])]

    if len(items) <= SHOWN:
        return f"{brackets[0]}{', '.join(texts(0, SHOWN))}{brackets[1]}"
    first = _first_difference(items, others)
    # Either the first twelve, or the first three and, after "...", nine around the place that differs.
    start, end = (0, SHOWN) if first < SHOWN - 2 else (first - 2, first + SHOWN - 5)
    shown = [*texts(0, 3), "..."] if start else []
    shown += texts(start, end) + ["..."] * (end < len(items))
    return f"{brackets[0]}{', '.join(shown)}{brackets[1]} ({len(items)} items)"


def _first_difference(items: Sequence, others: Sequence) -> int:
    pairs = enumerate(zip(items, others, strict=False))
    common = min(len(items), len(others))
    return next((i for i, pair in pairs if not _same_value(*pair, Part.rtol, Part.atol)), common)


def _kind_hint(got: Any, expected: Any) -> str:
    if got is None:
        return " Did you forget `return`?"
    if _is_number_in_a_tensor(got, expected):
        return " It is a tensor: `.item()` gives a Python number."
    if (
        isinstance(got, list)
        and isinstance(expected, list)
        and any(map(_is_number_in_a_tensor, got, expected))
    ):
        return " It holds tensors: `.item()` gives a Python number."
    return ""


def _is_number_in_a_tensor(got: Any, expected: Any) -> bool:
    return isinstance(got, torch.Tensor) and got.dim() == 0 and isinstance(expected, (int, float))


def _axes_hint(got: torch.Tensor, expected: torch.Tensor, axes: Sequence[str]) -> str:
    if sorted(got.shape) != sorted(expected.shape) or got.dim() != len(axes):
        return ""
    swapped = [axis for axis, a, b in zip(axes, got.shape, expected.shape, strict=True) if a != b]
    return f" The sizes are right, but their order is wrong. Look at {joined(swapped)}."


def joined(names: Sequence[str]) -> str:
    """ "seq and heads"."""
    return reduce(lambda first, second: f"{first} and {second}", names)


def relation(got: torch.Tensor, expected: torch.Tensor) -> str:
    """A remark when the whole of `got` is a simple function of `expected`."""
    if got.dtype == torch.bool:
        return "It is True exactly where False is expected." if torch.equal(got, ~expected) else ""
    a, b = got.double(), expected.double()
    if b.numel() == 1:  # one number is some multiple of any other
        return "Only its sign is wrong." if b.abs().sum() > 0 and torch.allclose(a, -b, rtol=1e-3) else ""
    # Close to a claim is what differs from it far less than from the expected numbers.
    close = lambda x, y: (  # noqa: E731
        torch.allclose(x, y, rtol=1e-3, atol=1e-6) and (x - y).norm() <= 0.05 * (a - b).norm()
    )
    if b.norm() > 0 and a.norm() == 0:
        return "All your numbers are 0."
    # The factor and the offset that fit best, by least squares: a remark only where one fits everywhere.
    factor = (a * b).sum() / (b * b).sum().clamp_min(1e-30)
    if abs(factor - 1) > 1e-3 and a.norm() > 0 and close(a, factor * b):
        return f"All your numbers are {factor:.4g} times the expected ones."
    offset = (a - b).mean()
    if abs(offset) > 1e-4 and close(a, b + offset):
        return f"All your numbers are the expected ones plus {offset:.4g}."
    for order in list(permutations(range(b.dim())))[1:]:  # without the first, which moves nothing
        moved = b.permute(order)
        if moved.shape == a.shape and close(a, moved):
            return "Your numbers are the expected ones with axes swapped."
    return ""
