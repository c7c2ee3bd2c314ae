"""A class of made-up submissions, graded by stock nbgrader: `course demo`.

The folder becomes a course of its own; the real gradebook is not touched.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat

from course_lib.authoring.build import ROOT
from course_lib.grading.demo_students import CLASS, LESSON, UNREADABLE, fill_in
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.results import results, table

MARK = ".demo_class"  # a file in each folder that may be made anew, which deletes what is there


def make_class(course: Path) -> None:
    """A fresh course folder with everybody's submissions. Raises FileExistsError where something else is."""
    if course.exists() and not ((course / MARK).exists() or (course.is_dir() and not any(course.iterdir()))):
        raise FileExistsError(
            f"{course} is there, and `course demo` did not make it: give a new folder. Nothing was changed."
        )
    shutil.rmtree(course, ignore_errors=True)
    course.mkdir(parents=True)
    (course / MARK).touch()
    shutil.copytree(ROOT / "solutions", course / "solutions")
    shutil.copy(ROOT / "nbgrader_config.py", course)
    released = ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb"
    for student in CLASS:
        notebook = nbformat.read(released, as_version=4)
        fill_in(notebook, student)
        student.spoil(notebook)
        nbformat.write(notebook, _submission(course, student.name))
    _submission(course, UNREADABLE).write_text(released.read_text(encoding="utf-8")[:5000], encoding="utf-8")


def grade(course: Path) -> None:
    """The commands that an instructor types."""
    for command in ("generate_assignment", "autograde", "generate_feedback"):
        nbgrader(course, command, LESSON)
    nbgrader(course, "export", "--to", "grades.csv")


def nbgrader(course: Path, *command: str) -> subprocess.CompletedProcess:
    """Stock nbgrader in the course's folder; its log goes to nbgrader.log there."""
    print("nbgrader", *command, flush=True)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # where nbgrader finds alembic
    line = [sys.executable, "-m", "nbgrader", *command]
    with open(course / "nbgrader.log", "a", encoding="utf-8") as log:
        return subprocess.run(
            line, cwd=course, env=os.environ | {"PATH": path}, stdout=log, stderr=log, check=False
        )


def _submission(course: Path, student: str) -> Path:
    path = course / "submitted" / student / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def demo(folder: Path) -> int:
    """Make the class in the folder, grade it and print its table. Returns the exit code of `course demo`."""
    course = folder.resolve()
    try:
        make_class(course)
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    grade(course)
    print("\n" + table(results(Course(course, LESSON))))
    print(f"\nThe course is in {course}. To see it in formgrader: cd there, and run jupyter lab.")
    return 0
