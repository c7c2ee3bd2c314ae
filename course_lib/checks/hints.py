"""The next hint of an exercise or of a written question, and model answers."""

from collections.abc import Sequence

from course_lib.checks.exercise import Exercise
from course_lib.checks.notebook import saved_answer
from course_lib.checks.panel import Panel
from course_lib.checks.progress import Record
from course_lib.checks.questions import Question

SHOWS = "This small call shows it. What should it return, and what does it return?"
CRITERIA = '`hint("{0}")` says what a full answer contains.'
ANOTHER = 'When you have written and saved yours, `model_answer("{0}")` shows another.'
KEPT_BACK = "Your instructor has not released the model answers of this course."
NOT_FOUND = (
    "First write your own answer. Your notebook cannot be found here, so pass the text: "
    '`model_answer("{0}", "my text")`.'
)
EMPTY = "First write your own answer in its cell, and save the notebook (Ctrl+S, on a Mac ⌘S)."
HEAD = "This is a model answer. Yours may be as good in other words. Does it say as much in each part?"


def next_hint(exercise: Exercise, record: Record) -> Panel:
    """On the mistake that the last check has named, if no hint was yet; else the next of the ladder."""
    advice = next((mistake.advice for mistake in exercise.mistakes if mistake.key == record.slip), "")
    if advice and not record.told:
        record.told = True
        panel = Panel.of(f"About your last check: {advice}", *([SHOWS] if record.call else []))
        return panel.with_code(record.call)
    return Panel.of(_rung(exercise.hints, record))


def hint_on_question(question: Question, record: Record) -> Panel:
    """What a full answer names in the next part of a question."""
    rung = _rung(question.criteria, record)
    is_last = record.hints % len(question.criteria) == 0
    another = [ANOTHER.format(question.name)] if is_last and question.model_answer else []
    return Panel.of(rung, *another)


def model_answer(question: Question, record: Record, lesson: str, answer: str) -> Panel:
    """Shown once the learner's own is saved in the lesson's notebook, or was passed as `answer`."""
    criteria = CRITERIA.format(question.name)
    if not question.model_answer:
        return Panel.of(f"{KEPT_BACK} {criteria}")
    record.answered = record.answered or bool(answer.strip())
    saved = saved_answer(lesson, question.name)
    if record.answered or saved:
        return Panel.of(HEAD, *question.model_answer)
    return Panel.of(f"{NOT_FOUND.format(question.name) if saved is None else EMPTY} {criteria}")


def seen(record: Record, hints: Sequence[str]) -> int:
    """How many of these the learner has seen: after the last one they start again."""
    return min(record.hints, len(hints))


def _rung(hints: Sequence[str], record: Record) -> str:
    """The next of these hints, which is counted; after the last one they start again."""
    number, again = record.hints % len(hints), record.hints >= len(hints)
    record.hints += 1
    if again and number == 0:
        return f"From the start again: hint {number + 1} of {len(hints)}: {hints[number]}"
    return f"Hint {number + 1} of {len(hints)}: {hints[number]}"
