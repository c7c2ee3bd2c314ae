"""Checks of lesson 09_bug_clinic."""

from course_lib.checks.bug_clinic.attending import attention
from course_lib.checks.bug_clinic.attending_tested import test_attention
from course_lib.checks.bug_clinic.grading_words import translation_loss
from course_lib.checks.bug_clinic.grading_words_tested import test_translation_loss
from course_lib.checks.bug_clinic.places import add_positions
from course_lib.checks.bug_clinic.places_tested import test_add_positions
from course_lib.checks.bug_clinic.reading import wrong_lines
from course_lib.checks.bug_clinic.translating import translate
from course_lib.checks.bug_clinic.translating_tested import test_translate
from course_lib.checks.bug_clinic.words import word_ids
from course_lib.checks.bug_clinic.words_tested import test_word_ids
from course_lib.checks.lesson import Lesson

lesson = Lesson(
    "09_bug_clinic",
    test_word_ids,
    word_ids,
    test_add_positions,
    add_positions,
    test_attention,
    attention,
    test_translation_loss,
    translation_loss,
    test_translate,
    translate,
    wrong_lines,
)
check, hint, progress = lesson.check, lesson.hint, lesson.progress
