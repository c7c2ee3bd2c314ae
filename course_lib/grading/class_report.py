"""Which misconceptions a class has, by exercise: a page for the instructor."""

import html
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from course_lib import exercises, plots
from course_lib.grading.results import Result

UNLISTED = "wrong in a way of its own: read these answers"
STYLE = """body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}
img{max-width:100%;height:auto}
table{border-collapse:collapse;margin:1em 0}
th,td{border:1px solid #bbb;padding:.3em .6em;text-align:left;
vertical-align:top}"""


@dataclass
class Finding:
    """One mistake in one exercise, and who made it."""

    key: str
    advice: str
    students: list[str] = field(default_factory=list)


@dataclass
class Finds:
    """Of one exercise: how many answers have which status, and the mistakes, most frequent first."""

    exercise: str
    statuses: Counter
    mistakes: list[Finding]


def findings(lesson: str, found: list[Result]) -> list[Finds]:
    """From the diagnoses in the graded notebooks; exercises in the lesson's order."""
    finds = []
    for name, exercise in exercises.load(lesson).exercises.items():
        advices = {mistake.key: mistake.advice for mistake in exercise.mistakes} | {"unlisted": UNLISTED}
        known = {key: Finding(key, advice) for key, advice in advices.items()}
        for result in found:
            for key in dict.fromkeys(result.mistakes.get(name, [])):
                if key in known:
                    known[key].students.append(result.student)
        mistakes = [finding for finding in known.values() if finding.students]
        mistakes.sort(key=lambda finding: (-len(finding.students), finding.key == "unlisted"))
        statuses = Counter(result.statuses[name] for result in found if name in result.statuses)
        finds.append(Finds(name, statuses, mistakes))
    return finds


def write_report(folder: Path, lesson: str, found: list[Result]) -> Path:
    """FOLDER/LESSON.html, all in one file; students are named in it, so it is not for them."""
    finds = findings(lesson, found)
    bars = {
        f"{one.exercise}: {one.statuses['right']} of {one.statuses.total()} right": [
            (f"{finding.key}: {finding.advice}", len(finding.students)) for finding in one.mistakes
        ]
        for one in finds
    }
    picture = plots.show(plots.mistake_bars(bars, len(found), title=f"{lesson}: mistakes of the class"))
    body = picture._repr_mimebundle_()["text/html"] + "".join(map(_section, finds)) + _notes(found)
    page = (
        f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>{html.escape(lesson)}: the class"
        f"</title><style>{STYLE}</style></head><body><h1>{html.escape(lesson)}: the class</h1>"
        f"<p>{len(found)} submissions.</p>{body}</body></html>\n"
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{lesson}.html"
    path.write_text(page, encoding="utf-8")
    return path


def _section(finds: Finds) -> str:
    counts = ", ".join(f"{count} {status}" for status, count in finds.statuses.most_common()) or "none graded"
    rows = [
        (finding.key, finding.advice, str(len(finding.students)), ", ".join(finding.students))
        for finding in finds.mistakes
    ]
    return f"<h2><code>{html.escape(finds.exercise)}</code></h2><p>{counts}.</p>" + _table(
        ("mistake", "advice that the learner got", "submissions", "students"), rows
    )


def _notes(found: list[Result]) -> str:
    rows = [(result.student, "; ".join(result.notes)) for result in found if result.notes]
    return "<h2>Repaired, flagged, not graded</h2>" + _table(("student", "what"), rows)


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    if not rows:
        return "<p>Nothing.</p>"
    head = "".join(f"<th scope='col'>{title}</th>" for title in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
