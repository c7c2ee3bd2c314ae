"""A learner's own pieces of earlier lessons, from the files that their checks saved."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from course_lib import exercises
from course_lib.checks.kept import path_of
from course_lib.checks.lesson import is_grading
from course_lib.checks.pieces import LESSON_OF, needs, text_of
from course_lib.language import say, widened

NONE_KEPT = "no version of yours with full points is saved here"


class UnusablePieceError(Exception):
    """Why a learner's piece cannot be used."""


def yours(*names: str) -> Any:
    """What you wrote for these exercises; for one name a piece, for several a tuple. Prints whose each is.

    Yours is what last earned full points in its lesson on this machine; it is checked again. If it is
    missing, or no longer passes, you get the course's. While work is graded you get the course's; in the
    isolated grader None of what the notebook that was handed out does not need.
    Raises ValueError for a name that no lesson has.
    """
    if unknown := [name for name in names if name not in LESSON_OF]:
        raise ValueError(f"no lesson has an exercise {', '.join(map(repr, unknown))}")
    if _handed_out is not None:
        found = [_handed_out.get(name) for name in names]
    else:
        pieces = Pieces(names)
        if not is_grading():
            print(pieces)
        found = [pieces[name] for name in names]
    return tuple(found) if len(found) > 1 else found[0]


_handed_out: dict[str, Any] | None = None  # by name, where the other lessons are not at hand


def hand_out(texts: Mapping[str, str]) -> None:
    """From now on `yours` gives these: pieces by name, as text, each after those that it needs."""
    global _handed_out
    _handed_out = {}
    for name, text in texts.items():
        _handed_out[name] = _built(name, text, LESSON_OF[name], _handed_out)


def asked_for(sources: Iterable[str]) -> list[str]:
    """The names of the pieces that cells ask `yours` for."""
    calls = (call for source in sources for call in re.findall(r"\byours\(([^)]*)\)", source))
    return [name for call in calls for name in re.findall(r"[\"'](\w+)[\"']", call) if name in LESSON_OF]


def of_the_course(names: Sequence[str]) -> dict[str, str]:
    """The course's pieces of these names and all that they need, for `hand_out`."""
    pieces = Pieces(names, kept=False)
    return {name: pieces.text(name) for name in pieces.in_order()}


class Pieces:
    """Exercises by name, and those that they use: `reasons` has those that are the course's.

    kept: whether to look for the learner's own; else all are the course's.
    """

    def __init__(self, names: Sequence[str], kept: bool = True):
        self._looks_for_own = kept
        self._pieces: dict[str, Any] = {}
        self.reasons: dict[str, str] = {}
        for name in names:
            self[name]

    def __getitem__(self, name: str) -> Any:
        if name not in self._pieces:
            try:
                self._pieces[name] = self._kept(name)
            except UnusablePieceError as reason:
                self.reasons[name] = str(reason)
                self._pieces[name] = self._of_the_course(name)
        return self._pieces[name]

    def in_order(self) -> list[str]:
        """All exercises that are here, as the course has them."""
        return [name for name in LESSON_OF if name in self._pieces]

    def text(self, name: str) -> str:
        """The Python that defines a piece."""
        path = path_of(name)
        if name not in self.reasons and path:
            return path.read_text(encoding="utf-8")
        return text_of(name, _exercise(name).reference_implementation, _references())

    def __str__(self) -> str:
        own = [name for name in self._pieces if name not in self.reasons]
        lines = [widened(f"{say('yours')}: {_listed(own)}")] if own else []
        for reason in dict.fromkeys(self.reasons.values()):
            those = [name for name, other in self.reasons.items() if other == reason]
            whose = say("the course's")
            lines.append(widened(f"{whose}: {_listed(those)}: {say(reason)}"))
        return "\n".join(lines)

    def _of_the_course(self, name: str) -> Any:
        """The reference, made of the learner's pieces where it uses such."""
        return self._build(name, self.text(name), LESSON_OF[name])

    def _kept(self, name: str) -> Any:
        """A learner's piece, built from its file and checked. Raises UnusablePieceError."""
        path = path_of(name) if self._looks_for_own else None
        try:
            text = path.read_text(encoding="utf-8") if path else ""
        except FileNotFoundError:
            text = ""
        except (OSError, ValueError) as error:
            raise UnusablePieceError(f"{path} cannot be read: {error}") from None
        if not text:
            raise UnusablePieceError(NONE_KEPT)
        try:
            piece = self._build(name, text, str(path))
        except Exception as error:
            raised = f"{type(error).__name__}: {error}"  # whole, as `language` knows what Python says
            raise UnusablePieceError(f"{path} raised {raised}") from None
        exercise = _exercise(name)
        points = exercises.load(LESSON_OF[name]).score(name, piece, trial=True)
        if points < exercise.points:
            raise UnusablePieceError(f"{path} now has {points:g} of {exercise.points:g} points")
        return piece

    def _build(self, name: str, text: str, file: str) -> Any:
        return _built(name, text, file, self)


def _built(name: str, text: str, file: str, others: "Pieces | dict[str, Any]") -> Any:
    names: dict[str, Any] = {"__name__": "__main__"}  # as a notebook has it
    names |= {other: others[other] for other in needs(name, text)}
    exec(compile(text, file, "exec"), names)
    return names.get(name)


def _listed(names: Sequence[str]) -> str:
    by_lesson = groupby(sorted(names, key=list(LESSON_OF).index), LESSON_OF.__getitem__)
    return "; ".join(say(f"{', '.join(those)} (lesson {lesson[:2]})") for lesson, those in by_lesson)


@cache
def _references() -> dict[int, str]:
    """Exercises by the id of their reference."""
    return {id(piece.reference_implementation): piece.name for piece in map(_exercise, LESSON_OF)}


def _exercise(name: str) -> Any:
    return exercises.load(LESSON_OF[name]).exercises[name]
