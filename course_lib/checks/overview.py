"""The table that `progress` shows."""

from collections.abc import Collection, Sequence

from course_lib.checks.exercise import Exercise
from course_lib.checks.hints import seen
from course_lib.checks.notebook import saved_answer
from course_lib.checks.panel import Panel
from course_lib.checks.progress import Progress, Record
from course_lib.checks.questions import Question
from course_lib.checks.score import MARKS, code, in_points, out_of, with_hidden_points
from course_lib.language import say, widened


def overview(
    lesson: str, exercises: Collection[Exercise], questions: Collection[Question], records: Progress
) -> Panel:
    """A row for each exercise and each written question, the sum, and where this is kept."""
    rows = [_exercise_row(exercise, records[exercise.name]) for exercise in exercises]
    rows += [_question_row(lesson, question, records[question.name]) for question in questions]
    rows = [(mark, say(status), name, say(points), say(hints)) for mark, status, name, points, hints in rows]
    total, note = say(_total(exercises, questions, records)), say(records.note())
    text = [
        widened(f"{mark} {name}: {status}, {points}, {hints}") for mark, status, name, points, hints in rows
    ]
    body = "".join(
        f"<tr><td>{mark} {status}</td><td><code>{name}</code></td><td>{points}</td><td>{hints}</td></tr>"
        for mark, status, name, points, hints in rows
    )
    body += f"<tr><th colspan='2'>{say('total')}</th><td>{total}</td><td></td></tr>"
    titles = (say("status"), say("exercise"), say("points"), say("hints"))
    head = "".join(f"<th>{title}</th>" for title in titles)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    hints = {one.name: seen(records[one.name], one.hints) for one in exercises}
    hints |= {one.name: seen(records[one.name], one.criteria) for one in questions}
    return Panel("\n".join([*text, total, note]), f"{table}<p>{code(note)}</p>", hints)


def _exercise_row(exercise: Exercise, record: Record) -> tuple[str, ...]:
    earlier = record.earlier and record.status != "not attempted"
    status = f"{record.status}, earlier" if earlier else record.status
    hints = _hints_used(record, exercise.hints)
    return MARKS[record.status], status, exercise.name, out_of(record.points, exercise), hints


def _question_row(lesson: str, question: Question, record: Record) -> tuple[str, ...]:
    saved = saved_answer(lesson, question.name)
    if saved is None and not record.answered:
        mark, status = "?", "notebook not found"
    else:
        mark, status = ("✎", "answered") if saved or saved is None else ("○", "not answered")
    points = f"{in_points(question.points)}, graded by a person"
    return mark, status, question.name, points, _hints_used(record, question.criteria)


def _total(exercises: Collection[Exercise], questions: Collection[Question], records: Progress) -> str:
    hidden = sum(exercise.pending for exercise in exercises)
    reached = sum(min(records[one.name].points, one.points - one.pending) for one in exercises)
    total = with_hidden_points(reached, sum(one.points for one in exercises) - hidden, hidden)
    written = sum(question.points for question in questions)
    return f"{total}; {written:g} more, graded by a person" if written else total


def _hints_used(record: Record, hints: Sequence[str]) -> str:
    used = seen(record, hints)
    return "1 hint used" if used == 1 else f"{used} hints used"
