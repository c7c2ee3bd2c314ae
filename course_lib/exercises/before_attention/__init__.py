"""The exercises of lesson 10_before_attention, in their order."""

from course_lib.checks.lesson import Lesson
from course_lib.exercises.before_attention.stand_ins import attend, cell

__all__ = ["attend", "cell", "check", "filled", "hint", "lesson", "model_answer", "progress"]

lesson = Lesson.load("10_before_attention", __name__, ["gru_cell", "decoder_step"])
check, filled, hint = lesson.check, lesson.filled, lesson.hint
model_answer, progress = lesson.model_answer, lesson.progress
