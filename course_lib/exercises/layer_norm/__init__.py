"""The exercises of lesson 05_layer_norm, in their order."""

from course_lib.checks.lesson import Lesson

lesson = Lesson.load(
    "05_layer_norm",
    __name__,
    [
        "layer_norm",
        "LayerNorm",
        "FeedForward",
        "PostNorm",
        "PreNorm",
    ],
)
check, hint, progress = lesson.check, lesson.hint, lesson.progress
