"""The exercises of lesson 08_transfer_learning, in their order."""

from course_lib.checks.lesson import Lesson
from course_lib.exercises.transfer_learning.fine_tune import last_steps, tuned
from course_lib.exercises.transfer_learning.freeze import frozen, modes
from course_lib.exercises.transfer_learning.masked_counts import (
    a_draw_serves,
    fates_of,
    inserted,
    labelled,
    repeats,
)
from course_lib.exercises.transfer_learning.MaskedWordHead import learns, with_two_tables
from course_lib.exercises.transfer_learning.sample import draws

__all__ = [
    "a_draw_serves",
    "check",
    "draws",
    "fates_of",
    "filled",
    "frozen",
    "hint",
    "inserted",
    "labelled",
    "last_steps",
    "learns",
    "lesson",
    "modes",
    "progress",
    "repeats",
    "tuned",
    "with_two_tables",
]

lesson = Lesson.load(
    "08_transfer_learning",
    __name__,
    [
        "mask_tokens",
        "MaskedWordHead",
        "freeze",
        "fine_tune",
        "sample",
    ],
)
check, filled, hint = lesson.check, lesson.filled, lesson.hint
model_answer, progress = lesson.model_answer, lesson.progress
