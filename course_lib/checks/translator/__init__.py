"""Checks of lesson 07_translator."""

from course_lib.checks.lesson import Lesson
from course_lib.checks.translator import (  # noqa: F401  (declare them)
    mistakes_in_beam,
    mistakes_in_bleu,
    mistakes_in_counting,
    mistakes_in_greedy,
    mistakes_in_loss,
    mistakes_in_ranking,
    mistakes_in_step,
)
from course_lib.checks.translator.beam import beam_search
from course_lib.checks.translator.bleu import bleu
from course_lib.checks.translator.greedy import greedy_decode
from course_lib.checks.translator.loss import smoothed_loss
from course_lib.checks.translator.rate import noam_rate
from course_lib.checks.translator.shift import shift_targets
from course_lib.checks.translator.stand_ins import Tree, losses_of
from course_lib.checks.translator.step import train_step

__all__ = ["Tree", "check", "hint", "lesson", "losses_of", "progress"]

lesson = Lesson(
    "07_translator",
    shift_targets,
    smoothed_loss,
    noam_rate,
    train_step,
    greedy_decode,
    bleu,
    beam_search,
)
check, hint, progress = lesson.check, lesson.hint, lesson.progress
