"""The exercises of lesson 09_bug_clinic, in their order."""

from course_lib.checks.lesson import Lesson

lesson = Lesson.load(
    "09_bug_clinic",
    __name__,
    [
        "test_word_ids",
        "word_ids",
        "test_add_positions",
        "add_positions",
        "test_attention",
        "attention",
        "test_translation_loss",
        "translation_loss",
        "test_translate",
        "translate",
        "wrong_lines",
    ],
)
check, hint, progress = lesson.check, lesson.hint, lesson.progress
