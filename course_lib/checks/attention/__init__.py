"""Checks of lesson 02_attention."""

from course_lib.checks.attention import mistakes_in_masking, mistakes_in_scores  # noqa: F401  (declare them)
from course_lib.checks.attention.additive import additive_attention
from course_lib.checks.attention.masks import causal_mask, padding_mask
from course_lib.checks.attention.pooling import attention_pooling
from course_lib.checks.attention.scaled_dot_product import scaled_dot_product_attention
from course_lib.checks.lesson import Lesson

lesson = Lesson(
    "02_attention",
    attention_pooling,
    additive_attention,
    scaled_dot_product_attention,
    padding_mask,
    causal_mask,
)
check, hint, progress = lesson.check, lesson.hint, lesson.progress
