"""Running an implementation on probes. Everything that touches a learner's code happens here."""

import contextlib
import inspect
import io
import sysconfig
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from course_lib.checks.exercise import Exercise, Implementation, Part, Values, split_axes
from course_lib.checks.inputs import Inputs

STUB = "Not attempted yet: write your code in place of `raise NotImplementedError()`."
CHANGED = (
    "Your function changes its argument `{}` in place, and the caller still needs it. "
    "Make a new tensor: `x = x / y` instead of `x /= y`."
)
RANDOM = "Two calls with the same arguments give different results: something in your function is random."
NOT_YOURS = (str(Path(__file__).parent), *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")))


@dataclass(frozen=True)
class Failure:
    """Why there are no values. Two are the same when kind and message are, wherever they happened."""

    kind: str  # "not attempted", "raises" or "type"
    message: str
    line: str = field(default="", compare=False)


@dataclass(frozen=True)
class Outcome:
    """What a probe gave: values, or a failure."""

    values: Values | None = None
    failure: Failure | None = None


@dataclass(frozen=True)
class Observation:
    """All that a judge needs to know of an answer: plain outcomes, no live objects."""

    parts: dict[str, Outcome]
    examples: dict[str, Outcome]


class Rejected(Exception):
    """An answer gave back something that is no answer, or changed its arguments."""


def observe(exercise: Exercise, answer: Implementation, seed: int) -> Observation:
    if not callable(answer):
        text = f"`{exercise.name}` is {_describe(answer)}, expected a function."
        nothing = Outcome(failure=Failure("type", text))
        return Observation({part.name: nothing for part in exercise.parts}, {})
    parts = {part.name: run(exercise, answer, part, seed) for part in exercise.parts}
    return Observation(parts, {text: run_example(exercise, answer, text) for text in exercise.examples})


def run(exercise: Exercise, implementation: Implementation, part: Part, seed: int) -> Outcome:
    """The outcome of one probe; the same seed means the same inputs."""
    return _outcome(lambda: part.probe(_guarded(exercise, implementation), Inputs(f"{seed}/{part.name}")))


def run_example(exercise: Exercise, implementation: Implementation, text: str) -> Outcome:
    def call() -> Values:
        names = {"torch": torch, exercise.name: _guarded(exercise, implementation)}
        result = eval(text, names)
        labels = [split_axes(label)[0] for label in exercise.returns]
        return dict(zip(labels, result if len(labels) > 1 else (result,), strict=True))

    return _outcome(call)


def _outcome(call) -> Outcome:
    try:
        with _quiet(), torch.enable_grad():
            return Outcome({name: _plain(value) for name, value in call().items()})
    except NotImplementedError:
        return Outcome(failure=Failure("not attempted", STUB))
    except Rejected as error:
        return Outcome(failure=Failure("type", str(error)))
    except (Exception, SystemExit) as error:
        message = f"{type(error).__name__}: {error}".strip(": ")
        return Outcome(failure=Failure("raises", message, _own_line(error)))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep prints and warnings of an answer out of the notebook: a line on stderr would cost all points."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        with contextlib.redirect_stderr(io.StringIO()):
            yield


def _plain(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def _own_line(error: BaseException) -> str:
    """The last line of the learner's own code that the error passed through."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(NOT_YOURS)
    ]
    if isinstance(error, SyntaxError) or not frames or not frames[-1].line:
        return ""
    return f"line {frames[-1].lineno}: {frames[-1].line}"


def _guarded(exercise: Exercise, implementation: Implementation) -> Implementation:
    """The implementation, its results checked, its arguments watched, its first call repeated."""
    signature = inspect.signature(exercise.reference_implementation)
    labels = [split_axes(label)[0] for label in exercise.returns]
    repeated = False

    def call(*args, **kwargs):
        nonlocal repeated
        names = signature.bind(*args, **kwargs).arguments
        before = {name: value.clone() for name, value in names.items() if isinstance(value, torch.Tensor)}
        result = implementation(*args, **kwargs)
        for name, value in before.items():
            if not torch.equal(names[name], value):
                raise Rejected(CHANGED.format(name))
        _check_returned(result, labels)
        if not repeated and not _same_results(result, implementation(*args, **kwargs)):
            raise Rejected(RANDOM)
        repeated = True
        return result

    return call


def _same_results(first: Any, second: Any) -> bool:
    if isinstance(first, torch.Tensor):
        first, second = (first,), (second,)
    return all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(first, second, strict=True))


def _check_returned(result: Any, names: list[str]) -> None:
    expected = f"expected {'a tensor' if len(names) == 1 else 'a tuple of tensors'}: {', '.join(names)}"
    if result is None:
        raise Rejected(f"It returned None; {expected}. Did you forget `return`?")
    if len(names) > 1 and not (isinstance(result, (tuple, list)) and len(result) == len(names)):
        raise Rejected(f"It returned {_describe(result)}; {expected}.")
    for name, value in zip(names, result if len(names) > 1 else (result,), strict=True):
        if not isinstance(value, torch.Tensor):
            raise Rejected(f"`{name}` is {_describe(value)}; {expected}.")


def _describe(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"one tensor of shape {tuple(value.shape)}"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)} values"
    if value is None:
        return "None"
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"of type {module}{kind.__name__}"
