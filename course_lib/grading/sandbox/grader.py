"""Grades notebooks of one lesson: a child process runs the learner's cells, the judge in this one decides."""

import copy
import functools
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from nbformat import NotebookNode
from nbgrader.utils import is_grade, is_solution

from course_lib.checks.clock import Clock
from course_lib.checks.observation import Observation
from course_lib.grading.nbgrader.cell_points import flag, note
from course_lib.grading.sandbox import isolation as isolating
from course_lib.grading.sandbox.audit import Audit, Flag, is_skipped
from course_lib.grading.sandbox.child import INTERRUPTED
from course_lib.grading.sandbox.client import ZygoteClient
from course_lib.grading.sandbox.clock import Allowance, DeadlineError
from course_lib.grading.sandbox.demanded import layers
from course_lib.grading.sandbox.judge import Case, Check, Judge
from course_lib.grading.sandbox.outputs import Outputs
from course_lib.grading.sandbox.wire import ConnectionClosedError, TooMuchError, Wire, WireError, unpack
from course_lib.language import language_of, speaking

MAX_LOST_STEPS = 4  # steps that may end the process; each costs a fresh start without it
MISSING = "Your code ended the Python process, or ran for too long."
UNFINISHED = "was not run, because the time was used up or too many cells had ended the process"
UNKNOWN = "cell {0} checks an answer that uses {1}, which honest answers do without: look at it"


@dataclass(frozen=True)
class Step:
    """One request: a cell is run ("run"), its check observed ("observe"), or its hidden parts ("again").

    Of a check that another child observes only what stands before the call is run ("before").
    """

    index: int
    kind: str
    check: Check | None = None


class StepLostError(Exception):
    """The process is gone, or had to be ended, in a step."""

    def __init__(self, step: Step, reason: str):
        self.step, self.reason = step, reason


@dataclass
class Work:
    """A notebook that is being graded."""

    notebook: NotebookNode
    steps: list[Step]
    clock: Clock
    given_up: dict[Step, str] = field(default_factory=dict)
    lost: int = 0
    observed: dict[Step, Observation] = field(default_factory=dict)

    def skips(self, step: Step) -> bool:
        """A check that was not observed has no hidden parts to observe either."""
        unseen = step.kind == "again" and Step(step.index, "observe", step.check) not in self.observed
        return unseen or step in self.given_up


