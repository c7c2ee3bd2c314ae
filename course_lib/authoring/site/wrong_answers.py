"""What a check says of one honest wrong answer, where a page cannot show the reader's own."""

from dataclasses import replace

from course_lib import exercises
from course_lib.checks.score import as_html

LONG = 15  # characters of a line of code that advice does not hold by chance


def diagnoses(lesson: str, solutions: str) -> dict[str, str]:
    """By exercise, the check's words on one mistake, as HTML. Nothing of it is kept.

    It is the first of the exercise's table whose advice quotes no line of these solutions.
    """
    found = exercises.load(lesson)
    lines = {line for each in solutions.splitlines() if len(line := each.strip()) > LONG}
    return {name: _diagnosis(found, name, lines) for name in found.exercises}


def _diagnosis(lesson: exercises.Lesson, name: str, lines: set[str]) -> str:
    mistakes = lesson.exercises[name].mistakes
    mistake = next(one for one in mistakes if not any(line in one.advice for line in lines))
    report = lesson.score(name, mistake.implementation, trial=True).report
    return as_html(replace(report, trial=False))
