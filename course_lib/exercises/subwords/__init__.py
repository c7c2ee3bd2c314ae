"""The exercises of lesson 11_subwords, in their order."""

from course_lib.checks.lesson import Lesson

__all__ = ["check", "filled", "hint", "lesson", "model_answer", "progress"]

lesson = Lesson.load(
    "11_subwords",
    __name__,
    ["count_pairs", "merge", "learn_merges", "encode", "decode"],
)
check, filled, hint = lesson.check, lesson.filled, lesson.hint
model_answer, progress = lesson.model_answer, lesson.progress
