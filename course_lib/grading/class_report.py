"""A page for the instructor: mistakes of the class, how hard each part is, points of written answers.

It speaks the instructor's language, see VARIABLE in `course_lib.language`; learners' feedback speaks theirs.
"""

import html
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from course_lib import exercises, plots
from course_lib.checks.score import code
from course_lib.grading.hints_shown import Shown
from course_lib.grading.html_page import page, table, write
from course_lib.grading.item_analysis import FEWEST, HIDDEN, parts, questions
from course_lib.grading.results import UNLISTED, SubmissionResult
from course_lib.language import listed, say, say_list, say_report, spoken, widened

READ = "wrong in another way: read these answers"
NOT_RUN = "the code did not run, so nothing could be checked"
EXPLAINED = (
    "Discrimination is the correlation between getting a part right and the points in all other parts, among "
    "those who attempted it. Near 0 or below, strong students fail the part as often as weak ones: read its "
    f"answers. It is left out where fewer than {FEWEST} attempted the part, or all or none got it right. "
    "Code that did not run is wrong in every part."
)
ADD = (
    "What is `unlisted` stands in no table of mistakes. `course mistake {0} EXERCISE STUDENT` prints "
    "such an answer as the beginning of an entry, so that the next class is told what is wrong."
)
HINTS = (
    "Counted in {0} of {1} submissions: those whose notebook still shows the output of `hint` or "
    "`progress`. What was cleared or deleted is not counted, and a learner's own record never "
    "leaves the learner's machine, so these are lower bounds."
)


@dataclass
class MistakeRow:
    """One mistake of an exercise, by its key, and the students who made it.

    Mistakes that are in no table have the key "unlisted", and the first sentence of the check as advice. Code
    that did not run has the name of its error as key.
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
            if result.statuses.get(name) == "error":
                row = _error(result.errors.get(name, "")), NOT_RUN
                rows.setdefault(row, MistakeRow(*row)).students.append(result.student)
        made = [row for row in rows.values() if row.students]
        made.sort(key=lambda row: (-len(row.students), row.key == UNLISTED))
        statuses = Counter(result.statuses[name] for result in results if name in result.statuses)
        summaries.append(ExerciseSummary(name, statuses, made))
    return summaries


def _error(told: str) -> str:
    """Its name alone, as "SyntaxError"; a notebook that nbgrader ran may name anything."""
    name = told.partition(":")[0]
    return name if name.isidentifier() else "error"


def write_report(
    folder: Path, lesson: str, results: list[SubmissionResult], hints: Shown | None = None
) -> Path:
    """FOLDER/LESSON.html, all in one file; students are named in it, so it is not for them."""
    summaries = summarize(lesson, results)
    bars = {
        say_report(f"{one.exercise}: {one.statuses['right']} of {one.statuses.total()} right"): [
            (say_list([f"{row.key}: {_advice(row.advice)}"]), len(row.students)) for row in one.mistakes
        ]
        for one in summaries
    }
    title = say_report(f"{lesson}: mistakes of the class")
    ax = plots.mistake_bars(bars, len(results), title=title)
    body = (
        f"<p>{say_report(f'{len(results)} submissions.')} {code(say_report(ADD.format(lesson)))}</p>"
        + plots.show(ax)._repr_mimebundle_()["text/html"]
        + "".join(map(_section, summaries))
        + _parts(lesson, results)
        + _questions(lesson, results)
        + _hints(lesson, results, hints or {})
        + _notes(results)
    )
    text = page(say_report(f"{lesson}: the class"), body, lang=spoken().replace("_", "-"))
    return write(folder, f"{lesson}.html", text)


def _section(summary: ExerciseSummary) -> str:
    counts = ", ".join(f"{count} {say_report(status)}" for status, count in summary.statuses.most_common())
    rows = [
        (row.key, _advice(row.advice), str(len(row.students)), ", ".join(row.students))
        for row in summary.mistakes
    ]
    counted = counts or say_report("none graded")
    heading = f"<h2><code>{html.escape(summary.exercise)}</code></h2><p>{counted}</p>"
    heads = _heads("mistake", "what the learner read", "submissions", "students")
    return heading + table(heads, rows)


def _advice(text: str) -> str:
    """What the learner read, in the instructor's language."""
    return say_report(text) if text in (READ, NOT_RUN) else say(text)


def _heads(*texts: str) -> tuple[str, ...]:
    return tuple(map(say_report, texts))


def _parts(lesson: str, results: list[SubmissionResult]) -> str:
    rows = [
        (
            one.exercise,
            say_report(HIDDEN) if one.part == HIDDEN else say(one.part),
            f"{one.right / (one.right + one.wrong):.0%}" if one.right + one.wrong else "–",
            str(one.right),
            str(one.wrong),
            str(one.not_attempted),
            "–" if one.discrimination is None else f"{one.discrimination:.2f}",
        )
        for one in parts(lesson, results)
    ]
    heads = _heads(
        "exercise", "part", "right, of attempted", "right", "wrong", "not attempted", "discrimination"
    )
    about = f"<h2>{say_report('How hard each part is')}</h2><p>{say_report(EXPLAINED)}</p>"
    return about + table(heads, rows)


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
    heads = _heads("question", "worth", "points: answers", "mean", "still to grade")
    return f"<h2>{say_report('Written answers')}</h2>" + table(heads, rows)


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
        told = ", ".join(f"{count}: {times}" for count, times in sorted(numbers.items()))
        rights = (f"{one['right']}/{one.total()}" if one else "–" for one in (used, not_used))
        rows.append((name, told or say_report("none"), *rights))
    counted = len(shown.keys() & {one.student for one in results})
    heads = _heads("exercise", "hints: submissions", "right, of those with hints", "right, of those without")
    about = code(say_report(HINTS.format(counted, len(results))))
    return f"<h2>{say_report('Hints')}</h2><p>{about}</p>" + table(heads, rows if counted else [])


def _note(text: str) -> str:
    return text if (said := say_report(text)) == text else widened(said)


def _notes(results: list[SubmissionResult]) -> str:
    rows = [(result.student, listed(map(_note, result.notes), "; ")) for result in results if result.notes]
    heads = _heads("student", "what")
    return f"<h2>{say_report('Repaired, flagged, not graded')}</h2>" + table(heads, rows)
