"""`course report`: the same mistake is one entry of the catalogue, made again in a later lesson."""

import re
import shutil

import nbformat
import pytest
from grading_paper import make_course

from course_lib import exercises
from course_lib.authoring.build import ROOT
from course_lib.checks.score import MIME
from course_lib.command import main
from course_lib.grading.nbgrader.cell_points import CellPoints
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.nbgrader.gradebook import Entry, Records
from course_lib.grading.repeated import CATALOGUE, catalogue
from course_lib.grading.repeated.kinds import Place, kinds
from course_lib.grading.repeated.page import write_page
from course_lib.grading.results import SubmissionResult
from course_lib.language import HANZI, speaking

FIRST, THEN = "02_attention", "03_multi_head"
EARLY, LATE = Place(FIRST, "scaled_dot_product_attention"), Place(THEN, "MultiHeadAttention")
ENTRY = "A1"  # the softmax over the queries, which both exercises have


def key(place: Place, entry: str = ENTRY) -> str:
    """A mistake of the exercise's own table with this entry of the catalogue."""
    table = exercises.load(place.lesson).exercises[place.exercise].mistakes
    return next(one.key for one in table if one.sources == (entry,))


def handed_in(student: str, place: Place, *made: str) -> SubmissionResult:
    result = SubmissionResult(student, {}, {}, statuses={place.exercise: "wrong" if made else "right"})
    result.mistakes[place.exercise] = list(made)
    return result


def test_who_makes_it_again_who_had_a_chance_and_who_made_it_once():
    wrong, later = key(EARLY), key(LATE)
    graded = {
        THEN: [handed_in("ada", LATE, later), handed_in("bao", LATE), handed_in("dora", LATE, later)],
        FIRST: [
            *(handed_in(name, EARLY, wrong) for name in ("ada", "bao", "chen")),
            handed_in("dora", EARLY),
        ],
    }
    kind = {one.entry: one for one in kinds(graded)}[ENTRY]
    assert kind.made == {"ada": [EARLY, LATE], "bao": [EARLY], "chen": [EARLY], "dora": [LATE]}
    assert kind.again == ["ada"] and kind.chances == {"ada", "bao"}
    assert kind.places == {EARLY: 3, LATE: 2}


def test_twice_in_one_lesson_is_not_again():
    other = Place(FIRST, "additive_attention")
    result = handed_in("ada", EARLY, key(EARLY))
    result.mistakes[other.exercise], result.statuses[other.exercise] = [key(other)], "wrong"
    (kind,) = (one for one in kinds({FIRST: [result], THEN: []}) if one.entry == ENTRY)
    assert kind.made["ada"] == [other, EARLY] and not kind.again and not kind.chances


def test_an_unlisted_mistake_or_one_without_an_entry_is_of_no_kind():
    table = exercises.load(FIRST).exercises[EARLY.exercise].mistakes
    without = next(one.key for one in table if not one.sources)
    assert not kinds({FIRST: [handed_in("ada", EARLY, without, "unlisted", "<forged>")]})


def test_the_page_speaks_the_instructors_language(tmp_path):
    graded = {
        FIRST: [handed_in("ada", EARLY, key(EARLY))],
        THEN: [handed_in("ada", LATE, key(LATE))],
    }
    pages = {}
    for language in ("en", "zh_CN"):
        with speaking(language):
            pages[language] = write_page(tmp_path, graded, kinds(graded), {}).read_text(encoding="utf-8")
    assert "<html lang='en'>" in pages["en"] and not HANZI.search(pages["en"])
    assert "<html lang='zh-CN'>" in pages["zh_CN"]
    shown = re.sub("<(style|code)[^>]*>.*?</\\1>", "", pages["zh_CN"], flags=re.DOTALL)
    assert re.findall(r"[A-Za-z]{3,} [a-z]{2,}", re.sub("<[^>]*>", "|", shown)) == []
    assert "<p>没有。</p>" in shown, "of the table without rows"


