"""Each lesson has a page for the instructor, which agrees with the lesson."""

import re

import pytest

from course_lib import exercises
from course_lib.authoring.build import ROOT, lessons

PAGES = ROOT / "docs" / "teaching"
HEADINGS = (
    "Goals",
    "90 minutes",
    "50 minutes",
    "Two questions to put to the room",
    "What usually goes wrong",
    "The written question: three answers and their points",
    "For an exam",
)
NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
ANSWER = re.compile(r"^\*\*([\d.]+) of (\d) points\*\*: (.+?)\. \"", re.MULTILINE)
LESSONS = pytest.mark.parametrize("lesson", lessons(), ids=lambda path: path.stem)


def page(lesson):
    return (PAGES / f"{lesson.stem}.md").read_text(encoding="utf-8")


def parts(lesson):
    """The text below each heading."""
    _, *found = re.split(r"^## (.+)\n\n", page(lesson), flags=re.MULTILINE)
    return dict(zip(found[::2], found[1::2], strict=True))


def rows(table):
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in re.findall(r"^\|.+", table, re.M)][2:]


def checks(lesson):
    """The points of each exercise."""
    source = lesson.read_text(encoding="utf-8")
    return {name: int(points) for name, points in re.findall(r'check="(\w+)" points=(\d+)', source)}


def test_each_page_is_of_a_lesson_and_the_syllabus_links_it():
    names = {path.stem for path in lessons()}
    assert {path.stem for path in PAGES.glob("*.md")} - {"README"} == names
    linked = re.findall(r"\]\((\w+)\.md\)", (PAGES / "README.md").read_text(encoding="utf-8"))
    assert sorted(linked) == sorted(names)


@LESSONS
def test_a_page_has_the_seven_parts_and_fits_on_two_sheets(lesson):
    text = page(lesson)
    assert tuple(re.findall(r"^## (.+)", text, re.M)) == HEADINGS
    assert text.startswith(f"# Teaching {lesson.stem[:2]}: ")
    assert text.count("\n") <= 120


@LESSONS
def test_a_page_begins_with_the_size_of_its_lesson(lesson):
    first = " ".join(page(lesson).split("\n\n")[1].split())
    source = lesson.read_text(encoding="utf-8")
    (minutes,) = re.findall(r"\*\*Time:\*\*\s+(?:# )?(\d+)\s+(?:# )?minutes", source)
    (written,) = re.findall(r"points=(\d) question=", source)
    size = f"{minutes} minutes, {NUMBERS[len(checks(lesson))]} exercises"
    assert f"{size}, {sum(checks(lesson).values())} points and {written} for the written question" in first


@LESSONS
def test_the_minutes_of_both_plans_add_up(lesson):
    found = parts(lesson)
    assert sum(int(minutes) for minutes, *_ in rows(found["90 minutes"])) == 90
    assert sum(map(int, re.findall(r"\((\d+)\)", found["50 minutes"]))) == 50


@LESSONS
def test_the_sections_and_exercises_that_a_page_names_exist(lesson):
    text = " ".join(page(lesson).split())
    sections = re.findall(r"\b[Ss]ections? (\d+)(?:(?:,| and| to) (\d+))*", text)
    headings = set(re.findall(r"^# ## (\d+)\.", lesson.read_text(encoding="utf-8"), re.M))
    assert sections
    assert {number for pair in sections for number in pair if number} <= headings
    listed = re.findall(r"\b[Ee]xercises? ((?:\d+(?:, | and | to )?)+)", text)
    numbers = {int(number) for some in listed for number in re.findall(r"\d+", some)}
    assert numbers <= set(range(1, len(checks(lesson)) + 1))
    assert numbers


@LESSONS
def test_mistakes_are_of_exercises_of_the_lesson_that_have_mistakes(lesson):
    graded = exercises.load(lesson.stem).graded
    table = rows(parts(lesson)["What usually goes wrong"])
    assert len(table) >= 5
    for exercise, *cells in table:
        assert graded[exercise.strip("`")].mistakes
        assert all(cells)


@LESSONS
def test_the_points_of_the_three_answers_add_up(lesson):
    source = lesson.read_text(encoding="utf-8")
    (worth,) = re.findall(r"points=(\d) question=", source)
    letters = re.findall(r"^# \((\w)\) \*\*A full answer names\*\*", source, re.M)
    answers = ANSWER.findall(parts(lesson)[HEADINGS[5]])
    totals = [float(total) for total, *_ in answers]
    assert len(answers) == 3
    assert totals == sorted(totals, reverse=True)
    assert totals[0] == float(worth)
    for total, of, marks in answers:
        given = dict(re.findall(r"\((\w)\) ([\d.]+)", marks))
        assert list(given) == letters
        assert set(given.values()) <= {"0", "0.5", "1"}
        assert (sum(map(float, given.values())), of) == (float(total), worth)


@LESSONS
def test_a_page_has_two_questions_and_a_solved_exam_question(lesson):
    found = parts(lesson)
    assert re.findall(r"^\*\*(\d)\. \"", found[HEADINGS[3]], re.M) == ["1", "2"]
    task, solution = found["For an exam"].split("\n\n")
    assert solution.startswith("**Solution.** ")
    asked, solved = (re.findall(r"\(([a-h])\)\s", text) for text in (task, solution))
    assert asked
    assert sorted(set(asked)) == list("abcdefgh"[: len(set(asked))])
    assert set(solved) == set(asked)
