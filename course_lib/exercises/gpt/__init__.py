"""The exercises of lesson 12_gpt, in their order."""

from course_lib.checks.lesson import Lesson

__all__ = ["check", "filled", "hint", "lesson", "progress"]

lesson = Lesson.load(
    "12_gpt",
    __name__,
    ["rms_norm", "SwiGLU", "GroupedQueryAttention", "GPT", "continuation_targets"],
)
check, filled, hint = lesson.check, lesson.filled, lesson.hint
model_answer, progress = lesson.model_answer, lesson.progress
