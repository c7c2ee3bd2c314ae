"""Grade one submission, from its bytes to points: what a worker does, on this machine or on another.

Arguments and results are plain data that can be pickled; they hold no path of the instructor's machine.
"""

import atexit
import hashlib
import time
from dataclasses import dataclass, field, replace
from typing import Any

import nbformat
from nbgrader.nbgraderformat import ValidationError
from traitlets import import_item

from course_lib.grading.nbgrader.bundle import Bundle
from course_lib.grading.nbgrader.cell_points import FLAGS, NOTES, CellPoints, cell_points
from course_lib.grading.nbgrader.order import restore_order
from course_lib.grading.nbgrader.prepare import finish, prepare
from course_lib.grading.nbgrader.repair import REPAIRS, NotGradableError

RECORD = "course_grading"  # notebook metadata: which submission and which lesson were graded


@dataclass(frozen=True)
class JobResult:
    """What grading one submission gives.

    notebook: text of the executed notebook; None where `failure` says why there is none.
    """

    notebook: str | None = None
    cell_points: CellPoints = field(default_factory=CellPoints)
    repairs: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    failure: str = ""
    seconds: float = 0.0


_open: dict[str, Any] = {}  # at most one: the grader of this process, by the bundle that it is for


def grade_job(bundle: Bundle, submission: bytes) -> JobResult:
    """Never raises for what is in a submission; a RuntimeError is about this machine."""
    grader = grader_for(bundle)
    started = time.perf_counter()
    try:
        result = _grade(bundle, grader, submission)
    except NotGradableError as error:
        result = JobResult(failure=str(error))
    except (ValidationError, nbformat.ValidationError, UnicodeError) as error:
        result = JobResult(failure=f"its outputs make no notebook: {str(error).splitlines()[0][:200]}")
    return replace(result, seconds=time.perf_counter() - started)


def _grade(bundle: Bundle, grader, submission: bytes) -> JobResult:
    notebook, repairs = prepare(bundle.source, bundle.steps, submission)
    repairs = [*repairs, *restore_order(notebook, bundle.released, bundle.editions)]
    if repairs:
        notebook.metadata[REPAIRS] = repairs
    for key in (FLAGS, NOTES):
        notebook.metadata.pop(key, None)  # the learner may have written some
    notebook = finish(bundle.source, bundle.steps, grader.grade(notebook))
    points = cell_points(notebook)
    notebook.metadata[RECORD] = record(bundle, submission)
    # A learner may print half of a two-part character, which no file can hold: it becomes "?".
    text = nbformat.v4.writes(notebook).encode("utf-8", "replace").decode()
    flags, notes = (tuple(notebook.metadata.get(key, [])) for key in (FLAGS, NOTES))
    return JobResult(text + "\n", points, tuple(repairs), flags, notes)


def record(bundle: Bundle, submission: bytes) -> dict[str, str]:
    """Stored in the graded notebook: a later run compares it and sees whether anything has changed."""
    digest = hashlib.sha256(submission).hexdigest()
    return {"submission": digest, "lesson": bundle.version, "grader": bundle.grader}


def grader_for(bundle: Bundle):
    """This process's grader, kept warm; one for another bundle closes it."""
    key = f"{bundle.lesson} {bundle.version} {bundle.grader} {bundle.isolation} {bundle.limits}"
    if key not in _open:
        close_grader()
        make = import_item(bundle.grader)
        released = {"released": bundle.released, "editions": bundle.editions}
        options = {"isolation": bundle.isolation, "limits": bundle.limits}
        _open[key] = make(bundle.lesson, bundle.hidden, **released, **options).__enter__()
    return _open[key]


def close_grader() -> None:
    while _open:
        _open.popitem()[1].__exit__(None, None, None)


atexit.register(close_grader)
