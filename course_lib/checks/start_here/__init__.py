"""Checks of lesson 00_start_here."""

from course_lib.checks.lesson import Lesson
from course_lib.checks.start_here import (  # noqa: F401  (declare them)
    mistakes_in_axes,
    mistakes_in_masked_mean,
    mistakes_in_softmax,
)
from course_lib.checks.start_here.masked_mean import masked_mean
from course_lib.checks.start_here.softmax import softmax

lesson = Lesson("00_start_here", softmax, masked_mean)
check, hint, progress = lesson.check, lesson.hint, lesson.progress
