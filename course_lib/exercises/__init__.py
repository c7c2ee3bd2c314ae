"""The answers, a package a lesson, two modules an exercise: causal_mask and causal_mask_mistakes.

In each package `at_once` holds ordinary calls of them all, see `Exercise.at_once`.

A notebook imports check, hint, model_answer and progress from its lesson's package. In a process that runs
learners' code while it is graded a stub stands for the lesson's package, and the others are not there; what a
probe needs is sent with it.
"""

import importlib

from course_lib.checks.lesson import Lesson


def package(lesson: str) -> str:
    """ "course_lib.exercises.attention" of "02_attention"."""
    return f"{__name__}.{lesson[3:]}"


def load(lesson: str) -> Lesson:
    """The exercises of "02_attention". Raises ModuleNotFoundError where there is no such lesson."""
    return importlib.import_module(package(lesson)).lesson
