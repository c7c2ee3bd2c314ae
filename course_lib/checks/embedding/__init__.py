"""Checks of lesson 01_embedding."""

from course_lib.checks.embedding import (  # noqa: F401  (declare them)
    mistakes_in_negative_sampling,
    mistakes_in_skipgram,
    mistakes_in_token_embedding,
    mistakes_in_vocabulary,
)
from course_lib.checks.embedding.batches import pad_batch
from course_lib.checks.embedding.lookup import one_hot_lookup
from course_lib.checks.embedding.negative_sampling import negative_sampling_loss
from course_lib.checks.embedding.similarity import nearest
from course_lib.checks.embedding.skipgram import skipgram_pairs
from course_lib.checks.embedding.token_embedding import TokenEmbedding
from course_lib.checks.embedding.vocabulary import Vocabulary
from course_lib.checks.lesson import Lesson

lesson = Lesson(
    "01_embedding",
    Vocabulary,
    pad_batch,
    one_hot_lookup,
    TokenEmbedding,
    skipgram_pairs,
    negative_sampling_loss,
    nearest,
)
check, hint, progress = lesson.check, lesson.hint, lesson.progress
