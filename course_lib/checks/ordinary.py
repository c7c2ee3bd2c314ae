"""What ordinary calls have in common: kinds of numbers, ways to give an option, and labels in words."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from course_lib.checks.inputs import Inputs

DTYPES = {"float32": torch.float32, "float64": torch.float64}
SIGNS = "numbers of both signs", "numbers above 0"
SENTENCES = {"1 sentence": 1, "3 sentences": 3}
WAYS = "not given", "by name", "by position"
Case = Mapping[str, Any]


def with_signs(inputs: Inputs, signs: str, *shape: int) -> torch.Tensor:
    """Float32 numbers of one of SIGNS."""
    drawn = inputs.normal(*shape)
    return drawn.abs() + 0.1 if signs == "numbers above 0" else drawn


def passed(way: str, **option: Any) -> tuple[str, tuple[Any, ...], Mapping[str, Any]]:
    """A label, as "pad=3 by name", and the arguments of such a call: those by position and those by name."""
    ((name, value),) = option.items()
    if way == "not given":
        return f"{name} {way}", (), {}
    return f"{name}={value} {way}", (value,) * (way == "by position"), option if way == "by name" else {}


def in_words(case: Case) -> str:
    return ", ".join(case.values())


def in_turn(what: str, cases: Sequence[Case]) -> Iterator[tuple[str, Case]]:
    """Each with a label, as "call 3, float64, one word" for "call {0}": two cases may be alike in words."""
    for place, case in enumerate(cases, 1):
        yield f"{what.format(place)}, {in_words(case)}", case


def built(build: Any, dtype: str, mode: str, *args: Any, **kwargs: Any) -> Any:
    """A module of this dtype in this mode, "training" or "evaluation"."""
    with build.evaluating() if mode == "evaluation" else contextlib.nullcontext():
        module = build(*args, **kwargs)
    if dtype == "float64":
        module.double()
    return module
