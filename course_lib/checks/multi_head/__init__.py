"""Checks of lesson 03_multi_head."""

from course_lib.checks.lesson import Lesson
from course_lib.checks.multi_head import mistakes_in_heads, mistakes_in_weights  # noqa: F401  (declare them)
from course_lib.checks.multi_head.cost import attention_cost
from course_lib.checks.multi_head.layer import MultiHeadAttention
from course_lib.checks.multi_head.merging import merge_heads
from course_lib.checks.multi_head.splitting import split_heads

lesson = Lesson("03_multi_head", split_heads, merge_heads, MultiHeadAttention, attention_cost)
check, hint, progress = lesson.check, lesson.hint, lesson.progress
