"""Checks of lesson 04_positional_encoding."""

from course_lib.checks.lesson import Lesson
from course_lib.checks.positional_encoding import (  # noqa: F401  (declare them)
    mistakes_in_module,
    mistakes_in_rotary,
    mistakes_in_shifts,
    mistakes_in_sinusoids,
)
from course_lib.checks.positional_encoding.learned import LearnedPositions
from course_lib.checks.positional_encoding.module import PositionalEncoding
from course_lib.checks.positional_encoding.rotary import apply_rotary
from course_lib.checks.positional_encoding.shifts import shift_matrix
from course_lib.checks.positional_encoding.sinusoids import sinusoidal_encoding

lesson = Lesson(
    "04_positional_encoding",
    sinusoidal_encoding,
    shift_matrix,
    PositionalEncoding,
    LearnedPositions,
    apply_rotary,
)
check, hint, progress = lesson.check, lesson.hint, lesson.progress
