"""Seconds a submission, stock nbgrader beside this grader, on one core: python tests/bench/grading.py

Both grade the same files from the command line, the grader with all the isolation that the machine has. A
run of one submission is subtracted, so start-up does not count for either. The floor is the learners' cells
and checks alone, in one warm process without isolation. Rounds alternate, medians are printed. The last
column is what as many workers as cores grade, over what one does.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import nbformat

from course_lib.authoring.build import ROOT
from course_lib.grading.demo_class import make_class
from course_lib.grading.demo_students import CLASS, LESSON, fill_in

CLASSES = (LESSON, "07_translator")  # the demonstration's, and the largest
STOCK, OURS = 4, 24  # submissions in a round, besides the one that is subtracted
CORES = sorted(os.sched_getaffinity(0))
SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "NBGRADER_EXECUTION": "autograde",
    "COURSE_LIB_SOLUTIONS": str(ROOT / "solutions"),
}
FLOOR = """
import importlib, sys, time
import nbformat
from course_lib.grading.sandbox.shell import new_shell
lesson, *paths = sys.argv[1:]
importlib.import_module(f"course_lib.exercises.{lesson[3:]}").lesson.graded
shell = new_shell()
shell.open(lambda output: None)
times = []
for path in paths:
    notebook = nbformat.read(path, as_version=4)
    start = time.perf_counter()
    for cell in notebook.cells:
        if cell.cell_type == "code" and "skip-execution" not in cell.metadata.get("tags", []):
            shell.run(cell.source)
    times.append(time.perf_counter() - start)
print(sum(times[1:]) / len(times[1:]), file=sys.__stdout__)
"""


def options_of_a_class(about: str) -> argparse.Namespace:
    """From the command line: `students`, and `keep`, the folder where the class stays."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    return parser.parse_args()


def make_course(folder: Path, lesson: str, students: int = OURS + 1, essay: str = "") -> Path:
    """A course in which a class has handed in the lesson; `essay` answers the demonstration's question."""
    make_class(folder)
    shutil.rmtree(folder / "submitted")
    for number in range(students):
        path = folder / "submitted" / f"student{number:03}" / lesson / f"{lesson}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(submission(lesson, number, essay), path)
    run(folder, "-m", "nbgrader", "generate_assignment", lesson)
    return folder


def submission(lesson: str, number: int, essay: str):
    if lesson == LESSON:
        notebook = nbformat.read(ROOT / "notebooks" / lesson / f"{lesson}.ipynb", as_version=4)
        one = CLASS[number % len(CLASS)]
        fill_in(notebook, replace(one, essay=essay or one.essay))
        return notebook
    return nbformat.read(ROOT / "solutions" / lesson / f"{lesson}.ipynb", as_version=4)


def run(
    folder: Path, *arguments: str, cores: Sequence[int] = CORES[:1], codes: Collection[int] = (0,)
) -> tuple[float, str]:
    """Seconds of a Python command on these cores, and what it printed. codes: with which it may end."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=os.environ | SETTINGS,
        capture_output=True,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
        check=False,
    )
    if done.returncode not in codes:
        raise RuntimeError(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return time.perf_counter() - start, done.stdout


def stock(course: Path, lesson: str) -> float:
    command = ["-m", "nbgrader", "autograde", lesson, "--force"]
    first, _ = run(course, *command, "--student=student000")
    more, _ = run(course, *command, f"--student=student00[0-{STOCK}]")
    return (more - first) / STOCK


def ours(course: Path, lesson: str, cores: Sequence[int] = CORES[:1]) -> float:
    command = ["-m", "course_lib", "grade", lesson, "--workers", str(len(cores)), "--force"]
    first, _ = run(course, *command, "--student", "student000", cores=cores)
    more, _ = run(course, *command, cores=cores)
    return (more - first) / OURS


def all_cores(course: Path, lesson: str) -> float:
    return ours(course, lesson, CORES)


def floor(course: Path, lesson: str) -> float:
    paths = [str(path) for path in sorted(course.glob("submitted/*/*/*.ipynb"))]
    return float(run(course, "-c", FLOOR, lesson, *paths)[1].split()[-1])


def round_of(lesson: str) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        course = make_course(Path(folder, "course"), lesson)
        return [measure(course, lesson) for measure in (stock, ours, floor, all_cores)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    columns = "lesson | stock nbgrader, s | this grader, s | times as fast | floor, s"
    print(f"| {columns} | {len(CORES)} workers, times one |\n{'|---' * 6}|")
    for lesson in CLASSES:
        measured = [round_of(lesson) for _ in range(rounds)]
        ratio = statistics.median(stock / ours for stock, ours, _, _ in measured)
        gain = statistics.median(one / many for _, one, _, many in measured)
        stocks, fast, least, _ = (statistics.median(column) for column in zip(*measured, strict=True))
        print(
            f"| {lesson} | {stocks:.2f} | {fast:.3f} | {ratio:.1f} | {least:.3f} | {gain:.2f} |", flush=True
        )


if __name__ == "__main__":
    main()
