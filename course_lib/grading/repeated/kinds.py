"""Which mistakes the same students make in more than one lesson.

Two mistakes of different exercises are of one kind where they share an entry of docs/misconceptions.md, as
when a check tells a learner "You made the same mistake in ..." (checks/slips.py). Equal names alone say
nothing: "scaled" is another mistake in each of its exercises.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from course_lib import exercises
from course_lib.grading.results import SubmissionResult

ATTEMPTED = ("right", "wrong")
Class = Mapping[str, Sequence[SubmissionResult]]  # a graded class, by lesson


@dataclass(frozen=True)
class Place:
    """An exercise of a lesson."""

    lesson: str
    exercise: str

    def __str__(self) -> str:
        return f"{self.lesson[:2]} {self.exercise}"


@dataclass
class Kind:
    """A mistake of the catalogue in a class.

    made: by student the places, in the order of the lessons
    chances: students who made it, and attempted in a later lesson an exercise whose table has it
    """

    entry: str
    made: dict[str, list[Place]] = field(default_factory=dict)
    chances: set[str] = field(default_factory=set)

    @property
    def again(self) -> list[str]:
        """Students who made it in more than one lesson."""
        return [who for who, places in self.made.items() if len({place.lesson for place in places}) > 1]

    @property
    def places(self) -> Counter[Place]:
        """How many students made it where."""
        return Counter(place for places in self.made.values() for place in places)


def kinds(graded: Class) -> list[Kind]:
    """All that were made, those first that most students made again."""
    found: dict[str, Kind] = {}
    for lesson in sorted(graded):
        for name, exercise in exercises.load(lesson).exercises.items():
            entries = {mistake.key: mistake.sources for mistake in exercise.mistakes}
            known = {entry for sources in entries.values() for entry in sources}
            for result in graded[lesson]:
                if result.statuses.get(name) in ATTEMPTED:
                    _give_chances(found, known, result.student, lesson)
                keys = result.mistakes.get(name, [])
                for entry in dict.fromkeys(entry for key in keys for entry in entries.get(key, ())):
                    kind = found.setdefault(entry, Kind(entry))
                    kind.made.setdefault(result.student, []).append(Place(lesson, name))
    return sorted(found.values(), key=lambda one: (-len(one.again), -len(one.made), one.entry))


def _give_chances(found: Mapping[str, Kind], known: set[str], student: str, lesson: str) -> None:
    for entry in known & found.keys():
        if any(place.lesson < lesson for place in found[entry].made.get(student, [])):
            found[entry].chances.add(student)
