"""The exercises of lesson 06_encoder_decoder, in their order."""

from course_lib.checks.lesson import Lesson
from course_lib.exercises.encoder_decoder.attention_maps import form_of, left_by, weights_of

__all__ = [
    "check",
    "filled",
    "form_of",
    "hint",
    "left_by",
    "lesson",
    "model_answer",
    "progress",
    "weights_of",
]

lesson = Lesson.load(
    "06_encoder_decoder",
    __name__,
    [
        "EncoderLayer",
        "decoder_mask",
        "DecoderLayer",
        "Transformer",
        "attention_maps",
        "parameter_count",
    ],
)
check, filled, hint = lesson.check, lesson.filled, lesson.hint
model_answer, progress = lesson.model_answer, lesson.progress
