"""The page of `course report`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from course_lib.grading.html_page import page, table
from course_lib.grading.repeated.kinds import Class, Kind

NAME = "repeated.html"
ABOUT = """<p>Two mistakes of different exercises are the same one where they share an entry of
docs/misconceptions.md. Mistakes without an entry, which belong to one exercise only, and what no check could
name are not here: see the report of each lesson (<code>course grade LESSON --report FOLDER</code>).</p>
<p>"Had a chance" counts students who made a mistake and in a later lesson attempted an exercise where it can
be made. Those who mended it after a check are counted too: only what was handed in is known.</p>"""
AGAIN, ONCE, STUDENTS = "Made again in a later lesson", "Not made again, with a chance", "By student"


def write_page(folder: Path, graded: Class, found: Sequence[Kind], texts: Mapping[str, str]) -> Path:
    """FOLDER/repeated.html. texts: what each entry of the catalogue says."""
    again = [kind for kind in found if kind.again]
    once = [kind for kind in found if kind.chances and not kind.again]
    heads = "mistake", "made by", "had a chance", "again", "where: students", "who again"
    counts = ", ".join(f"{lesson} ({len(graded[lesson])})" for lesson in sorted(graded))
    body = (
        f"<p>Graded submissions: {counts}.</p>{ABOUT}<h2>{AGAIN}</h2>"
        + table(heads, [_row(kind, texts) for kind in again])
        + f"<h2>{ONCE}</h2>"
        + table(heads[:-1], [_row(kind, texts)[:-1] for kind in once])
        + f"<h2>{STUDENTS}</h2>"
        + table(("student", "mistakes made again"), _students(again))
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    path.write_text(page("Mistakes that come again", body), encoding="utf-8", errors="replace")
    return path


def named(kind: Kind, texts: Mapping[str, str]) -> str:
    return f"{kind.entry}: {texts[kind.entry]}" if kind.entry in texts else kind.entry


def _row(kind: Kind, texts: Mapping[str, str]) -> tuple[str, ...]:
    where = ", ".join(f"{place}: {count}" for place, count in sorted(kind.places.items(), key=str))
    counts = (str(len(one)) for one in (kind.made, kind.chances, kind.again))
    return (named(kind, texts), *counts, where, ", ".join(kind.again))


def _students(again: Sequence[Kind]) -> list[tuple[str, str]]:
    """Those with the most mistakes first."""
    told: dict[str, list[str]] = {}
    for kind in again:
        for student in kind.again:
            places = ", ".join(map(str, kind.made[student]))
            told.setdefault(student, []).append(f"{kind.entry} ({places})")
    return [
        (who, "; ".join(texts))
        for who, texts in sorted(told.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
