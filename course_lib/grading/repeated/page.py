"""The page of `course report`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from course_lib.checks.score import code
from course_lib.grading.html_page import page, table, write
from course_lib.grading.repeated.kinds import Class, Kind
from course_lib.language import say_report, spoken

NAME = "repeated.html"
ABOUT = (
    "Two mistakes of different exercises are the same one where they share an entry of "
    "`docs/misconceptions.md`. Mistakes without an entry, which belong to one exercise only, and what no "
    "check could name are not here: see the report of each lesson, `course grade LESSON --report FOLDER`.",
    "The column of chances counts students who made a mistake and in a later lesson attempted an exercise "
    "where it can be made. Those who mended it after a check are counted too: only what was handed in is "
    "known.",
)
AGAIN, ONCE = "Made again in a later lesson", "Not made again, with a chance"


def write_page(folder: Path, graded: Class, found: Sequence[Kind], texts: Mapping[str, str]) -> Path:
    """FOLDER/repeated.html. texts: what each entry of the catalogue says."""
    again = [kind for kind in found if kind.again]
    once = [kind for kind in found if kind.chances and not kind.again]
    heads = [
        say_report("mistake"),
        say_report("made by"),
        say_report("had a chance"),
        say_report("made again by"),
        say_report("where: students"),
        say_report("who made it again"),
    ]
    counts = ", ".join(f"{lesson} ({len(graded[lesson])})" for lesson in sorted(graded))
    body = (
        f"<p>{say_report(f'Graded submissions: {counts}.')}</p>"
        + "".join(f"<p>{code(say_report(text))}</p>" for text in ABOUT)
        + f"<h2>{say_report(AGAIN)}</h2>"
        + table(heads, [_row(kind, texts) for kind in again])
        + f"<h2>{say_report(ONCE)}</h2>"
        + table(heads[:-1], [_row(kind, texts)[:-1] for kind in once])
        + f"<h2>{say_report('By student')}</h2>"
        + table([say_report("student"), say_report("mistakes made again")], _students(again))
    )
    text = page(say_report("Mistakes that come again"), body, lang=spoken().replace("_", "-"))
    return write(folder, NAME, text)


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
