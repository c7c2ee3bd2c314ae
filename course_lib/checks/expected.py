"""What the reference and the mistakes give for one seed: all that an answer is compared with."""

from dataclasses import replace
from functools import cache

from course_lib.checks.exercise import Exercise, Part
from course_lib.checks.observation import Outcome, Task


class Rehearsal:
    """An exercise with one seed. Outcomes are computed when they are first asked for, and kept.

    task: what the observing side needs; of the reference it tells only how large its parameters are.
    Raises RuntimeError where the reference itself fails.
    """

    def __init__(self, exercise: Exercise, seed: int):
        self.exercise = exercise
        task = Task(
            exercise.interface,
            seed,
            probes={part.name: part.probe for part in exercise.parts},
            examples=tuple(exercise.examples),
            uses={used.name: used.reference_implementation for used in exercise.uses},
            names=exercise.names,
        )
        reference = exercise.reference_implementation
        right = {name: task.run(reference, name, strict=False) for name in task.probes}
        for name, outcome in right.items():
            if outcome.failure:
                raise RuntimeError(f"the reference of {exercise.name} fails in {name!r}: {outcome.failure}")
        tried = {text: task.run_example(reference, text, strict=False) for text in task.examples}
        self._right = right | tried
        self.task = replace(task, sizes={key: outcome.built for key, outcome in self._right.items()})
        self._mistaken = cache(
            lambda index, name: self.task.run(exercise.mistakes[index].implementation, name)
        )

    def expected(self, part: Part) -> Outcome:
        return self._right[part.name]

    def mistaken(self, index: int, part: Part) -> Outcome:
        """What the mistake of this number gives."""
        return self._mistaken(index, part.name)

    def example(self, text: str) -> Outcome:
        return self._right[text]

    def fills_parameters(self, text: str) -> bool:
        """Whether an example builds a module whose parameters are filled."""
        return any(map(bool, self.task.sizes[text]))
