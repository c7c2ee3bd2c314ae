"""The exercises of lesson 00_start_here, in their order."""

from course_lib.checks.lesson import Lesson

lesson = Lesson.load(
    "00_start_here",
    __name__,
    [
        "softmax",
        "masked_mean",
    ],
)
check, filled, hint = lesson.check, lesson.filled, lesson.hint
model_answer, progress = lesson.model_answer, lesson.progress
