"""The exercises of lesson 04_positional_encoding, in their order."""

from course_lib.checks.lesson import Lesson

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
check, hint, progress = lesson.check, lesson.hint, lesson.progress
