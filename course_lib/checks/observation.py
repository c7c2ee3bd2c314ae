"""Running an implementation on probes. Everything that touches a learner's code happens here."""

import contextlib
import inspect
import io
import sysconfig
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from course_lib.checks.exercise import Exercise, Implementation, Part, Values, is_plain, split_axes
from course_lib.checks.guard import Raised, Rejected, describe, watched
from course_lib.checks.inputs import Inputs
from course_lib.checks.instances import Builder

STUB = "Not attempted yet: write your code in place of `raise NotImplementedError()`."
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


def observe(exercise: Exercise, answer: Implementation, seed: int) -> Observation:
    expected, fits = ("a class", inspect.isclass) if exercise.builds_class else ("a function", callable)
    if not fits(answer):
        text = f"`{exercise.name}` is {describe(answer)}, expected {expected}."
        nothing = Outcome(failure=Failure("type", text))
        return Observation({part.name: nothing for part in exercise.parts}, {})
    with _standing_in(exercise.uses, answer):
        parts = {part.name: run(exercise, answer, part, seed) for part in exercise.parts}
        return Observation(parts, {text: run_example(exercise, answer, text) for text in exercise.examples})


@contextlib.contextmanager
def _standing_in(uses: Sequence[Exercise], answer: Implementation) -> Iterator[None]:
    """Within it, the names of earlier exercises mean their references where the answer was written."""
    functions = vars(answer).values() if inspect.isclass(answer) else [answer]
    names = next((f.__globals__ for f in map(inspect.unwrap, functions) if inspect.isfunction(f)), {})
    before = {exercise.name: names[exercise.name] for exercise in uses if exercise.name in names}
    names.update({exercise.name: exercise.reference_implementation for exercise in uses})
    try:
        yield
    finally:
        for exercise in uses:
            del names[exercise.name]
        names.update(before)


def run(exercise: Exercise, implementation: Implementation, part: Part, seed: int) -> Outcome:
    """The outcome of one probe; the same seed means the same inputs."""

    def probe() -> Values:
        inputs = Inputs(f"{seed}/{part.name}")
        return part.probe(_guarded(exercise, implementation, inputs), inputs)

    return _outcome(probe)


def run_example(exercise: Exercise, implementation: Implementation, text: str) -> Outcome:
    def call() -> Values:
        names = {"torch": torch, exercise.name: _guarded(exercise, implementation, Inputs("example"))}
        with torch.random.fork_rng(devices=[]):  # for answers that draw numbers, as tests do
            torch.manual_seed(0)
            result = eval(text, names | dict(exercise.names))
        labels = [split_axes(label)[0] for label in exercise.returns]
        if len(labels) > 1 and isinstance(result, (tuple, list)) and len(result) == len(labels):
            return dict(zip(labels, result, strict=True))
        named = labels and (is_plain(exercise.returns[0]) or isinstance(result, torch.Tensor))
        return {labels[0] if named else "result": result}

    return _outcome(call)


def _guarded(exercise: Exercise, implementation: Implementation, inputs: Inputs) -> Implementation:
    if exercise.builds_class:
        return Builder(exercise, implementation, inputs)
    signature = inspect.signature(exercise.reference_implementation)
    return watched(implementation, signature, exercise.returns, repeatable=exercise.repeatable)


def _outcome(call) -> Outcome:
    try:
        with _quiet(), torch.enable_grad():
            return Outcome({name: _plain(value) for name, value in call().items()})
    except NotImplementedError:
        return Outcome(failure=Failure("not attempted", STUB))
    except Rejected as error:
        return Outcome(failure=Failure("type", str(error)))
    except Raised as raised:
        return Outcome(failure=Failure("raises", _message(raised.error), _own_line(raised.error)))
    except Exception as error:  # in the probe itself, which computes with what the answer gave
        return Outcome(failure=Failure("type", f"Your results cannot be used together: {_message(error)}"))


def _message(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".strip(": ")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep prints and warnings of an answer out of the notebook: a line on stderr would cost all points."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        with contextlib.redirect_stderr(io.StringIO()):
            yield


def _plain(value: Any) -> Any:
    """The value as plain data, cut off from graphs and from classes that the learner may have written."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) in (list, tuple, set):
        return type(value)(map(_plain, value))
    if type(value) is dict:
        return {_plain(key): _plain(item) for key, item in value.items()}
    raise Rejected(f"A result is {describe(value)}; expected tensors, numbers, strings or lists of them.")


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
