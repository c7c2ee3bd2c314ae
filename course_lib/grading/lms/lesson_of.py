"""Which lesson a notebook is of, by what is in it: names of files tell nothing for certain."""

from dataclasses import dataclass

from course_lib.grading.nbgrader.course import Course
from course_lib.grading.nbgrader.course_files import read_notebook
from course_lib.grading.nbgrader.reading import read
from course_lib.grading.nbgrader.repair import NotGradableError, repair


@dataclass(frozen=True)
class Verdict:
    """refusal: why a file is no notebook of the lesson, "" if it is one. A broken one may be of any."""

    refusal: str = ""
    is_broken: bool = False


class Recognizer:
    """Knows the graded cells of all lessons."""

    def __init__(self, course: Course):
        self._lesson, self._source = course.lesson, course.source()
        self._cells: dict[str, set[str]] = {
            path.stem: _graded(read_notebook(path).cells) for path in course.originals()
        }

    def verdict(self, data: bytes) -> Verdict:
        """On the bytes of a file."""
        try:
            notebook = read(data)
        except NotGradableError as error:
            return Verdict(str(error), is_broken=True)
        held = _graded(notebook.cells)
        shared = {name: len(held & cells) for name, cells in self._cells.items()}
        likely = max(shared, key=lambda name: (shared[name], name == self._lesson))
        if shared[likely] and likely != self._lesson:
            return Verdict(f"a notebook of {likely}, not of {self._lesson}")
        try:
            repair(notebook, self._source)  # as grading does it: known by what cells hold, without metadata
        except NotGradableError as error:
            return Verdict(str(error))
        return Verdict()


def _graded(cells: list) -> set[str]:
    keys = (cell.get("metadata", {}).get("nbgrader") for cell in cells)
    return {str(key.get("grade_id")) for key in keys if isinstance(key, dict)}