class Grader:
    """A context manager that owns one zygote.

    lesson: "02_attention"; hidden: the text of its _hidden.py; released: that of the notebook that was handed
    out, whose cells arouse no suspicion; editions: the same in other languages.
    isolation: "required" (RuntimeError where a layer is missing), "available", or "off".
    active: layer -> "active", or why it is not.
    """

    def __init__(
        self,
        lesson: str,
        hidden: str,
        *,
        released: str = "",
        editions: Sequence[str] = (),
        isolation: str = "available",
        limits: isolating.Limits | None = None,
    ):
        self.active = layers(isolation)
        self.judge = Judge(lesson, hidden)
        self.audit = Audit(released, self.judge.cases, editions)
        self.limits = limits or isolating.Limits()
        self._released = released
        self._client: ZygoteClient | None = None

    def __enter__(self) -> "Grader":
        active = [name for name, state in self.active.items() if state == "active"]
        names = self.judge.names(self.audit.lent.names(self.judge.package))
        given = self.judge.package, names, self.audit.lent.modules | self.judge.modules, active
        self._client = ZygoteClient(*given, self.limits, self._released, self.judge.forbidden)
        return self

    def __exit__(self, *_) -> None:
        if self._client:
            self._client.close()

    @property
    def _zygote(self) -> ZygoteClient:
        if self._client is None:
            raise RuntimeError("a Grader starts its processes where `with` is entered")
        return self._client

    def grade(self, notebook: NotebookNode) -> NotebookNode:
        """In place: outputs of all code cells, "course_flags" in the metadata. Raises for no submission."""
        flags = self.audit.flags(notebook)
        for index, flags_of_cell in flags.items():
            for each in flags_of_cell:
                (flag if each.is_serious else note)(notebook, f"cell {index + 1} {each.sentence}")
        # The notebook runs twice where a cell tampers: without these cells, then whole, as it was handed in.
        clean = self._run_without_tampering(notebook, flags)
        borrows = any(each.borrows for flags_of_cell in flags.values() for each in flags_of_cell)
        work = self._run(notebook)
        for step, reason in work.given_up.items():
            flag(notebook, f"cell {step.index + 1} {reason}")
            if step.kind == "run":
                Outputs(notebook.cells[step.index]).fail("Ended", f"this cell {reason}")
        # Points are decided at the end, when the child is gone.
        with speaking(language_of(notebook.cells)):
            for step in work.steps:
                if step.kind == "observe":
                    self._write_score(step, work, clean, proof=not borrows)
        return notebook

    def _run_without_tampering(self, notebook: NotebookNode, flags: Mapping[int, list[Flag]]) -> Work | None:
        """What the answers do where cells that tamper with checks are left out; None where no cell does."""
        tampering = {index for index, of_cell in flags.items() if any(each.is_serious for each in of_cell)}
        return self._run(copy.deepcopy(notebook), tampering) if tampering else None

    def _run(self, notebook: NotebookNode, without: Collection[int] = ()) -> Work:
        """All cells but these, with a child for each group of exercises (see Judge.groups)."""
        whole = Work(notebook, [], Clock(self._zygote.cpu_seconds))
        for group in self.judge.groups:
            steps = [step for step in self._steps(notebook, group) if step.index not in without]
            first = not whole.steps
            # What cells show is taken from the first child; later ones show only the checks of their group.
            work = Work(notebook if first else copy.deepcopy(notebook), steps, whole.clock)
            work.given_up = {step: why for step, why in whole.given_up.items() if step.kind == "run"}
            self._run_group(work)
            if not first:
                whole.clock.next_child()
                for index in {step.index for step in steps if step.kind == "observe"}:
                    notebook.cells[index] = work.notebook.cells[index]
            whole.steps += steps
            whole.given_up |= work.given_up
            whole.observed |= work.observed
        return whole

    def _run_group(self, work: Work) -> None:
        """A step that ends the process is left out, and the rest begins again.

        So one bad cell costs one cell: the process that it has ended is forked again from the zygote, and all
        other cells run there from the first on. Only a few such cells are borne, and only while time is left.
        """
        while (error := self._attempt(work)) is not None:
            work.given_up[error.step] = error.reason
            work.lost += 1
            if work.lost > MAX_LOST_STEPS or not work.clock.left(self.limits.seconds):
                self._give_up_the_rest(work)
                break
            work.clock.next_child()

    def _steps(self, notebook: NotebookNode, group: Set[str]) -> Iterator[Step]:
        """Hidden parts come last: when they arrive, nothing that the learner's process shows is read."""
        observed = []
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type != "code" or is_skipped(cell) or not cell.source.strip():
                continue
            if is_grade(cell) and not is_solution(cell):
                check = Check.parse(cell.source)
                if check.exercise in group:
                    observed.append(Step(index, "observe", check))
                    yield observed[-1]
                elif check.before:
                    yield Step(index, "before", check)
            else:
                yield Step(index, "run")
        for step in observed:
            if self.judge.cases[step.check.exercise].hidden:
                yield Step(step.index, "again", step.check)

    def _attempt(self, work: Work) -> StepLostError | None:
        """All steps that are not given up, in a fresh child."""
        # What an attempt before this one has left is thrown away: all cells run again.
        work.observed.clear()
        for cell in work.notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        with self._zygote.child(self.limits.output_bytes) as wire:
            try:
                for count, step in enumerate(work.steps, 1):
                    if not work.skips(step):
                        self._do(step, count, wire, work)
            except StepLostError as error:
                return error
        return None

    def _do(self, step: Step, count: int, wire: Wire, work: Work) -> None:
        cell = work.notebook.cells[step.index]
        ask = functools.partial(self._ask, step, wire, work.clock)
        if step.kind == "run":
            cell.execution_count = count
            ask({"request": "run", "source": cell.source}, b"", Outputs(cell))
            return
        if step.kind == "before" and step.check:
            ask({"request": "run", "source": step.check.before}, b"")
            return
        case, request = self._case(step), {"request": step.kind} | vars(step.check)
        if step.kind == "again":
            work.observed[step] = self._read(step, case.hidden, (), *ask(request, case.hidden_task))
            return
        # First the visible parts alone: most answers are right, and examples cost time.
        cell.execution_count = count
        reply, blob = ask(request, case.visible_task, Outputs(cell))
        if reply is None:
            return  # the cell itself failed, as where a name is not there: its error is shown
        observed = self._read(step, case.visible, (), reply, blob)
        if not case.is_right(observed):
            # The child has kept the answer and its names, so the examples are observed "again".
            request, examples = request | {"request": "again"}, case.exercise.examples
            with_examples = self._read(step, (), examples, *ask(request, case.examples_task))
            observed = replace(observed, examples=with_examples.examples)
        work.observed[step] = observed

    def _ask(self, step, wire, clock, message, task, outputs=None) -> tuple:
        """Sends a request, and gathers outputs until it is done. Raises StepLostError."""
        seconds = min(self.limits.cell_seconds, clock.left(self.limits.seconds))
        timeout = Allowance(clock, seconds, self.limits.grace_seconds, self._zygote.interrupt)
        try:
            wire.send(message, task, timeout)
            # Outputs come one by one while the cell runs; "done" or "broken" ends it.
            while True:
                answer, blob = wire.receive(timeout)
                if "broken" in answer:
                    raise StepLostError(step, f"could not be checked: {str(answer['broken'])[:500]}")
                if "done" in answer:
                    return answer["done"], blob
                if outputs:
                    outputs.add(answer.get("output"))
        except DeadlineError:
            raise StepLostError(step, "did not end, not even when it was interrupted") from None
        except ConnectionClosedError:
            raise StepLostError(step, f"ended the process ({self._zygote.exit_reason()})") from None
        except TooMuchError:
            raise StepLostError(step, "shows more than can be kept") from None
        # The child is not trusted: a message of any other form ends the step, and nothing else.
        except (WireError, TypeError, AttributeError) as error:
            raise StepLostError(step, f"sent what no cell sends: {error}") from None

    def _read(self, step: Step, parts, examples, reply, blob: bytes) -> Observation:
        if reply == INTERRUPTED:
            text = f"Your code did not end within {self.limits.cell_seconds:g} seconds."
            return self._case(step).failed(parts, text)
        try:
            return unpack(reply, blob, parts, examples)
        except WireError as error:
            raise StepLostError(step, f"sent what no check sends: {error}") from None

    def _case(self, step: Step) -> Case:
        if step.check is None:
            raise ValueError(f"a step {step.kind!r} checks no exercise")
        return self.judge.cases[step.check.exercise]

    def _give_up_the_rest(self, work: Work) -> None:
        """Steps of which nothing came in the last attempt."""
        # Cells before the last one that ended the process have run; checks count only if observed.
        last = max((step.index for step in work.given_up), default=0)
        for step in work.steps:
            if step not in work.observed and (step.check or step.index > last):
                work.given_up.setdefault(step, UNFINISHED)

    def _write_score(self, step: Step, work: Work, clean: Work | None, proof: bool) -> None:
        if step not in work.observed and step not in work.given_up:
            return  # the cell itself failed, as where a name is not there: its error is shown
        seen = self._seen(step, work)
        score = self._case(step).score(seen, clean and self._seen(step, clean), proof)
        if score and seen.unknown:
            flag(work.notebook, UNKNOWN.format(step.index + 1, ", ".join(seen.unknown)))
        outputs = Outputs(work.notebook.cells[step.index])
        outputs.result(score._repr_mimebundle_())

    def _seen(self, step: Step, work: Work) -> Observation:
        """Visible and hidden parts together; those that never came have failed."""
        case, again = self._case(step), Step(step.index, "again", step.check)
        visible = work.observed.get(step) or case.failed(case.visible, MISSING)
        hidden = work.observed.get(again) or case.failed(case.hidden, MISSING)
        unknown = visible.unknown or hidden.unknown
        return replace(visible, parts=visible.parts | hidden.parts, unknown=unknown)
