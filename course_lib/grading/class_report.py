"""A page for the instructor: mistakes of the class, how hard each part is, points of written answers."""

import html
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from course_lib import exercises, plots
from course_lib.grading.hints_shown import Shown
from course_lib.grading.html_page import page, table
from course_lib.grading.item_analysis import FEWEST, parts, questions
from course_lib.grading.results import UNLISTED, SubmissionResult

READ = "wrong in another way: read these answers"
EXPLAINED = (
    "Discrimination is the correlation between getting a part right and the points in all other parts, among "
    "those who attempted it. Near 0 or below, strong students fail the part as often as weak ones: read its "
    f"answers. It is left out where fewer than {FEWEST} attempted the part, or all or none got it right."
)
ADD = (
    "What is unlisted stands in no table of mistakes. <code>course mistake {} EXERCISE STUDENT</code> prints "
    "such an answer as the beginning of an entry, so that the next class is told what is wrong."
)
HINTS = (
    "Counted in {} of {} submissions: those whose notebook still shows the output of <code>hint</code> or "
    "<code>progress</code>. What was cleared or deleted is not counted, and a learner's own record never "
    "leaves the learner's machine, so these are lower bounds."
)


@dataclass
class MistakeRow:
    """One mistake of an exercise, by its key, and the students who made it.

    Mistakes that are in no table have the key "unlisted", and the first sentence of the check as advice.
    """

    key: str
    advice: str
    students: list[str] = field(default_factory=list)


@dataclass
class ExerciseSummary:
    """How many answers have which status, and the mistakes that were made, the most frequent first."""

    exercise: str
    statuses: Counter[str]
    mistakes: list[MistakeRow]


def summarize(lesson: str, results: list[SubmissionResult]) -> list[ExerciseSummary]:
    """One summary an exercise, in the lesson's order."""
    summaries = []
    for name, exercise in exercises.load(lesson).exercises.items():
        # A key is unique in its exercise, so it leads to the advice that the learner got.
        advices = {mistake.key: mistake.advice for mistake in exercise.mistakes}
        rows = {(key, advice): MistakeRow(key, advice) for key, advice in advices.items()}
        for result in results:
            sentence = result.unnamed.get(name, READ)
            keys = result.mistakes.get(name, [])
            for row in dict.fromkeys((k, advices[k]) if k in advices else (UNLISTED, sentence) for k in keys):
                rows.setdefault(row, MistakeRow(*row)).students.append(result.student)
        made = [row for row in rows.values() if row.students]
        made.sort(key=lambda row: (-len(row.students), row.key == UNLISTED))
        statuses = Counter(result.statuses[name] for result in results if name in result.statuses)
        summaries.append(ExerciseSummary(name, statuses, made))
    return summaries


def write_report(
    folder: Path, lesson: str, results: list[SubmissionResult], hints: Shown | None = None
) -> Path:
    """FOLDER/LESSON.html, all in one file; students are named in it, so it is not for them."""
    summaries = summarize(lesson, results)
    bars = {
        f"{one.exercise}: {one.statuses['right']} of {one.statuses.total()} right": [
            (f"{row.key}: {row.advice}", len(row.students)) for row in one.mistakes
        ]
        for one in summaries
    }
    picture = plots.show(plots.mistake_bars(bars, len(results), title=f"{lesson}: mistakes of the class"))
    body = picture._repr_mimebundle_()["text/html"] + "".join(map(_section, summaries))
    body += (
        _parts(lesson, results)
        + _questions(lesson, results)
        + _hints(lesson, results, hints or {})
        + _notes(results)
    )
    body = f"<p>{len(results)} submissions. {ADD.format(html.escape(lesson))}</p>{body}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{lesson}.html"
    path.write_text(page(f"{lesson}: the class", body), encoding="utf-8")
    return path


def _section(summary: ExerciseSummary) -> str:
    counts = ", ".join(f"{count} {status}" for status, count in summary.statuses.most_common())
    rows = [
        (row.key, row.advice, str(len(row.students)), ", ".join(row.students)) for row in summary.mistakes
    ]
    heading = f"<h2><code>{html.escape(summary.exercise)}</code></h2><p>{counts or 'none graded'}.</p>"
    return heading + table(("mistake", "what the learner read", "submissions", "students"), rows)


def _parts(lesson: str, results: list[SubmissionResult]) -> str:
    rows = [
        (
            one.exercise,
            one.part,
            f"{one.right / (one.right + one.wrong):.0%}" if one.right + one.wrong else "–",
            str(one.right),
            str(one.wrong),
            str(one.not_attempted),
            "–" if one.discrimination is None else f"{one.discrimination:.2f}",
        )
        for one in parts(lesson, results)
    ]
    heads = "exercise", "part", "right, of attempted", "right", "wrong", "not attempted", "discrimination"
    return f"<h2>How hard each part is</h2><p>{EXPLAINED}</p>" + table(heads, rows)


def _questions(lesson: str, results: list[SubmissionResult]) -> str:
    rows = [
        (
            one.question,
            f"{one.worth:g}",
            ", ".join(f"{points:g}: {count}" for points, count in sorted(one.points.items())) or "–",
            "–" if one.mean is None else f"{one.mean:.1f}",
            str(one.to_grade),
        )
        for one in questions(lesson, results)
    ]
    heads = "question", "worth", "points: answers", "mean", "still to grade"
    return "<h2>Written answers</h2>" + table(heads, rows)


def _hints(lesson: str, results: list[SubmissionResult], shown: Shown) -> str:
    rows = []
    for name in exercises.load(lesson).exercises:
        statuses = {one.student: one.statuses.get(name) for one in results}
        counts = {who: numbers[name] for who, numbers in shown.items() if name in numbers and who in statuses}
        numbers = Counter(count for count in counts.values() if count)
        used, not_used = (
            Counter(statuses[who] for who, count in counts.items() if bool(count) is with_hints)
            for with_hints in (True, False)
        )
        told = ", ".join(f"{count}: {times}" for count, times in sorted(numbers.items())) or "none"
        rights = (f"{one['right']} of {one.total()}" if one else "–" for one in (used, not_used))
        rows.append((name, told, *rights))
    counted = len(shown.keys() & {one.student for one in results})
    heads = "exercise", "hints: submissions", "right, of those with hints", "right, of those without"
    about = HINTS.format(counted, len(results))
    return f"<h2>Hints</h2><p>{about}</p>" + table(heads, rows if counted else [])


def _notes(results: list[SubmissionResult]) -> str:
    rows = [(result.student, "; ".join(result.notes)) for result in results if result.notes]
    return "<h2>Repaired, flagged, not graded</h2>" + table(("student", "what"), rows)