def test_those_made_again_come_first_and_texts_are_escaped(tmp_path):
    graded = {
        FIRST: [handed_in("<ada>", EARLY, key(EARLY), key(EARLY, "A7"))],
        THEN: [handed_in("<ada>", LATE, key(LATE))],
    }
    graded[FIRST] += [handed_in(name, EARLY, key(EARLY, "A7")) for name in ("bao", "chen")]
    found = kinds(graded)
    assert [one.entry for one in found] == [ENTRY, "A7"]
    page = write_page(tmp_path, graded, found, {ENTRY: "over <queries>"}).read_text()
    assert "<td>A1: over &lt;queries&gt;</td><td>1</td><td>1</td><td>1</td>" in page
    assert "<td>02 scaled_dot_product_attention: 1, 03 MultiHeadAttention: 1</td><td>&lt;ada&gt;</td>" in page
    assert re.search(r"Not made again, with a chance</h2>.*<td>A7</td><td>3</td><td>1</td><td>0</td>", page)


def test_every_entry_of_every_exercise_has_its_text():
    texts = catalogue(CATALOGUE)
    names = [path.parent.name for path in sorted(ROOT.glob("solutions/*/*.ipynb"))]
    used = {
        entry
        for name in names
        for exercise in exercises.load(name).exercises.values()
        for one in exercise.mistakes
        for entry in one.sources
    }
    assert len(names) > 10 and used and used <= texts.keys()


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Two lessons in one folder, as grading leaves them."""
    root = make_course(tmp_path / "course", {}).root
    shutil.copytree(ROOT / "solutions" / THEN, root / "solutions" / THEN)
    shutil.copy(ROOT / "solutions" / f"{THEN}_hidden.py", root / "solutions")
    Course(root, THEN).bundle()
    monkeypatch.chdir(root)
    return root


def grade(root, place: Place, made: dict[str, str]) -> None:
    course, entries = Course(root, place.lesson), []
    for student, mistake in made.items():
        notebook = nbformat.read(ROOT / "notebooks" / place.lesson / f"{place.lesson}.ipynb", as_version=4)
        (cell,) = (
            one
            for one in notebook.cells
            if one.metadata.get("nbgrader", {}).get("grade_id") == f"check_{place.exercise}"
        )
        cell.outputs = [
            nbformat.v4.new_output("execute_result", {MIME: {"status": "wrong", "mistakes": [mistake]}})
        ]
        for path in (
            course.folder("submitted", student) / f"{place.lesson}.ipynb",
            course.autograded(student),
        ):
            path.parent.mkdir(parents=True)
            nbformat.write(notebook, path)
        entries.append(Entry(student, None, CellPoints({f"check_{place.exercise}": 1.0})))
    with Records(course) as records:
        records.save(entries)


def test_the_command(course, capsys):
    assert main(["report"]) == 2 and "no lesson is graded" in capsys.readouterr().err
    grade(course, EARLY, {"ada": key(EARLY), "bao": key(EARLY)})
    assert main(["report"]) == 2 and f"{FIRST} graded: mistakes can" in capsys.readouterr().err
    grade(course, LATE, {"ada": key(LATE), "bao": key(LATE, "A7")})
    assert main(["report", "--to", "out"]) == 0
    shown = capsys.readouterr().out
    assert "1 of 2 again: A1: The softmax runs over the queries" in shown
    assert "1 mistake made again, over 2 lessons: out/repeated.html" in shown
    assert "<td>ada</td><td>A1 (02 scaled_dot_product_attention, 03 MultiHeadAttention)</td>" in (
        (course / "out/repeated.html").read_text()
    )
    original = course / "solutions" / FIRST / f"{FIRST}.ipynb"
    shutil.copy(original, original.with_name(f"{FIRST}-Copy1.ipynb"))  # as JupyterLab duplicates it
    assert main(["report"]) == 0
    assert main(["report", "--to", "gradebook.db"]) == 2
    assert "cannot write gradebook.db/repeated.html: File exists" in capsys.readouterr().err
    assert main(["report", FIRST, "04_nowhere"]) == 2
    assert "no lesson '04_nowhere'" in capsys.readouterr().err
