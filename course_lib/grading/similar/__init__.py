"""`course similar`: pairs of graded submissions that share what few others have, for a person to read."""

import argparse
import sys
from pathlib import Path

from course_lib.grading.nbgrader.answers import answers_of
from course_lib.grading.nbgrader.course import Course, CourseError
from course_lib.grading.plain_text import one_line
from course_lib.grading.similar.page import write_page
from course_lib.grading.similar.pairs import PUBLIC, compare

SHOWN = 10


def find_similar(options: argparse.Namespace) -> int:
    """The exit code of `course similar` with these options."""
    try:
        return _find_similar(options)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2


def _find_similar(options: argparse.Namespace) -> int:
    course = Course(Path.cwd(), options.lesson)
    answers = {}
    for submission in course.submissions():
        if (file := course.autograded(submission.student)).is_file():
            try:
                answers[submission.student] = answers_of(file)
            except CourseError as error:  # the others are compared
                print(f"not compared: {error}", file=sys.stderr)
    if len(answers) < 2:
        raise CourseError(f"fewer than two submissions are graded: run `course grade {options.lesson}` first")
    name = f"{options.lesson}.ipynb"
    answers[PUBLIC] = answers_of(course.folder("source", ".") / name)
    found = compare(answers, answers_of(course.folder("release", ".") / name), options.pairs)
    for pair in found.pairs[:SHOWN]:
        who = f"{one_line(pair.one)} and {one_line(pair.other)}"
        print(f"{who}: evidence {pair.total:.1f}")
    page = write_page(options.to, options.lesson, answers, found)
    print(f"{len(found.pairs)} pairs side by side, for you to read: {page}")
    return 0
