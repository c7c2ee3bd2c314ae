"""Checks of lesson 08_transfer_learning."""

from course_lib.checks.lesson import Lesson
from course_lib.checks.transfer_learning import (  # noqa: F401  (declare them)
    mistakes_in_masking,
    mistakes_in_sampling,
    mistakes_in_tuning,
)
from course_lib.checks.transfer_learning.freezing import freeze
from course_lib.checks.transfer_learning.head import MaskedWordHead
from course_lib.checks.transfer_learning.masking import mask_tokens
from course_lib.checks.transfer_learning.sampling import sample
from course_lib.checks.transfer_learning.tuning import fine_tune

lesson = Lesson("08_transfer_learning", mask_tokens, MaskedWordHead, freeze, fine_tune, sample)
check, hint, progress = lesson.check, lesson.hint, lesson.progress
