"""What a test of this lesson is run on: right code and broken code of one piece."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
