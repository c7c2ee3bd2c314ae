"""The exercises of lesson 03_multi_head, in their order."""

from course_lib.checks.lesson import Lesson

lesson = Lesson.load(
    "03_multi_head",
    __name__,
    [
        "split_heads",
        "merge_heads",
        "MultiHeadAttention",
        "attention_cost",
    ],
)
check, filled, hint = lesson.check, lesson.filled, lesson.hint
model_answer, progress = lesson.model_answer, lesson.progress
