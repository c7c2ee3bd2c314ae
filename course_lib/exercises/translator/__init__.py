"""The exercises of lesson 07_translator, in their order."""

from course_lib.checks.lesson import Lesson
from course_lib.exercises.translator.greedy_decode import calls_in_vain
from course_lib.exercises.translator.make_batches import pairs_after
from course_lib.exercises.translator.stand_ins import Tree, modes_after, modes_of, toy, writer
from course_lib.exercises.translator.train import twice
from course_lib.exercises.translator.training_runs import (
    flat,
    modes_in,
    printed_by,
    rates_of,
    reports_of,
    silent,
    told_of_batches,
    trainee,
)
from course_lib.exercises.translator.transplant import left_by, speller
from course_lib.exercises.translator.trees import (
    crowded_tree,
    decoy_tree,
    endings_tree,
    fair_tree,
    late_tree,
    long_tree,
    narrow_tree,
    patient_tree,
    third_tree,
    twin_tree,
)

__all__ = [
    "Tree",
    "calls_in_vain",
    "check",
    "crowded_tree",
    "decoy_tree",
    "endings_tree",
    "fair_tree",
    "filled",
    "flat",
    "hint",
    "late_tree",
    "left_by",
    "lesson",
    "long_tree",
    "modes_after",
    "modes_in",
    "modes_of",
    "narrow_tree",
    "pairs_after",
    "patient_tree",
    "printed_by",
    "progress",
    "rates_of",
    "reports_of",
    "silent",
    "speller",
    "third_tree",
    "told_of_batches",
    "toy",
    "trainee",
    "twice",
    "twin_tree",
    "writer",
]

lesson = Lesson.load(
    "07_translator",
    __name__,
    [
        "shift_targets",
        "smoothed_loss",
        "noam_rate",
        "train_step",
        "greedy_decode",
        "make_batches",
        "train",
        "bleu",
        "beam_search",
        "transplant",
    ],
)
check, filled, hint = lesson.check, lesson.filled, lesson.hint
model_answer, progress = lesson.model_answer, lesson.progress
