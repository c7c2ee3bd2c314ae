"""Asks a learner's process for one step, and reads what it replies. It is not trusted."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from course_lib.checks.clock import Clock
from course_lib.checks.observation import Observation
from course_lib.grading.sandbox.child import INTERRUPTED
from course_lib.grading.sandbox.client import ZygoteClient
from course_lib.grading.sandbox.clock import Allowance, DeadlineError
from course_lib.grading.sandbox.isolation import Limits
from course_lib.grading.sandbox.judge import Case
from course_lib.grading.sandbox.outputs import Outputs
from course_lib.grading.sandbox.steps import Step, StepLostError
from course_lib.grading.sandbox.wire import ConnectionClosedError, TooMuchError, Wire, WireError, unpack


@dataclass(frozen=True)
class Asking:
    """cases: by exercise."""

    zygote: ZygoteClient
    limits: Limits
    cases: Mapping[str, Case]

    def ask(
        self,
        step: Step,
        wire: Wire,
        clock: Clock,
        message: dict,
        task: bytes,
        outputs: Outputs | None = None,
    ) -> tuple[Any, bytes]:
        """Sends a request, and gathers outputs until it is done. Raises StepLostError."""
        seconds = min(self.limits.cell_seconds, clock.left(self.limits.seconds))
        timeout = Allowance(clock, seconds, self.limits.grace_seconds, self.zygote.interrupt)
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
            raise StepLostError(step, f"ended the process ({self.zygote.exit_reason()})") from None
        except TooMuchError:
            raise StepLostError(step, "shows more than can be kept") from None
        # A message of any other form ends the step, and nothing else.
        except (WireError, TypeError, AttributeError) as error:
            raise StepLostError(step, f"sent what no cell sends: {error}") from None

    def read(
        self, step: Step, parts: Collection[str], examples: Collection[str], reply: Any, blob: bytes
    ) -> Observation:
        """Raises StepLostError."""
        if reply == INTERRUPTED:
            text = f"Your code did not end within {self.limits.cell_seconds:g} seconds."
            return self.case(step).failed(parts, text)
        try:
            return unpack(reply, blob, parts, examples)
        except WireError as error:
            raise StepLostError(step, f"sent what no check sends: {error}") from None

    def case(self, step: Step) -> Case:
        if step.check is None:
            raise ValueError(f"a step {step.kind!r} checks no exercise")
        return self.cases[step.check.exercise]
