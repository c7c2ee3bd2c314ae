"""Exercises whose answer is a test: probes run it on right and on broken code, and judge what it says.

As in pytest a test fails when it raises, whatever it raises, and passes when it does not.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from course_lib.checks.exercise import Exercise, Implementation, Probe
from course_lib.checks.guard import RaisedError, raised_on_purpose

SEEDS = (0, 1, 2)  # of torch's generator, for tests that draw numbers
NEVER = "Your test refuses none of many broken pieces. Does it reach an `assert` that can fail?"
RETURNS = "Your test returns a value, and nobody looks at it. Write `assert` in place of `return`."
ALARM = (
    "False alarm: your test fails ({error}) on right code, written another way: {name}. Does it ask for one "
    "way of writing, or leave floats no room for rounding (`atol=1e-5`)?"
)
SLIPPED = "Broken code slips through your test. It {what}. {shown_by}"
LUCKY = (
    "Your test catches this broken code with some random numbers only. It {what}. "
    "Choose the numbers by hand, or begin with `torch.manual_seed(0)`."
)


@dataclass(frozen=True)
class Broken:
    """Code with a bug: what it does wrong (after "it"), and a sentence on what would have shown it."""

    what: str
    shown_by: str
    code: Implementation


def accepts(piece: Exercise, *others: tuple[str, Implementation]) -> Probe:
    """Probe of a test: right code passes, however it is written, and some broken code does not.

    Right are the reference and the accepted variants of `piece`, or the (name, code) given in their place.
    """

    def probe(test: Implementation, inputs) -> dict[str, str]:
        _require_sound(piece, test)
        found = {"any code": _never_fails(piece, test)}
        for name, code in others or piece.accepted.items():
            errors = [_error(piece, test, code, seed) for seed in SEEDS]
            kinds = [type(error).__name__ for error in errors if error]
            found[name] = ALARM.format(error=kinds[0], name=name) if kinds else ""
        return found

    return probe


def catches(piece: Exercise, *broken: Broken) -> Probe:
    """Probe of a test: it fails on each of these."""

    def probe(test: Implementation, inputs) -> dict[str, str]:
        _require_sound(piece, test)
        return {one.what: _slipped(piece, test, one) for one in broken}

    return probe


def both(*probes: Probe) -> Probe:
    """All findings of several probes."""
    return lambda test, inputs: {key: value for probe in probes for key, value in probe(test, inputs).items()}


def _require_sound(piece: Exercise, test: Implementation) -> None:
    """A test that fails on the plainest right code proves nothing: raise as it does, with its own line."""
    error = _error(piece, test, piece.reference_implementation, SEEDS[0])
    if error is None:
        return
    text = "on right code, where a test must pass"
    if not isinstance(error, AssertionError):
        text = f"{error} ({text})"
    same_name = type(type(error).__name__, (Exception,), {})
    raise RaisedError(same_name(text).with_traceback(error.__traceback__))


def _slipped(piece: Exercise, test: Implementation, broken: Broken) -> str:
    caught = [_error(piece, test, broken.code, seed) is not None for seed in SEEDS]
    if all(caught):
        return ""
    return (LUCKY if any(caught) else SLIPPED).format(what=broken.what, shown_by=broken.shown_by)


def _never_fails(piece: Exercise, test: Implementation) -> str:
    """A remark where nothing makes the test raise on purpose: errors that happen to it judge nothing."""
    results = []
    for code in (_nothing, *(mistake.implementation for mistake in piece.mistakes)):
        try:
            results.append(_run(piece, test, code, SEEDS[0]))
        except RaisedError as raised:
            if raised_on_purpose(raised.error):
                return ""
    return NEVER if all(result is None for result in results) else RETURNS


def _nothing(*args, **kwargs) -> None:
    return None


def _error(piece: Exercise, test: Implementation, code: Implementation, seed: int) -> BaseException | None:
    try:
        _run(piece, test, code, seed)
    except RaisedError as raised:
        return raised.error
    return None


def _run(piece: Exercise, test: Implementation, code: Implementation, seed: int) -> Any:
    torch.default_generator.manual_seed(seed)
    return test(_anonymous(code, piece.name))


def _anonymous(code: Implementation, name: str) -> Callable[..., Any]:
    """The code under the name of the piece, so that a test has only results to go by."""

    def function(*args, **kwargs):
        return code(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    return function
