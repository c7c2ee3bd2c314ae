"""The judge: decides points. It knows the answers and the hidden parts, and runs no learner's code."""

import ast
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import cloudpickle

from course_lib import exercises
from course_lib.checks import comparison
from course_lib.checks.exercise import Exercise
from course_lib.checks.expected import Expected
from course_lib.checks.judgement import Verdict, is_right, judge
from course_lib.checks.lesson import with_hidden
from course_lib.checks.observation import Failure, Observation, Outcome
from course_lib.checks.score import Report, Score

WITHHELD = (
    "Not counted: this notebook changes what the checks use, and this part passes only with that change. "
    "Your instructor decides."
)


@dataclass(frozen=True)
class Check:
    """A graded cell: what runs before, the exercise, and the expression that is the answer."""

    before: str
    exercise: str
    answer: str

    @classmethod
    def parse(cls, source: str) -> "Check":
        """Raises ValueError where the cell does not end in check(name, answer)."""
        body = ast.parse(source).body
        call = body[-1].value if body and isinstance(body[-1], ast.Expr) else None
        match call:
            case ast.Call(func=ast.Name(id="check"), args=[ast.Constant(value=str(name)), answer]):
                before = "\n".join(source.splitlines()[: body[-1].lineno - 1])
                return cls(before.strip(), name, ast.unparse(answer))
        raise ValueError(f"a graded cell must end in check(name, answer), got {source.strip()[-80:]!r}")


class Judge:
    """Of one lesson, with inputs that nobody can know: one seed an exercise, drawn here."""

    def __init__(self, lesson: str, hidden: str):
        self.package, self.lesson = exercises.package(lesson), exercises.load(lesson)
        names: dict[str, Any] = {"__name__": f"{lesson}_hidden"}
        # The hidden parts come as text: a worker on another machine has no solutions folder.
        exec(compile(hidden, f"{lesson}_hidden.py", "exec"), names)
        graded = with_hidden(self.lesson, names["PARTS"])
        cloudpickle.register_pickle_by_value(exercises)  # probes and stand-ins are there: the child has none
        self.cases = {name: Case(exercise) for name, exercise in graded.items()}

    @property
    def names(self) -> Mapping:
        """What a notebook may import from its lesson's package besides what all lessons have."""
        # What the examples use too, such as lesson 07's Tree.
        used = [exercise.names for exercise in self.lesson.exercises.values()]
        return {name: value for names in used for name, value in names.items()}


class Case:
    """One exercise of a class, with its seed. Outcomes of the reference are computed once for all."""

    def __init__(self, exercise: Exercise):
        # Drawn when a worker starts: no submission can have seen it, and all are graded alike.
        self.exercise, self.seed = exercise, secrets.randbits(48)
        self.visible = [part.name for part in exercise.parts if not part.hidden]
        self.hidden = [part.name for part in exercise.parts if part.hidden]

    @cached_property
    def expected(self) -> Expected:
        return Expected(self.exercise, self.seed)

    # Each task is pickled once and sent to every submission. None holds this exercise's reference.

    @cached_property
    def visible_task(self) -> bytes:
        return cloudpickle.dumps(self.expected.task.only(self.visible))

    @cached_property
    def examples_task(self) -> bytes:
        return cloudpickle.dumps(self.expected.task.only((), self.exercise.examples))

    @cached_property
    def hidden_task(self) -> bytes:
        return cloudpickle.dumps(self.expected.task.only(self.hidden))

    @cached_property
    def unproved(self) -> set[str]:
        """Parts whose right outcome is the same for every seed: a process that lies can give it unseen."""
        # Equal numbers for two seeds: a boolean mask, for example, which anybody can write down.
        other = Expected(self.exercise, secrets.randbits(48))
        return {
            part.name
            for part in self.exercise.parts
            if comparison.same(self.expected.reference(part).values, other.reference(part).values, 0, 0)
        }

    def failed(self, names: list[str], message: str) -> Observation:
        """What stands for an observation that never came."""
        return Observation(dict.fromkeys(names, Outcome(failure=Failure("type", message))), {})

    def is_right(self, observation: Observation) -> bool:
        """Whether all parts in it are; then nobody needs to see examples."""
        parts = [part for part in self.exercise.parts if part.name in observation.parts]
        return all(
            is_right(part, observation.parts[part.name], self.expected.reference(part)) for part in parts
        )

    def score(self, observed: Observation, clean: Observation | None = None, proof: bool = True) -> Score:
        """clean: where some cells tamper with what observes answers, what was seen without these cells.

        A part that is right there counts. One that is right with them only counts where its numbers could not
        be known beforehand; and not at all without `proof`, as where they borrow what is to be written.
        """
        judgement = judge(self.expected, observed)
        if clean is not None:
            weighed = [
                self._weighed(verdict, clean.parts[verdict.part.name], proof)
                for verdict in judgement.verdicts
            ]
            judgement = replace(judgement, verdicts=tuple(weighed))
        return Score(Report(self.exercise, judgement, self.seed, grading=True))

    def _weighed(self, verdict: Verdict, clean: Outcome, proof: bool) -> Verdict:
        # Right without the tampering cells: they have changed nothing here.
        if is_right(verdict.part, clean, self.expected.reference(verdict.part)):
            return Verdict(verdict.part, "right")
        # Right only with them: it counts if the numbers prove that they were computed.
        if verdict.status == "right" and not (proof and verdict.part.name not in self.unproved):
            return replace(verdict, status="wrong", message=WITHHELD)
        return verdict
