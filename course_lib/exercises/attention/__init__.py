"""The exercises of lesson 02_attention, in their order."""

from course_lib.checks.lesson import Lesson

lesson = Lesson.load(
    "02_attention",
    __name__,
    [
        "attention_pooling",
        "additive_attention",
        "scaled_dot_product_attention",
        "padding_mask",
        "causal_mask",
    ],
)
check, filled, hint = lesson.check, lesson.filled, lesson.hint
model_answer, progress = lesson.model_answer, lesson.progress
