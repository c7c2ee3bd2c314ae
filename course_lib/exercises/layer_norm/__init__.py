"""The exercises of lesson 05_layer_norm, in their order."""

from course_lib.checks.lesson import Lesson
from course_lib.exercises.layer_norm.residual import slope_by_gradient

__all__ = ["check", "filled", "hint", "lesson", "progress", "slope_by_gradient"]

lesson = Lesson.load(
    "05_layer_norm",
    __name__,
    [
        "layer_norm",
        "LayerNorm",
        "FeedForward",
        "dropout",
        "PostNorm",
        "PreNorm",
    ],
)
check, filled, hint = lesson.check, lesson.filled, lesson.hint
model_answer, progress = lesson.model_answer, lesson.progress
