"""How many hints learners have seen, as far as the notebooks that they handed in show it.

Nothing else tells: a learner's own record stays on the learner's machine. The outputs of `hint` and
`progress` carry the numbers that they show. Where these were deleted or cleared, nothing is counted.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from course_lib.checks.panel import HINTS
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.nbgrader.reading import LARGEST_FILE, saved_outputs
from course_lib.grading.nbgrader.repair import NotGradableError

Shown = Mapping[str, Mapping[str, int]]  # by student, by exercise or question
MOST = 20  # more than any exercise has: what is more was not written by `hint`


def hints_shown(course: Course) -> Shown:
    """Of each student whose notebook shows any number, be it 0."""
    found = {one.student: _in_file(one.path) for one in course.submissions()}
    return {student: counts for student, counts in found.items() if counts}


def _in_file(path: Path) -> dict[str, int]:
    try:
        if not path.is_file() or path.stat().st_size > LARGEST_FILE:
            return {}
        return counted(saved_outputs(path.read_bytes()))
    except (NotGradableError, OSError):
        return {}


def counted(outputs: Iterable[dict]) -> dict[str, int]:
    """The highest number of each exercise; the outputs may be anything."""
    found: dict[str, int] = {}
    for output in outputs:
        data = output.get("data")
        told = data.get(HINTS) if isinstance(data, dict) else None
        for name, count in (told if isinstance(told, dict) else {}).items():
            if type(count) is int and 0 <= count <= MOST:
                found[name] = max(count, found.get(name, 0))
    return found
