"""What the points of a class tell of its tasks: how hard a part is, and whether strong students solve it."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from course_lib import exercises
from course_lib.checks.exercise import Exercise
from course_lib.grading.results import SubmissionResult

FEWEST = 10  # attempts, below which a correlation is mostly chance
HIDDEN = "the hidden part"


@dataclass(frozen=True)
class PartSummary:
    """One part of an exercise in a class.

    discrimination: of those who attempted it, the correlation of getting it right (1 or 0) with the points in
      all other parts of the lesson. None where fewer than FEWEST attempted it, or where either is the same
      for all of them.
    """

    exercise: str
    part: str
    right: int
    wrong: int
    not_attempted: int
    discrimination: float | None


@dataclass(frozen=True)
class QuestionSummary:
    """A written question: how many answers have which points, and how many a person has yet to grade."""

    question: str
    worth: float
    points: Counter[float]
    to_grade: int

    @property
    def mean(self) -> float | None:
        return statistics.fmean(self.points.elements()) if self.points else None


def parts(lesson: str, results: Sequence[SubmissionResult]) -> list[PartSummary]:
    """In the lesson's order, the hidden part of each exercise last."""
    known = exercises.load(lesson).exercises
    earned = [_earned(known, result) for result in results]
    found = []
    for name, exercise in known.items():
        for part in [*(each.name for each in exercise.parts), *([HIDDEN] if exercise.pending else [])]:
            status = [_statuses(exercise, result).get(part) for result in results]
            attempts = [
                (one == "right", sum(points.values()) - points[name, part])
                for one, points in zip(status, earned, strict=True)
                if one in ("right", "wrong")
            ]
            counts = Counter(status)
            told = counts["right"], counts["wrong"], counts["not attempted"]
            found.append(PartSummary(name, part, *told, _correlation(attempts)))
    return found


def questions(lesson: str, results: Sequence[SubmissionResult]) -> list[QuestionSummary]:
    """The written questions of the lesson."""
    known = exercises.load(lesson).exercises
    worth = {
        name: most for result in results for name, most in result.max_points.items() if name not in known
    }
    found = []
    for name, most in worth.items():
        given = [result.points[name] for result in results if name in result.points]
        graded = Counter(points for points in given if points is not None)
        found.append(QuestionSummary(name, most, graded, len(given) - graded.total()))
    return found


def _statuses(exercise: Exercise, result: SubmissionResult) -> dict[str, str]:
    """By part; what is no visible part is the hidden one, whatever a notebook calls it.

    Where the check did not get to run, all parts are wrong.
    """
    visible = {part.name for part in exercise.parts}
    if result.statuses.get(exercise.name) == "error":
        return dict.fromkeys([*visible, HIDDEN], "wrong")
    told = result.parts.get(exercise.name, {})
    return {name if name in visible else HIDDEN: status for name, status in told.items()}


def _earned(known: Mapping[str, Exercise], result: SubmissionResult) -> dict[tuple[str, str], float]:
    """The points of one submission, by exercise and part."""
    worth = {(name, part.name): part.points for name, one in known.items() for part in one.parts}
    worth |= {(name, HIDDEN): one.pending for name, one in known.items()}
    right = {
        (name, part)
        for name, exercise in known.items()
        for part, status in _statuses(exercise, result).items()
        if status == "right"
    }
    return {key: points if key in right else 0.0 for key, points in worth.items()}


def _correlation(attempts: Sequence[tuple[bool, float]]) -> float | None:
    right, rest = [float(each) for each, _ in attempts], [points for _, points in attempts]
    if len(attempts) < FEWEST or len(set(right)) < 2 or len(set(rest)) < 2:
        return None
    return statistics.correlation(right, rest)
