"""What a check says of one honest wrong answer, where a page cannot show the reader's own."""

from dataclasses import replace

from course_lib import exercises
from course_lib.checks.score import as_html


def diagnoses(lesson: str) -> dict[str, str]:
    """By exercise, the check's words on the first mistake of its table, as HTML. Nothing of it is kept."""
    found = exercises.load(lesson)
    return {name: _diagnosis(found, name) for name in found.exercises}


def _diagnosis(lesson: exercises.Lesson, name: str) -> str:
    mistake = lesson.exercises[name].mistakes[0]
    report = lesson.score(name, mistake.implementation, trial=True).report
    return as_html(replace(report, trial=False))
