"""Slips that come again: what a check remembers of the mistakes that earlier checks have named."""

from course_lib.checks.exercise import Mistake
from course_lib.checks.judgement import Judgement
from course_lib.checks.progress import Progress, Record

LAST = "This is still the mistake of your last check."
BEFORE = "You made this mistake before, in an earlier check of `{0}`."
ELSEWHERE = "You made the same mistake in {0}."
BROAD = "fails_on_right_code"  # of tests: it says that one fails where it must pass, for whatever reason
MENDED = "You made the same mistake in {0}. How did you correct it there?"


def remark(progress: Progress, exercise: str, judgement: Judgement) -> str:
    """Whether the learner has met the mistake that is named now, and where; empty where it is new.

    Two mistakes of different exercises are the same slip where they share an entry of docs/misconceptions.md.
    """
    mistake = _first(judgement)
    if mistake is None or mistake.key == BROAD:
        return ""
    if mistake.key == progress[exercise].slip:
        return LAST
    if mistake.key in progress[exercise].slips:
        return BEFORE.format(exercise)
    others = {name: record for name, record in progress.records.items() if name != exercise}
    for lesson, records in [("", others), *progress.earlier_lessons()]:
        for name, record in records.items():
            if _shares_source(record, mistake):
                where = f"`{name}`, lesson {lesson[:2]}" if lesson else f"`{name}`"
                return (MENDED if record.status == "right" else ELSEWHERE).format(where)
    return ""


def remember(record: Record, judgement: Judgement) -> None:
    """Put the mistake that is named, if one is, into the record of its exercise."""
    mistake = _first(judgement)
    record.slip, record.told = mistake.key if mistake else "", False
    record.call = judgement.example.cell if judgement.example else ""
    if mistake:
        record.slips[mistake.key] = list(mistake.sources)


def _first(judgement: Judgement) -> Mistake | None:
    return next((verdict.mistake for verdict in judgement.verdicts if verdict.mistake), None)


def _shares_source(record: Record, mistake: Mistake) -> bool:
    return any(source in sources for sources in record.slips.values() for source in mistake.sources)
