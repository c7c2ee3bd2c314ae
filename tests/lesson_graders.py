"""A grader of a real lesson, as the runner makes one. It needs Linux."""

from course_lib.authoring.build import ROOT
from course_lib.grading.sandbox.grader import Grader


def text(*parts):
    return ROOT.joinpath(*parts).read_text(encoding="utf-8")


def grader(lesson, **options):
    released = text("notebooks", lesson, f"{lesson}.ipynb")
    return Grader(lesson, text("solutions", f"{lesson}_hidden.py"), released=released, **options)
