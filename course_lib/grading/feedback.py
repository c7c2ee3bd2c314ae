"""Make nbgrader's feedback pages in several processes, because rendering takes most of the time."""

import logging
import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nbgrader.converters import GenerateFeedback
from nbgrader.converters.base import NbGraderException
from tqdm import tqdm

from course_lib.grading.nbgrader.course import Course
from course_lib.grading.workers import WorkerError

CHUNK = 8  # students for each task of a process
ENDED = (
    "a process that made feedback pages was ended from outside, as where memory is short. All points are "
    "kept; run the same command again, with fewer --workers"
)
PAGE_SECONDS = 60.0  # of CPU time: some Markdown takes a time that grows with the square of its length


class NamedFeedback(GenerateFeedback):
    """Makes the pages of the students in a list; nbgrader's own takes a pattern of names."""

    students: Sequence[str] = ()

    def init_notebooks(self) -> None:
        directory: Any = self.coursedir  # a trait, of which type checkers know nothing
        lesson = directory.assignment_id
        folders = [Path(self._format_source(lesson, name)) for name in self.students]
        self.assignments = {str(folder): [str(folder / f"{lesson}.ipynb")] for folder in folders}

    def convert_single_notebook(self, notebook_filename: str) -> None:
        with at_most(PAGE_SECONDS):
            super().convert_single_notebook(notebook_filename)


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


def make_feedback(course: Course, students: Sequence[str], workers: int) -> list[str]:
    """feedback/STUDENT/LESSON/LESSON.html anew, for those of the students who are graded.

    Returns those for whom it failed; nbgrader's log on stderr says why. Raises WorkerError where a process
    was ended, for then some pages may be those of an earlier run.
    """
    graded = [student for student in students if course.autograded(student).is_file()]
    chunks = [graded[start : start + CHUNK] for start in range(0, len(graded), CHUNK)]
    spawn = multiprocessing.get_context("spawn")
    failed = []
    with (
        ProcessPoolExecutor(workers, mp_context=spawn) as pool,
        tqdm(total=len(graded), desc="feedback") as bar,
    ):
        tasks = [pool.submit(_convert, course.root, course.lesson, course.db_url, chunk) for chunk in chunks]
        for chunk, task in zip(chunks, tasks, strict=True):
            try:
                failed += task.result()
            except BrokenProcessPool:
                raise WorkerError(ENDED) from None
            bar.update(len(chunk))
    return failed


def _convert(root: Path, lesson: str, db_url: str, students: Sequence[str]) -> list[str]:
    course = Course(root, lesson, db_url)
    converter = NamedFeedback(coursedir=course.directory, config=course.config)
    converter.log.setLevel(logging.ERROR)
    converter.students, converter.force = students, True
    try:
        converter.start()
    except NbGraderException:  # after it has tried all of them
        pages = {name: course.folder("feedback", name) / f"{lesson}.html" for name in students}
        return [name for name, page in pages.items() if not page.is_file()]
    return []
