"""Checks of lesson 06_encoder_decoder."""

from course_lib.checks.encoder_decoder import (  # noqa: F401  (they declare mistakes)
    mistakes_in_count,
    mistakes_in_decoder,
    mistakes_in_encoder,
    mistakes_in_masks,
    mistakes_in_sums,
    mistakes_in_tables,
    mistakes_in_transformer,
)
from course_lib.checks.encoder_decoder.count import parameter_count
from course_lib.checks.encoder_decoder.decoder import DecoderLayer
from course_lib.checks.encoder_decoder.encoder import EncoderLayer
from course_lib.checks.encoder_decoder.masks import decoder_mask
from course_lib.checks.encoder_decoder.transformer import Transformer
from course_lib.checks.lesson import Lesson

lesson = Lesson("06_encoder_decoder", EncoderLayer, decoder_mask, DecoderLayer, Transformer, parameter_count)
check, hint, progress = lesson.check, lesson.hint, lesson.progress
