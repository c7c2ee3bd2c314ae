"""What is asked of a learner's process, step by step, and what has come of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from nbformat import NotebookNode
from nbgrader.utils import is_grade, is_solution

from course_lib.checks.clock import Clock
from course_lib.checks.observation import Observation
from course_lib.grading.sandbox.audit import is_skipped
from course_lib.grading.sandbox.judge import Check

MAX_LOST_STEPS = 4  # steps that may end the process; each costs a fresh start without it


@dataclass(frozen=True)
class Step:
    """One request: a cell is run ("run"), its check observed ("observe"), or its hidden parts ("again").

    Of a check that another child observes only what stands before the call is run ("before"), and of one
    whose answer was observed apart ("apart") only that the answer is there ("seen").
    """

    index: int
    kind: str
    check: Check | None = None


class StepLostError(Exception):
    """The process is gone, or had to be ended, in a step."""

    def __init__(self, step: Step, reason: str):
        self.step, self.reason = step, reason


@dataclass(frozen=True)
class Apart:
    """What an answer gave with nothing but the statements that it is made of; None where that cannot be.

    why: in words, where it is not so. is_final: no other observation is needed.
    """

    observation: Observation | None
    why: str
    is_final: bool = False

    @property
    def final(self) -> Observation | None:
        return self.observation if self.is_final else None


@dataclass
class Work:
    """A notebook that is being graded. apart: by the place of a check."""

    notebook: NotebookNode
    steps: list[Step]
    clock: Clock
    apart: Mapping[int, Apart]
    given_up: dict[Step, str] = field(default_factory=dict)
    lost: int = 0
    observed: dict[Step, Observation] = field(default_factory=dict)

    def skips(self, step: Step) -> bool:
        """A check that was not observed has no hidden parts to observe either."""
        unseen = step.kind == "again" and Step(step.index, "observe", step.check) not in self.observed
        return unseen or step in self.given_up


def code_of(notebook: NotebookNode) -> Iterator[tuple[int, Check | None, str]]:
    """Each code cell that is run: its place, the check that it is, and what else it runs."""
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code" and not is_skipped(cell) and cell.source.strip():
            check = Check.parse(cell.source) if is_grade(cell) and not is_solution(cell) else None
            yield index, check, check.before if check else cell.source
