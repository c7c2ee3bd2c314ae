"""The exercises of lesson 04_positional_encoding, in their order."""

from course_lib.checks.lesson import Lesson
from course_lib.exercises.positional_encoding.PositionalEncoding import numbers_kept

__all__ = ["check", "filled", "hint", "lesson", "numbers_kept", "progress"]

lesson = Lesson.load(
    "04_positional_encoding",
    __name__,
    [
        "sinusoidal_encoding",
        "shift_matrix",
        "PositionalEncoding",
        "LearnedPositions",
        "apply_rotary",
    ],
)
check, filled, hint = lesson.check, lesson.filled, lesson.hint
model_answer, progress = lesson.model_answer, lesson.progress
