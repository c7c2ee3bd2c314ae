"""One submission, from bytes to scores: what a worker does, on this machine or on another one.

What goes in and comes out is plain data that can be pickled; no path of the instructor's machine is in it.
"""

import atexit
import hashlib
import time
from dataclasses import dataclass, field, replace
from typing import Any

import nbformat
from nbgrader.nbgraderformat import ValidationError
from traitlets import import_item

from course_lib.grading.nbgrader.prepare import Steps, finish, prepare
from course_lib.grading.nbgrader.repair import NotGradable
from course_lib.grading.nbgrader.scores import FLAGS, Scores, scores
from course_lib.grading.nbgrader.source import Source

RECORD = "course_grading"  # notebook metadata: of what these are the grades


@dataclass(frozen=True)
class Bundle:
    """All that is needed to grade a lesson but the submissions.

    hidden: the text of solutions/LESSON_hidden.py; released: that of the notebook which was handed out
    grader: a class by dotted name; limits: None for its own
    version: of lesson and checks together, so that only what has changed is graded again.
    """

    lesson: str
    hidden: str
    released: str
    source: Source
    steps: Steps
    version: str
    grader: str = "course_lib.grading.nbgrader.kernel_grader.KernelGrader"
    isolation: str = "available"
    limits: Any = None


@dataclass(frozen=True)
class Result:
    """notebook: text of the executed notebook; None where `failure` tells why there is none."""

    notebook: str | None = None
    scores: Scores = field(default_factory=Scores)
    repairs: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    failure: str = ""
    seconds: float = 0.0


_open: dict[str, Any] = {}  # the grader of this process, by the bundle that it is for


def grade_job(bundle: Bundle, submission: bytes) -> Result:
    """Never raises for what is in a submission; a RuntimeError is about this machine."""
    grader = grader_for(bundle)
    begun = time.perf_counter()
    try:
        result = _grade(bundle, grader, submission)
    except NotGradable as error:
        result = Result(failure=str(error))
    except (ValidationError, nbformat.ValidationError, UnicodeError) as error:
        result = Result(failure=f"its outputs make no notebook: {str(error).splitlines()[0][:200]}")
    return replace(result, seconds=time.perf_counter() - begun)


def _grade(bundle: Bundle, grader, submission: bytes) -> Result:
    notebook, repairs = prepare(bundle.source, bundle.steps, submission)
    notebook.metadata.pop(FLAGS, None)
    notebook = finish(bundle.source, bundle.steps, grader.grade(notebook))
    found = scores(notebook)
    notebook.metadata[RECORD] = record(bundle, submission)
    text = nbformat.v4.writes(notebook).encode("utf-8", "replace").decode()
    return Result(text + "\n", found, tuple(repairs), tuple(notebook.metadata.get(FLAGS, [])))


def record(bundle: Bundle, submission: bytes) -> dict[str, str]:
    """By it a later run sees that nothing has changed."""
    digest = hashlib.sha256(submission).hexdigest()
    return {"submission": digest, "lesson": bundle.version, "grader": bundle.grader}


def grader_for(bundle: Bundle):
    """This process's grader, kept warm; one for another bundle closes it."""
    key = f"{bundle.lesson} {bundle.version} {bundle.grader} {bundle.isolation} {bundle.limits}"
    if key not in _open:
        close_grader()
        make = import_item(bundle.grader)
        options = {"released": bundle.released, "isolation": bundle.isolation, "limits": bundle.limits}
        _open[key] = make(bundle.lesson, bundle.hidden, **options).__enter__()
    return _open[key]


def close_grader() -> None:
    while _open:
        _open.popitem()[1].__exit__(None, None, None)


atexit.register(close_grader)
