"""What a test of this lesson is run on: right code and broken code of one piece."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from course_lib.checks.exercise import Exercise, Implementation
from course_lib.exercises.bug_clinic.trials import Call, nameless, same, strict

Seen = Callable[[Sequence[Call]], str]


@dataclass(frozen=True)
class Broken:
    """Code with a bug: what it does wrong (after "it"), and a sentence on what would have shown it.

    seen: says of the calls of a test what they lack, where that can be seen; "" where they lack nothing.
    """

    what: str
    shown_by: str
    code: Implementation
    seen: Seen | None = None


def shaped(below: int = 0, **shapes: str) -> Callable[[Call], str]:
    """A `misuse`: an argument has other axes than these, as in x="batch seq d_model"; a number is a size.

    below: ids that are as large are no ids.
    """

    def misuse(call: Call) -> str:
        given = dict(zip(shapes, call.args, strict=False)) | call.kwargs
        sizes: dict[str, int] = {}
        for name, axes in shapes.items():
            value, named = given.get(name), axes.split()
            if not isinstance(value, torch.Tensor):
                continue
            found, asked = tuple(value.shape), f"({', '.join(named)})"
            if len(found) != len(named):
                return f"Your `{name}` has shape {found}, but it must be {asked}."
            for axis, size in zip(named, found, strict=True):
                if size != (right := int(axis) if axis.isdigit() else sizes.setdefault(axis, size)):
                    return f"Your `{name}` has shape {found}, but in {asked} {axis} is {right} here."
            if below and not value.is_floating_point() and value.numel() and int(value.max()) >= below:
                return f"Your `{name}` has the id {int(value.max())}, but ids must be below {below}."
        return ""

    return misuse


@dataclass(frozen=True)
class Piece:
    """What a test is run on.

    name: what the test calls it. right: right code, by how it is written, the plainest first.
    wrong: any wrong code, and what visible parts ask for; a test must refuse some of it. builds: each of
    them builds the module to be tested. nan: a sentence on when right code gives NaN. misuse: says of a call
    what no right code takes. seeds: a test that draws random numbers is run so often, each time with another
    seed. alike: of two results.
    """

    name: str
    right: Mapping[str, Implementation]
    wrong: Sequence[Implementation]
    builds: bool = False
    nan: str = ""
    misuse: Callable[[Call], str] = lambda call: ""
    seeds: Sequence[int] = (0, 1, 2)
    alike: Callable[[Any, Any], bool] = lambda one, other: same(one, other)

    @classmethod
    def of(cls, exercise: Exercise, *wrong: Implementation) -> "Piece":
        """Its right code is the reference and the accepted variants of an exercise."""
        plainest = {"written as in this lesson": exercise.reference_implementation}
        return cls(exercise.name, plainest | exercise.accepted, wrong)

    def bare(self, code: Implementation) -> Implementation:
        """The same code, with nothing but results to go by."""
        return strict(nameless(code, self.name), self.misuse)
