"""The judge: decides points. It knows the answers and the hidden parts, and runs no learner's code."""

import ast
import io
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import Any

import cloudpickle

from course_lib import exercises
from course_lib.checks import comparison
from course_lib.checks.exercise import Exercise
from course_lib.checks.expected import Expected, task_of
from course_lib.checks.judgement import Verdict, counted, is_right, judge
from course_lib.checks.lesson import with_hidden
from course_lib.checks.observation import Failure, Observation, Outcome
from course_lib.checks.score import Report, Score
from course_lib.grading.sandbox.nowhere import dumps

WITHHELD = (
    "Not counted: a cell of this notebook is flagged, because such code can deceive a check, and this part "
    "passes only with that cell. Your instructor decides."
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

    def names(self, imported: Collection[str]) -> Mapping[str, Any]:
        """Those of the examples' names that the notebook imports, such as lesson 07's Tree; no others."""
        used = [exercise.names for exercise in self.lesson.exercises.values()]
        return {name: value for names in used for name, value in names.items() if name in imported}

    @cached_property
    def modules(self) -> set[str]:
        """Those of the course that probes need, without the exercises, which are sent by value."""
        found = {module for case in self.cases.values() for module in case.held.modules}
        course = {module for module in found if module.startswith("course_lib.")}
        return {module for module in course if not module.startswith(exercises.__name__)}

    @property
    def forbidden(self) -> set[tuple[str, ...]]:
        """What of PyTorch the answers may not call, for each exercise that forbids something."""
        return {case.exercise.ready_made for case in self.cases.values()} - {()}

    @cached_property
    def groups(self) -> list[set[str]]:
        """The exercises in groups, in the order in which they are observed, each group by a child of its own.

        What is sent for an exercise may hold right code of others: of those that its answer uses and, where
        the answer is a test, of the piece under test. These come in an earlier group. So no right code of an
        exercise is ever where that exercise is observed.
        """
        level: dict[str, int] = {}
        right = {
            name: set(map(id, (case.exercise.reference_implementation, *case.exercise.accepted.values())))
            for name, case in self.cases.items()
        }
        needed = {
            name: {other for other in right if other != name and right[other] & case.held.objects}
            for name, case in self.cases.items()
        }
        while len(level) < len(needed):
            ready = [name for name in needed if name not in level and needed[name] <= level.keys()]
            if not ready:
                raise RuntimeError(f"exercises that need each other's right code: {needed.keys() - level}")
            for name in ready:
                level[name] = 1 + max((level[other] for other in needed[name]), default=-1)
        return [{name for name in level if level[name] == one} for one in sorted(set(level.values()))]


class Case:
    """One exercise of a class, with its seed. Outcomes of the reference are computed once for all."""

    def __init__(self, exercise: Exercise):
        # Drawn when a worker starts: no submission can have seen it, and all are graded alike.
        self.exercise, self.seed = exercise, secrets.token_hex(8)
        self.visible = [part.name for part in exercise.asked if not part.hidden]
        self.hidden = [part.name for part in exercise.parts if part.hidden]

    @cached_property
    def expected(self) -> Expected:
        return Expected(self.exercise, self.seed)

    # Each task is pickled once and sent to every submission. None holds this exercise's reference.

    @cached_property
    def visible_task(self) -> bytes:
        return dumps(self.expected.task.only(self.visible))

    @cached_property
    def examples_task(self) -> bytes:
        return dumps(self.expected.task.only((), self.exercise.examples))

    @cached_property
    def hidden_task(self) -> bytes:
        return dumps(self.expected.task.only(self.hidden))

    @cached_property
    def whole_task(self) -> bytes:
        return dumps(self.expected.task.only([*self.visible, *self.hidden]))

    @cached_property
    def held(self) -> "Held":
        """What is sent to the learner's process."""
        held = Held()
        held.dump(task_of(self.exercise, self.seed))
        return held

    @cached_property
    def unproved(self) -> set[str]:
        """Parts whose right outcome is the same for every seed: a process that lies can give it unseen."""
        # Equal numbers for two seeds: a boolean mask, for example, which anybody can write down.
        other = Expected(self.exercise, secrets.token_hex(8))
        return {
            part.name
            for part in self.exercise.asked
            if comparison.same(self.expected.reference(part).values, other.reference(part).values, 0, 0)
        }

    def failed(self, names: Collection[str], message: str) -> Observation:
        """What stands for an observation that never came."""
        return Observation(dict.fromkeys(names, Outcome(failure=Failure("type", message))), {})

    def is_right(self, observation: Observation) -> bool:
        """Whether all parts in it are; then nobody needs to see examples."""
        parts = [part for part in self.exercise.asked if part.name in observation.parts]
        return all(
            is_right(part, observation.parts[part.name], self.expected.reference(part)) for part in parts
        )

    def gains(self, observed: Observation, other: Observation | None) -> bool:
        """Whether a part is right there that is not right in the other."""
        return any(
            self._is_right(name, observed) and (other is None or not self._is_right(name, other))
            for name in observed.parts
        )

    def _is_right(self, name: str, observed: Observation) -> bool:
        return self.is_right(replace(observed, parts={name: observed.parts[name]}))

    def score(self, observed: Observation, clean: Observation | None = None, proof: bool = True) -> Score:
        """clean: where some cells tamper with what observes answers, what was seen without these cells.

        A part that is right there counts. One that is right with them only counts where its numbers could not
        be known beforehand; and not at all without `proof`, as where they borrow what is to be written.
        """
        judgement = judge(self.expected, observed)
        if clean is not None:
            pairs = zip(judgement.verdicts, judge(self.expected, clean).verdicts, strict=True)
            weighed = [self._weighed(verdict, other.status == "right", proof) for verdict, other in pairs]
            judgement = replace(judgement, verdicts=counted(weighed))
        return Score(Report(self.exercise, judgement, self.seed, grading=True))

    def _weighed(self, verdict: Verdict, clean: bool, proof: bool) -> Verdict:
        # Right without the tampering cells: they have changed nothing here.
        if clean:
            return Verdict(verdict.part, "right")
        # Right only with them: it counts if the numbers prove that they were computed.
        if verdict.status == "right" and not (proof and verdict.part.name not in self.unproved):
            return replace(verdict, status="wrong", message=WITHHELD)
        return verdict


class Held(cloudpickle.Pickler):
    """Pickles as a task is pickled before it is sent, and notes the functions and classes that are in it.

    objects: their ids; modules: where they are defined.
    """

    def __init__(self):
        super().__init__(io.BytesIO())
        self.objects: set[int] = set()
        self.modules: set[str] = set()

    def reducer_override(self, obj: Any) -> Any:
        self.objects.add(id(obj))
        name = obj.__name__ if isinstance(obj, ModuleType) else getattr(obj, "__module__", None)
        self.modules.add(str(name))
        return super().reducer_override(obj)
