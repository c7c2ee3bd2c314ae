"""What the reference and each mistake give for one seed: all that an answer is compared with."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from course_lib.checks.exercise import Exercise, Part
from course_lib.checks.observation import Outcome, Task
from course_lib.checks.source import Reading, read


class Expected:
    """The outcomes of an exercise's reference and mistakes for one seed.

    The reference runs at once, a mistake when it is first asked for; each outcome is kept.
    task: what an answer is run on. Of the reference it holds only how large its parameters are, and whether
      it gives the same in evaluation mode.
    Raises RuntimeError where the reference itself fails.
    """

    def __init__(self, exercise: Exercise, seed: int | str):
        self.exercise = exercise
        task = task_of(exercise, seed)
        self._reference = _run_reference(task, exercise)
        # The task is made twice. An answer's parameters must have the sizes of the reference's, and only a
        # run of the reference tells these: it runs on a task without sizes, answers on one with them.
        self.task = replace(task, built={name: outcome.built for name, outcome in self._reference.items()})
        self._mistakes: dict[tuple[int, str], Outcome] = {}
        self._accepted: dict[tuple[str, str], Outcome] = {}

    def reference(self, part: Part) -> Outcome:
        """What the reference gives in this part."""
        return self._reference[part.name]

    def example(self, text: str) -> Outcome:
        """What the reference gives in this example."""
        return self._reference[text]

    def mistake(self, index: int, part: Part) -> Outcome:
        """What the mistake of this number gives in this part."""
        key = index, part.name
        if key not in self._mistakes:
            self._mistakes[key] = self.task.run(self.exercise.mistakes[index].implementation, part.name)
        return self._mistakes[key]

    @cached_property
    def reading(self) -> Reading:
        """Of the reference."""
        return read(self.exercise.reference_implementation, self.task.uses)

    @property
    def arguments(self) -> set[str]:
        """The names of what an answer gets, of a class in its constructor and in its call."""
        interface = self.exercise.interface
        return {*interface.signature.parameters, *interface.method.parameters}

    def accepted_example(self, text: str) -> Iterator[Outcome]:
        """What the accepted variants give in this example."""
        for variant, implementation in self.exercise.accepted.items():
            key = variant, text
            if key not in self._accepted:
                self._accepted[key] = self.task.run_example(implementation, text)
            if not self._accepted[key].failure:
                yield self._accepted[key]

    def fills_parameters(self, text: str) -> bool:
        """Whether an example builds a module whose parameters are filled."""
        return any(built.sizes for built in self.task.built[text])


def task_of(exercise: Exercise, seed: int | str) -> Task:
    """What the exercise asks of any implementation, without the sizes of the reference's parameters."""
    return Task(
        exercise.interface,
        seed,
        probes={part.name: part.probe for part in exercise.asked},
        examples=tuple(exercise.examples),
        uses={used.name: used.reference_implementation for used in exercise.uses},
        names=exercise.names,
    )


def _run_reference(task: Task, exercise: Exercise) -> dict[str, Outcome]:
    """By part and by example. Nothing is disabled here: it may be PyTorch's ready-made function."""
    reference = exercise.reference_implementation
    parts = {name: task.run(reference, name, trusted=True) for name in task.probes}
    for name, outcome in parts.items():
        if outcome.failure:
            raise RuntimeError(f"the reference of {exercise.name} fails in {name!r}: {outcome.failure}")
    return parts | {text: task.run_example(reference, text, trusted=True) for text in task.examples}
