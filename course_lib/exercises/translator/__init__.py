"""The exercises of lesson 07_translator, in their order."""

from course_lib.checks.lesson import Lesson
from course_lib.exercises.translator.stand_ins import Tree, losses_of

__all__ = ["Tree", "check", "hint", "lesson", "losses_of", "progress"]

lesson = Lesson.load(
    "07_translator",
    __name__,
    [
        "shift_targets",
        "smoothed_loss",
        "noam_rate",
        "train_step",
        "greedy_decode",
        "bleu",
        "beam_search",
    ],
)
check, hint, progress = lesson.check, lesson.hint, lesson.progress
