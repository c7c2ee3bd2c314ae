"""A class that hands in English and Chinese notebooks, graded in one run: python tests/bench/languages.py

Each pair of students has the same answers, one in each language: first those of the demonstration's class,
then listed ones that are drawn. Some are late, some have moved their cells, some files are cut off. Prints
what `course grade` prints, then in how many pairs points, mistakes, status or notes differ, what the
gradebook holds of each language, and in which language checks and feedback pages are. --keep FOLDER leaves
the class there.
"""

import random
import re
import shutil
import tempfile
from collections import Counter
from datetime import datetime
from pathlib import Path

import nbformat
from grading import CORES, make_course, options_of_a_class, run
from nbgrader.api import Gradebook, SubmittedAssignment

from course_lib.authoring.build import ROOT
from course_lib.authoring.translation.units import language
from course_lib.grading.demo_students import CLASS, EXERCISES, LESSON, Student, fill_in, functions
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.results import results
from course_lib.language import languages

LOCALES = ("en", *sorted(languages()))
DUE, EARLY, LATE = "2026-10-01 12:00:00", "2026-09-30 12:00:00 UTC", "2026-10-02 12:00:00 UTC"
EACH_LATE, EACH_MOVED, EACH_CUT = 7, 11, 29  # one pair in so many
FEEDBACK = 10  # pairs with feedback pages, which take most of the time


def answers_of(number: int) -> Student:
    """Of the demonstration's class, then drawn: a listed answer to each exercise, or in one of ten none."""
    if number < len(CLASS):
        return CLASS[number]
    draw = random.Random(number)
    drawn = {name: draw.choice(list(functions(name))) for name in EXERCISES if draw.random() < 0.9}
    return Student(f"drawn{number}", "", drawn, essay="The sum is 0. 分母为 0。")


def hand_in(course: Path, number: int, locale: str) -> None:
    folder = ROOT if locale == "en" else ROOT / language(locale)
    notebook = nbformat.read(folder / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    student = answers_of(number)
    fill_in(notebook, student)
    student.spoil(notebook)
    if number % EACH_MOVED == 5:
        notebook.cells = [notebook.cells[0], *reversed(notebook.cells[1:])]
    text = nbformat.writes(notebook)
    path = course / "submitted" / f"{number:03}_{locale}" / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(text[:5000] if number % EACH_CUT == 28 else text, encoding="utf-8")
    path.with_name("timestamp.txt").write_text(EARLY if number % EACH_LATE else LATE)


def make_class(course: Path, pairs: int) -> None:
    make_course(course, LESSON, students=0)
    shutil.copytree(ROOT / "translations", course / "translations")
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        book.update_or_create_assignment(LESSON, duedate=datetime.fromisoformat(DUE))
    for number in range(pairs):
        for locale in LOCALES:
            hand_in(course, number, locale)


def grade(course: Path, *options: str) -> None:
    command = ["-m", "course_lib", "grade", LESSON, *options]
    print(f"$ course grade {' '.join([LESSON, *options])}")
    seconds, shown = run(course, *command, cores=CORES, codes=(0, 1))
    print(f"{shown}({seconds:.0f} s)\n", flush=True)


def differing(course: Path) -> Counter[str]:
    """In how many pairs each field differs."""
    found = {one.student: one for one in results(Course(course, LESSON))}
    fields = ("points", "max_points", "penalty", "mistakes", "unnamed", "statuses", "parts", "notes")
    counts = Counter(dict.fromkeys(fields, 0))
    for student, one in found.items():
        number, _, locale = student.partition("_")
        for field in fields if locale != "en" else ():
            counts[field] += getattr(one, field) != getattr(found[f"{number}_en"], field)
    return counts


def gradebook(course: Path) -> None:
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        submissions = book.db.query(SubmittedAssignment).all()
        for locale in LOCALES:
            those = [one for one in submissions if one.student.id.endswith(locale)]
            late = sum(one.total_seconds_late > 0 for one in those)
            score = sum(one.score for one in those)
            by_hand = sum(one.needs_manual_grade for one in those)
            print(f"gradebook, {locale}: {len(those)} submissions, {late} late, {score:g} points, ", end="")
            print(f"{by_hand} to grade by hand")


def told(course: Path, where: str, suffix: str) -> None:
    """How many checklists of graded notebooks or pages begin in Chinese, and how many in English."""
    counts = Counter()
    for path in sorted(course.glob(f"{where}/*/*/{LESSON}.{suffix}")):
        text = path.read_text(encoding="utf-8")
        for exercise in EXERCISES:
            for colon in re.findall(rf"[✗✓○] {exercise}(：|: )", text):
                counts[path.parts[-3].partition("_")[2], "Chinese" if colon == "：" else "English"] += 1
    for (locale, spoken), count in sorted(counts.items()):
        print(f"{where}, {locale}: {count} checklists in {spoken}")


def main() -> None:
    options = options_of_a_class(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        course = Path(options.keep or folder, "course")
        pairs = options.students // len(LOCALES)
        make_class(course, pairs)
        grade(course, "--csv", "all.csv", "--report", "report")
        some = [f"{number:03}_{locale}" for number in range(min(FEEDBACK, pairs)) for locale in LOCALES]
        grade(course, "--feedback", "--student", *some)
        print("pairs that differ in", dict(differing(course)))
        gradebook(course)
        told(course, "autograded", "ipynb")
        told(course, "feedback", "html")


if __name__ == "__main__":
    main()
