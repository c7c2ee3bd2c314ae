"""Grades notebooks of one lesson: a child process runs the learner's cells, the judge in this one decides."""

import copy
import functools
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from nbformat import NotebookNode

from course_lib.checks.clock import Clock
from course_lib.checks.observation import Observation
from course_lib.grading.nbgrader.cell_points import flag, note
from course_lib.grading.sandbox import isolation as isolating
from course_lib.grading.sandbox.apart import observed_apart
from course_lib.grading.sandbox.asking import Asking
from course_lib.grading.sandbox.audit import Audit
from course_lib.grading.sandbox.client import ZygoteClient
from course_lib.grading.sandbox.demanded import layers
from course_lib.grading.sandbox.judge import Judge
from course_lib.grading.sandbox.outputs import Outputs
from course_lib.grading.sandbox.steps import MAX_LOST_STEPS, Apart, Step, StepLostError, Work, code_of
from course_lib.grading.sandbox.wire import Wire
from course_lib.language import language_of, speaking

MISSING = "Your code ended the Python process, or ran for too long."
UNFINISHED = "was not run, because the time was used up or too many cells had ended the process"
ONLY_HERE = (
    "cell {0} checks an answer that earns some of its points only in the notebook, and not when it runs by "
    "itself ({1}): look at it"
)
UNKNOWN = "cell {0} checks an answer that uses {1}, which honest answers do without: look at it"


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
        self._started: Asking | None = None

    def __enter__(self) -> "Grader":
        active = [name for name, state in self.active.items() if state == "active"]
        names = self.judge.names(self.audit.lent.names(self.judge.package))
        given = self.judge.package, names, self.audit.lent.modules | self.judge.modules, active
        zygote = ZygoteClient(*given, self.limits, self._released, self.judge.forbidden)
        self._started = Asking(zygote, self.limits, self.judge.cases)
        return self

    def __exit__(self, *_) -> None:
        if self._started:
            self._started.zygote.close()

    @property
    def _asking(self) -> Asking:
        if self._started is None:
            raise RuntimeError("a Grader starts its processes where `with` is entered")
        return self._started

    def grade(self, notebook: NotebookNode) -> NotebookNode:
        """In place: outputs of all code cells, "course_flags" in the metadata. Raises for no submission."""
        flags = self.audit.flags(notebook)
        for index, flags_of_cell in flags.items():
            for each in flags_of_cell:
                (flag if each.is_serious else note)(notebook, f"cell {index + 1} {each.sentence}")
        tampering = {index for index, of_cell in flags.items() if any(each.is_serious for each in of_cell)}
        apart = observed_apart(self._asking, notebook, tampering)
        # The notebook runs twice where a cell tampers: without these cells, then whole, as it was handed in.
        needed = tampering and not all(one.final for one in apart.values())
        clean = self._run(copy.deepcopy(notebook), apart, tampering) if needed else None
        borrows = any(each.borrows for flags_of_cell in flags.values() for each in flags_of_cell)
        work = self._run(notebook, apart)
        for step, reason in work.given_up.items():
            flag(notebook, f"cell {step.index + 1} {reason}")
            if step.kind == "run":
                Outputs(notebook.cells[step.index]).fail("Ended", f"this cell {reason}")
        # Points are decided at the end, when the child is gone.
        with speaking(language_of(notebook.cells)):
            for step in work.steps:
                if step.kind in ("observe", "seen"):
                    self._write_score(step, work, clean, proof=not borrows)
        return notebook

    def _run(self, notebook: NotebookNode, apart: Mapping[int, Apart], without: Collection[int] = ()) -> Work:
        """All cells but these, with a child for each group of exercises (see Judge.groups)."""
        whole = Work(notebook, [], Clock(self._asking.zygote.cpu_seconds), apart)
        for group in self.judge.groups:
            first = not whole.steps
            steps = [step for step in self._steps(notebook, group, apart) if step.index not in without]
            if not first and not any(step.kind == "observe" for step in steps):
                continue
            # What cells show is taken from the first child; later ones show only the checks of their group.
            work = Work(notebook if first else copy.deepcopy(notebook), steps, whole.clock, apart)
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

    def _steps(self, notebook: NotebookNode, group: Set[str], apart: Mapping[int, Apart]) -> Iterator[Step]:
        """Hidden parts come last: when they arrive, nothing that the learner's process shows is read."""
        observed = []
        for index, check, _ in code_of(notebook):
            if check:
                if apart[index].final and group is self.judge.groups[0]:
                    yield Step(index, "seen", check)
                elif check.exercise in group and not apart[index].final:
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
        with self._asking.zygote.child(self.limits.output_bytes) as wire:
            try:
                for count, step in enumerate(work.steps, 1):
                    if not work.skips(step):
                        self._do(step, count, wire, work)
            except StepLostError as error:
                return error
        return None

    def _do(self, step: Step, count: int, wire: Wire, work: Work) -> None:
        cell = work.notebook.cells[step.index]
        ask = functools.partial(self._asking.ask, step, wire, work.clock)
        if step.kind == "run":
            cell.execution_count = count
            ask({"request": "run", "source": cell.source}, b"", Outputs(cell))
            return
        if step.kind == "seen" and step.check and (final := work.apart[step.index].final):
            cell.execution_count = count
            source = f"{step.check.before}\n{step.check.answer};"  # which shows it only where it is not there
            ask({"request": "run", "source": source}, b"", Outputs(cell))
            if all(output.output_type != "error" for output in cell.outputs):
                work.observed[step] = final
            return
        if step.kind == "before" and step.check:
            ask({"request": "run", "source": step.check.before}, b"")
            return
        case, request = self._asking.case(step), {"request": step.kind} | vars(step.check)
        if step.kind == "again":
            work.observed[step] = self._asking.read(step, case.hidden, (), *ask(request, case.hidden_task))
            return
        # First the visible parts alone: most answers are right, and examples cost time.
        cell.execution_count = count
        reply, blob = ask(request, case.visible_task, Outputs(cell))
        if reply is None:
            return  # the cell itself failed, as where a name is not there: its error is shown
        observed = self._asking.read(step, case.visible, (), reply, blob)
        if not case.is_right(observed):
            # The child has kept the answer and its names, so the examples are observed "again".
            request, examples = request | {"request": "again"}, case.exercise.examples
            with_examples = self._asking.read(step, (), examples, *ask(request, case.examples_task))
            observed = replace(observed, examples=with_examples.examples)
        work.observed[step] = observed

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
        case, apart, seen = self._asking.case(step), work.apart[step.index], self._seen(step, work)
        weighed = clean and self._seen(step, clean) if step.kind == "observe" else None
        score = case.score(seen, weighed, proof)
        if score and seen.unknown:
            flag(work.notebook, UNKNOWN.format(step.index + 1, ", ".join(seen.unknown)))
        elif score and case.gains(seen, apart.observation):
            flag(work.notebook, ONLY_HERE.format(step.index + 1, apart.why))
        outputs = Outputs(work.notebook.cells[step.index])
        outputs.result(score._repr_mimebundle_())

    def _seen(self, step: Step, work: Work) -> Observation:
        """Visible and hidden parts together; those that never came have failed."""
        if final := work.apart[step.index].final:
            return final
        case, again = self._asking.case(step), Step(step.index, "again", step.check)
        visible = work.observed.get(step) or case.failed(case.visible, MISSING)
        hidden = work.observed.get(again) or case.failed(case.hidden, MISSING)
        unknown = visible.unknown or hidden.unknown
        return replace(visible, parts=visible.parts | hidden.parts, unknown=unknown)
