"""The exercises of lesson 09_bug_clinic, in their order."""

from course_lib.checks.lesson import Lesson

lesson = Lesson.load(
    "09_bug_clinic",
    __name__,
    [
        "test_word_ids",
        "word_ids",
        "test_add_positions",
        "test_attention",
        "attention",
        "test_translation_loss",
        "test_translate",
        "translate",
        "test_decoder",
        "test_training",
        "wrong_lines",
    ],
)
check, filled, hint = lesson.check, lesson.filled, lesson.hint
model_answer, progress = lesson.model_answer, lesson.progress
for exercise in lesson.exercises.values():  # the right and broken code that examples name, to be imported
    globals().update({name: code for name, code in exercise.names.items() if name not in globals()})
