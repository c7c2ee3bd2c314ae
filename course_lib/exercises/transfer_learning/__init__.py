"""The exercises of lesson 08_transfer_learning, in their order."""

from course_lib.checks.lesson import Lesson

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
check, hint, progress = lesson.check, lesson.hint, lesson.progress
