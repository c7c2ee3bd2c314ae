"""What a worker is given once for a lesson: plain data that can be pickled."""

from dataclasses import dataclass
from typing import Any

from course_lib.grading.nbgrader.prepare import Steps
from course_lib.grading.nbgrader.source import Source


@dataclass(frozen=True)
class Bundle:
    """Everything a worker needs to grade a lesson, except the submissions.

    hidden: the text of solutions/LESSON_hidden.py; released: the text of the learners' notebook;
    editions: its texts in other languages
    version: of lesson and checks together, so that only what has changed is graded again
    grader: a class by dotted name; limits: None for the grader's own.
    """

    lesson: str
    hidden: str
    released: str
    source: Source
    steps: Steps
    version: str
    grader: str = "course_lib.grading.nbgrader.kernel_grader.KernelGrader"
    isolation: str = "available"
    editions: tuple[str, ...] = ()
    limits: Any = None
