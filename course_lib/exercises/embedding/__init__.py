"""The exercises of lesson 01_embedding, in their order."""

from course_lib.checks.lesson import Lesson
from course_lib.exercises.embedding.pad_batch import lists_after
from course_lib.exercises.embedding.TokenEmbedding import table_gradient

__all__ = ["check", "filled", "hint", "lesson", "lists_after", "model_answer", "progress", "table_gradient"]

lesson = Lesson.load(
    "01_embedding",
    __name__,
    [
        "Vocabulary",
        "pad_batch",
        "one_hot_lookup",
        "TokenEmbedding",
        "skipgram_pairs",
        "negative_sampling_loss",
        "nearest",
    ],
)
check, filled, hint = lesson.check, lesson.filled, lesson.hint
model_answer, progress = lesson.model_answer, lesson.progress
