"""Execute a submission in a Jupyter kernel, as stock nbgrader does: on systems without fork, or on request.

The checks run in the learner's process, whose code can forge their verdict; nothing is isolated.
"""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbclient.exceptions import CellControlSignal, CellExecutionError, DeadKernelError
from nbformat import NotebookNode
from nbgrader.preprocessors import Execute
from nbgrader.preprocessors.execute import UnresponsiveKernelError
from nbgrader.utils import is_grade, is_solution

from course_lib.authoring.notebook_client import QUIET
from course_lib.checks.lesson import HIDDEN, SOLUTIONS
from course_lib.grading.nbgrader.cell_points import flag, is_decided
from course_lib.language import VARIABLE, language_of

NOT_ISOLATED = "not isolated: learners' code runs as your user, beside the checks, and several times slower"
CELL_SECONDS = 120
START_SECONDS = 300  # for a kernel to start, on a machine that does much else


class KernelGrader:
    """nbgrader's own execution behind the interface of Grader. `active` says what is missing."""

    def __init__(
        self,
        lesson: str,
        hidden: str,
        *,
        released: str = "",
        editions: Sequence[str] = (),
        isolation: str = "available",
        limits=None,
    ):
        if isolation == "required":
            raise RuntimeError("isolation is required, and the stock kernel has none: grade on Linux")
        self.active = {"stock kernel": NOT_ISOLATED}
        self._seconds = getattr(limits, "cell_seconds", CELL_SECONDS)
        self._scratch = tempfile.TemporaryDirectory(prefix="grading-")
        solutions = Path(self._scratch.name, "solutions")
        solutions.mkdir()
        (solutions / f"{lesson}_hidden.py").write_text(hidden, encoding="utf-8")
        self._environment = {HIDDEN: "", SOLUTIONS: str(solutions), "NBGRADER_EXECUTION": "autograde"}

    def __enter__(self) -> "KernelGrader":
        return self

    def __exit__(self, *_) -> None:
        self._scratch.cleanup()

    def grade(self, notebook: NotebookNode) -> NotebookNode:
        """Run its cells, in place. Cells that a dead kernel did not reach get an error, not full points.

        Raises RuntimeError where no kernel started or it died in its first cell: perhaps the machine's fault.
        """
        steps = Execute(
            timeout=self._seconds,
            startup_timeout=START_SECONDS,
            shutdown_kernel="immediate",
            extra_arguments=[QUIET],
        )
        # The notebook's language, which an instructor's own must not replace.
        environment = self._environment | {VARIABLE: language_of(notebook.cells)}
        before = {name: os.environ.get(name) for name in environment}
        os.environ.update(environment)
        try:
            with tempfile.TemporaryDirectory(dir=self._scratch.name) as folder:
                steps.preprocess(notebook, {"metadata": {"path": folder}})
        except (DeadKernelError, UnresponsiveKernelError, CellExecutionError, CellControlSignal) as error:
            if sum(bool(cell.get("execution_count")) for cell in notebook.cells) < 2:
                raise RuntimeError("the kernel died in its first cell") from error
            flag(notebook, f"the kernel died or hung: {type(error).__name__}")
        finally:
            _restore(before)
        for cell in notebook.cells:
            if cell.cell_type == "code" and is_grade(cell) and not is_solution(cell) and not is_decided(cell):
                cell.outputs.append(_not_reached())
        return notebook


def _not_reached() -> NotebookNode:
    reason = "this check gave no points, because it was not reached or its output was suppressed"
    return nbformat.v4.new_output(
        "error", ename="NotGraded", evalue=reason, traceback=[f"NotGraded: {reason}"]
    )


def _restore(environment: dict[str, str | None]) -> None:
    for name, value in environment.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
