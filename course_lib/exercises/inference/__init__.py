"""The exercises of lesson 13_inference, in their order."""

from course_lib.checks.lesson import Lesson
from course_lib.exercises.inference.stand_ins import blocks, calls_of, keeps_blocks, reader

__all__ = [
    "blocks",
    "calls_of",
    "check",
    "filled",
    "hint",
    "keeps_blocks",
    "lesson",
    "model_answer",
    "progress",
    "reader",
]

lesson = Lesson.load(
    "13_inference",
    __name__,
    [
        "chunk_mask",
        "CachedAttention",
        "generate",
        "beam_step",
        "blockwise_attention",
    ],
)
check, filled, hint = lesson.check, lesson.filled, lesson.hint
model_answer, progress = lesson.model_answer, lesson.progress
