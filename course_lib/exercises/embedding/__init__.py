"""The exercises of lesson 01_embedding, in their order."""

from course_lib.checks.lesson import Lesson

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
check, hint, progress = lesson.check, lesson.hint, lesson.progress
