"""`course report`: the mistakes that the same students make again in later lessons."""

import argparse
import sys
from pathlib import Path

from course_lib.authoring.build import ROOT
from course_lib.authoring.sources import rows
from course_lib.grading.nbgrader.course import Course, CourseError
from course_lib.grading.plain_text import one_line
from course_lib.grading.repeated.kinds import Class, kinds
from course_lib.grading.repeated.page import named, write_page
from course_lib.grading.results import results

SHOWN = 10
CATALOGUE = ROOT / "docs" / "misconceptions.md"
TOO_FEW = "{} graded: mistakes can come again only over two lessons or more; `course grade LESSON` grades one"


def report(options: argparse.Namespace) -> int:
    """The exit code of `course report` with these options."""
    try:
        return _report(options)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2


def _report(options: argparse.Namespace) -> int:
    graded = graded_class(Path.cwd(), options.lesson)
    if len(graded) < 2:
        raise CourseError(TOO_FEW.format(", ".join(graded) or "no lesson is"))
    found, texts = kinds(graded), catalogue(CATALOGUE)
    again = [kind for kind in found if kind.again]
    for kind in again[:SHOWN]:
        print(f"{len(kind.again)} of {len(kind.chances)} again: {one_line(named(kind, texts))}")
    page = write_page(options.to, graded, found, texts)
    made = "1 mistake" if len(again) == 1 else f"{len(again)} mistakes"
    print(f"{made} made again, over {len(graded)} lessons: {page}")
    return 0


def graded_class(root: Path, chosen: list[str]) -> Class:
    """By lesson all that is graded in a course folder; `chosen` alone where it names lessons.

    Raises CourseError, as where a chosen lesson is unknown.
    """
    names = chosen or [path.stem for path in Course(root, "").originals()]
    graded = {}
    for course in (Course(root, name) for name in sorted(set(names))):
        course.order()  # an unknown lesson is told by its name
        if found := [one for one in results(course) if one.statuses]:
            graded[course.lesson] = found
    return graded


def catalogue(path: Path) -> dict[str, str]:
    """What each entry says; nothing where a copy of the course lacks the page."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return {entry: said for entry, said, *_ in rows(text)}
