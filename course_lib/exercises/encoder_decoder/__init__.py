"""The exercises of lesson 06_encoder_decoder, in their order."""

from course_lib.checks.lesson import Lesson

lesson = Lesson.load(
    "06_encoder_decoder",
    __name__,
    [
        "EncoderLayer",
        "decoder_mask",
        "DecoderLayer",
        "Transformer",
        "parameter_count",
    ],
)
check, hint, progress = lesson.check, lesson.hint, lesson.progress
