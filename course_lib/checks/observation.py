"""Running an implementation on probes. Everything that touches a learner's code happens here."""

import contextlib
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
from course_lib.checks.guard import Raised, Rejected, as_tuple, describe, guarded
from course_lib.checks.inputs import Inputs

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
    if not callable(answer):
        text = f"`{exercise.name}` is {describe(answer)}, expected a function."
        nothing = Outcome(failure=Failure("type", text))
        return Observation({part.name: nothing for part in exercise.parts}, {})
    parts = {part.name: run(exercise, answer, part, seed) for part in exercise.parts}
    return Observation(parts, {text: run_example(exercise, answer, text) for text in exercise.examples})


def run(exercise: Exercise, implementation: Implementation, part: Part, seed: int) -> Outcome:
    """The outcome of one probe; the same seed means the same inputs."""
    return _outcome(lambda: part.probe(guarded(exercise, implementation), Inputs(f"{seed}/{part.name}")))


def run_example(exercise: Exercise, implementation: Implementation, text: str) -> Outcome:
    def call() -> Values:
        names = {"torch": torch, exercise.name: guarded(exercise, implementation)}
        result = eval(text, names)
        labels = [split_axes(label)[0] for label in exercise.returns]
        return dict(zip(labels, as_tuple(result), strict=True))

    return _outcome(call)


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
