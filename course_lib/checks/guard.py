"""Calls an answer and watches it: what it raises, whether it changes its arguments, what it returns."""

import dis
import inspect
import sysconfig
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from course_lib.checks.exercise import Implementation, is_plain, split_axes

CHANGED = (
    "Your function changes its argument `{}` in place, and the caller still needs it. "
    "Make a new tensor, as `x = x + y` does; `x += y`, `x[0] = y` and `x.add_(y)` write into the old one."
)
RANDOM = "Two calls with the same arguments give different results: something in your function is random."
NOT_YOURS = (
    *(str(Path(__file__).parents[1] / package) for package in ("checks", "exercises")),
    *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")),
)


class RejectedError(Exception):
    """An answer gave back something that is no answer, or changed its arguments."""


class RaisedError(Exception):
    """An answer raised; `error` is what it raised."""

    def __init__(self, error: BaseException):
        self.error = error


def watched(
    function: Implementation,
    signature: inspect.Signature,
    returns: tuple[str, ...],
    own: inspect.Signature | None = None,
    repeatable: bool = True,
) -> Implementation:
    """The function, its results checked against `returns`, its arguments watched, its first call repeated.

    signature: the expected one, without self; own: the function's, where Python cannot tell it.
    repeatable: False where a second call is meant to give something else.
    """
    repeated = not repeatable

    def call(*args, **kwargs):
        nonlocal repeated
        arguments = signature.bind(*args, **kwargs).arguments
        # A write into an argument is seen only by a comparison with a copy from before the call.
        before = {name: value.clone() for name, value in arguments.items() if isinstance(value, torch.Tensor)}
        result = call_answer(function, signature, args, kwargs, own)
        for name, value in before.items():
            if not torch.equal(arguments[name], value):
                raise RejectedError(CHANGED.format(name))
        check_returned(result, returns)
        # On the first call only: the same arguments again, so another result was drawn at random.
        if not repeated and not _same(result, call_answer(function, None, args, kwargs)):
            raise RejectedError(RANDOM)
        repeated = True
        return result

    return call


def call_answer(
    function: Implementation,
    signature: inspect.Signature | None,
    args: tuple,
    kwargs: dict,
    own: inspect.Signature | None = None,
) -> Any:
    """What the call gives.

    Raises RejectedError if the function cannot be called as `signature`, RaisedError for what it raises, and
    lets a stub's NotImplementedError through. TimeLimitError passes too: it is no Exception.
    """
    if signature is not None:
        _check_call(function, signature, own, args, kwargs)
    try:
        return function(*args, **kwargs)
    except (Exception, SystemExit) as error:
        if is_stub(error):
            raise
        raise RaisedError(error) from error


def is_stub(error: BaseException) -> bool:
    """Whether a learner's `raise NotImplementedError()` raised it: PyTorch raises such errors too."""
    return (
        isinstance(error, NotImplementedError)
        and raised_on_purpose(error)
        and _is_own(traceback.extract_tb(error.__traceback__)[-1])
    )


def raised_on_purpose(error: BaseException) -> bool:
    """Whether a `raise` or an `assert` raised it: the instruction at which the innermost frame stopped."""
    last = error.__traceback__
    while last and last.tb_next:
        last = last.tb_next
    return last is not None and dis.opname[last.tb_frame.f_code.co_code[last.tb_lasti]] == "RAISE_VARARGS"


def own_line(frames: traceback.StackSummary) -> str:
    """The last of these lines that is the learner's own, with its number."""
    own = [frame for frame in frames if _is_own(frame)]
    return f"line {own[-1].lineno}: {own[-1].line}" if own and own[-1].line else ""


def _is_own(frame: traceback.FrameSummary) -> bool:
    """Whether a line is the learner's: not the course's, Python's or an installed package's."""
    return not frame.filename.startswith(NOT_YOURS)


def _check_call(function: Implementation, signature: inspect.Signature, own, args, kwargs) -> None:
    try:
        (own or inspect.signature(function)).bind(*args, **kwargs)
    except TypeError as error:
        what = "class" if inspect.isclass(function) else "function" if own is None else "forward"
        raise RejectedError(f"Your {what} must take {signature}: {error}.") from None
    except ValueError:  # a builtin without a signature: the call itself will tell
        pass


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, torch.Tensor) and isinstance(second, torch.Tensor):
        if (first.shape, first.dtype, first.device) != (second.shape, second.dtype, second.device):
            return False
        if torch.equal(first, second):
            return True
        # how lstsq and its like round depends on where in memory their arguments lie
        return first.is_floating_point() and torch.allclose(first, second, 1e-3, 1e-3, equal_nan=True)
    if isinstance(first, (tuple, list)) and isinstance(second, (tuple, list)):
        return len(first) == len(second) and all(map(_same, first, second))
    return type(first) is type(second) and first == second


def check_returned(result: Any, returns: tuple[str, ...]) -> None:
    """Raise RejectedError unless `result` is what `returns` names.

    More axes may come before the named ones, the same number in all tensors.
    """
    if not returns:
        return
    labels = [split_axes(label) for label in returns]
    kinds = "value" if any(map(is_plain, returns)) else "tensor"
    kind = f"a {kinds}" if len(labels) == 1 else f"a tuple of {kinds}s"
    expected = f"expected {kind}: {', '.join(name for name, _ in labels)}"
    if result is None:
        raise RejectedError(f"It returned None; {expected}. Did you forget `return`?")
    if len(labels) > 1 and not (isinstance(result, (tuple, list)) and len(result) == len(labels)):
        raise RejectedError(f"It returned {describe(result)}; {expected}.")
    values = result if len(labels) > 1 else (result,)
    _refuse_iterators_and_text(values, expected)
    tensors = []
    for label, (name, axes), value in zip(returns, labels, values, strict=True):
        if is_plain(label):
            continue
        if not isinstance(value, torch.Tensor):
            raise RejectedError(f"`{name}` is {describe(value)}; {expected}.")
        tensors.append((name, axes, value))
    _check_leading_axes(tensors)


def _refuse_iterators_and_text(values: Sequence, expected: str) -> None:
    if any(isinstance(value, Iterator) for value in values):
        once = "It returned an iterator, which can be read only once"
        raise RejectedError(f"{once}; {expected}. Make a list of it.")
    if texts := [value for value in values if isinstance(value, str)]:
        text = f"It returned the text {texts[0]!r:.50}"
        raise RejectedError(f"{text}; {expected}. Text cannot be calculated with.")


def _check_leading_axes(tensors: Sequence[tuple[str, tuple[str, ...], torch.Tensor]]) -> None:
    """Axes of batch or heads may come before the named ones, but then before those of all tensors."""
    if len({value.dim() - len(axes) for _, axes, value in tensors}) > 1:
        shapes = ", ".join(f"`{name}` of shape {tuple(value.shape)}" for name, _, value in tensors)
        wanted = "; ".join(f"{name} ({', '.join(axes)})" for name, axes, _ in tensors)
        raise RejectedError(f"It returned {shapes}; expected {wanted}. Are they in the right order?")


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
    return f"a value of type {module}{kind.__name__}"
