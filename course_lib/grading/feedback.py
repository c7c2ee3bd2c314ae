"""Make nbgrader's feedback pages in several processes, because rendering takes most of the time."""

import logging
import multiprocessing
import re
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat.v4 import new_output
from nbgrader.converters import GenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import NbGraderPreprocessor
from tqdm import tqdm

from course_lib.grading.nbgrader.course import Course
from course_lib.grading.nbgrader.course_files import as_settings
from course_lib.grading.plain_text import one_line
from course_lib.grading.workers import WorkerError

CHUNK = 8  # students for each task of a process
ENDED = (
    "a process that made feedback pages was ended from outside, as where memory is short. All points are "
    "kept; run the same command again, with fewer --workers"
)
PAGE_SECONDS = 60.0  # of CPU time: some Markdown takes a time that grows with the square of its length
LEFT_OUT = "(an output of this cell cannot be shown: {} is not text)"


class DropOddOutputs(NbGraderPreprocessor):
    """nbconvert takes what a learner displays as text to be text, and would fail on anything else.

    It would fail on a picture, too, that a text takes from attachments where it is not.
    """

    def preprocess_cell(self, cell, resources, index):
        if cell.cell_type == "code":
            cell.outputs = [_shown(output) for output in cell.outputs]
        elif cell.cell_type == "markdown":
            cell.source = _without_lost(cell.source, cell.get("attachments", {}))
        return cell, resources


def _without_lost(text: str, attachments: Mapping[str, Any]) -> str:
    """Where there is no such picture its bare name is left, which a browser shows as a broken one."""
    there = "|".join(re.escape(name) for name, kinds in attachments.items() if kinds)
    return re.sub(rf"attachment:(?!(?:{there})[\s)>\"']|(?:{there})$)" if there else "attachment:", "", text)


def _shown(output: Any) -> Any:
    data, metadata = output.get("data", {}), output.get("metadata", {})
    odd = [kind for kind, value in data.items() if not (isinstance(value, str) or kind.endswith("json"))]
    if odd and len(odd) == len(data):
        return new_output("stream", name="stdout", text=LEFT_OUT.format(one_line(odd[0])))
    for kind in odd:  # it has been displayed in other ways, too
        del data[kind]
    if "text/markdown" in data:
        data["text/markdown"] = _without_lost(data["text/markdown"], {})
    if metadata:
        output.metadata = {kind: about for kind, about in metadata.items() if isinstance(about, Mapping)}
    return output


class NamedFeedback(GenerateFeedback):
    """Makes the pages of the students in a list; nbgrader's own takes a pattern of names.

    reasons: by student, why there is no page.
    """

    students: Sequence[str] = ()

    def __init__(self, **options):
        super().__init__(**options)
        self.preprocessors = [DropOddOutputs, *self.preprocessors]
        self.reasons: dict[str, str] = {}
        self._student = ""

    def init_notebooks(self) -> None:
        directory: Any = self.coursedir  # a trait, of which type checkers know nothing
        lesson = directory.assignment_id
        folders = [Path(self._format_source(lesson, name)) for name in self.students]
        self.assignments = {str(folder): [str(folder / f"{lesson}.ipynb")] for folder in folders}

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        self._student = student_id
        return super().init_destination(assignment_id, student_id)

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        with self._reasons_noted():
            super().init_assignment(assignment_id, student_id)

    def convert_single_notebook(self, notebook_filename: str) -> None:
        with self._reasons_noted(), at_most(PAGE_SECONDS):
            super().convert_single_notebook(notebook_filename)

    @contextmanager
    def _reasons_noted(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self.reasons[self._student] = one_line(f"{type(error).__name__}: {error}")
            raise


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises TimeoutError in it once this process has computed for so long. Windows has no such timer."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_) -> None:
        raise TimeoutError(f"the page was not ready after {seconds:g} seconds of CPU time")

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@dataclass
class Pages:
    """made: students whose page is new; failed: by student, why there is none."""

    made: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


def make_feedback(course: Course, students: Sequence[str], workers: int) -> Pages:
    """feedback/STUDENT/LESSON/LESSON.html anew, for those of the students who are graded.

    Raises WorkerError where a process was ended, for then some pages may be those of an earlier run.
    """
    graded = [student for student in students if course.autograded(student).is_file()]
    chunks = [graded[start : start + CHUNK] for start in range(0, len(graded), CHUNK)]
    spawn = multiprocessing.get_context("spawn")
    failed: dict[str, str] = {}
    with (
        ProcessPoolExecutor(workers, mp_context=spawn) as pool,
        tqdm(total=len(graded), desc="feedback") as bar,
    ):
        tasks = [pool.submit(_convert, course.root, course.lesson, course.db_url, chunk) for chunk in chunks]
        for chunk, task in zip(chunks, tasks, strict=True):
            try:
                failed |= task.result()
            except BrokenProcessPool:
                raise WorkerError(ENDED) from None
            bar.update(len(chunk))
    return Pages([student for student in graded if student not in failed], failed)


def _convert(root: Path, lesson: str, db_url: str, students: Sequence[str]) -> dict[str, str]:
    """By student, why there is no page."""
    course = Course(root, lesson, db_url)
    with as_settings(root):
        converter = NamedFeedback(coursedir=course.directory, config=course.config)
    converter.log.setLevel(logging.CRITICAL)  # the reasons are told
    converter.force = True
    course.directory.ignore = [*course.directory.ignore, f"{lesson}.html"]  # a student's own, as exported
    pages = {name: course.folder("feedback", name) / f"{lesson}.html" for name in students}
    failed = {}
    for name, page in pages.items():
        try:
            page.unlink(missing_ok=True)  # of an earlier run, with other points perhaps
        except OSError as error:
            failed[name] = f"cannot remove {page}: {error.strerror}"
    converter.students = [name for name in students if name not in failed]
    try:
        converter.start()
    except NbGraderException as error:  # after all of them, or at the first where the gradebook is locked
        missing = [name for name, page in pages.items() if not page.is_file()]
        failed = {name: converter.reasons.get(name, one_line(str(error))) for name in missing} | failed
    return failed
