"""`course grade --lms`: the file that a system imports has nbgrader's points; nothing else changes."""

import csv
import io
import shutil
import zipfile

import pytest
from grading_paper import FULL, LESSON, PAPER, answered, copy_of, hand_in, make_course, set_due

from course_lib.authoring.build import ROOT
from course_lib.command import main
from course_lib.grading import grade
from course_lib.grading.lms.roster import save_list
from course_lib.grading.lms.table import Table, read_table, write_table

pytestmark = pytest.mark.xdist_group("paper")
FIXTURES = ROOT / "tests" / "lms"
ESSAY = "mask_keys_not_queries"
IN_CANVAS = {"1001": FULL, "1002": FULL | {"causal_mask": 1.5}, "1003": FULL, "1004": FULL, "9": FULL}
IN_MOODLE = {"ada@example.org": FULL, "sean@example.org": {}, "bo2@example.org": {"causal_mask": 3}}


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("empty"), {})


@pytest.fixture
def course(empty, tmp_path, monkeypatch):
    monkeypatch.setattr(grade, "STOCK", PAPER)
    own = copy_of(empty, tmp_path / "course")
    with (own.root / "nbgrader_config.py").open("a") as file:
        file.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    monkeypatch.chdir(own.root)
    return own


def run(name, *more):
    return main(["grade", LESSON, "--stock", "--workers", "1", "--lms", str(FIXTURES / name), *more])


def cells(path):
    return list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


def changed(name, written):
    """{(first two cells of the row, head): new text} of what differs from the export."""
    old, new = cells(FIXTURES / name), cells(written)
    assert len(old) == len(new) and [*map(len, old)] == [*map(len, new)]
    return {
        (tuple(row[:2]), old[0][place]): cell
        for before, row in zip(old, new, strict=True)
        for place, (was, cell) in enumerate(zip(before, row, strict=True))
        if was != cell
    }


@pytest.fixture
def canvas(course):
    for student, points in IN_CANVAS.items():
        hand_in(course, student, answered(points))
    save_list(course, read_table(FIXTURES / "canvas.csv"))
    return course


def test_canvas_one_column_of_its_own_export_is_filled(canvas, capsys):
    hand_in(canvas, "1005", answered(FULL, essay="because"), "2026-03-02 00:00:00 UTC")
    set_due(canvas, "2026-03-01 00:00:00")
    assert run("canvas.csv") == 1
    head = f"{LESSON} (881)"
    assert changed("canvas.csv", canvas.root / f"{LESSON}_canvas.csv") == {
        (("Lovelace, Ada", "1001"), head): "29",
        (("Müller, Zoë", "1002"), head): "27.5",
        (("Kim, Bo", "1005"), head): "0",  # late, and was 3
    }
    shown = capsys.readouterr().out
    assert "3 of 6 have their points in 02_attention_canvas.csv" in shown
    assert (
        'not in it: 1003 (=HYPERLINK("x")): N/A in Canvas, which stays' in shown
        and "not in it: 1004 (Bo Kim): EX" in shown
    )
    assert "not in it: 9: no row in " in shown
    assert "1 with written answers to grade by hand, 0 points so far: 1005 (Bo Kim)" in shown


def test_written_answers_count_once_they_are_graded(course):
    hand_in(course, "1001", answered(FULL, essay="because"))
    assert run("canvas.csv") == 0
    with course.open_gradebook() as gradebook:
        own = gradebook.find_grade(ESSAY, LESSON, LESSON, "1001")
        own.manual_score, own.needs_manual_grade = 2.25, False
        gradebook.db.commit()
    assert run("canvas.csv") == 0
    assert [*changed("canvas.csv", course.root / f"{LESSON}_canvas.csv").values()] == ["31.25"]


def test_moodle_the_worksheet_and_its_feedback(course, capsys):
    for student, points in IN_MOODLE.items():
        hand_in(course, student, answered(points))
    assert run("moodle.csv", "--feedback") == 0
    written = course.root / f"{LESSON}_moodle.csv"
    assert written.read_bytes().startswith(b"\xef\xbb\xbfIdentifier,")
    assert changed("moodle.csv", written) == {
        (("Participant 3301", "Ada Lovelace"), "Grade"): "29",
        (("Participant 3302", "Séan O'Neil"), "Grade"): "0",
        (("Participant 3304", "Bo Kim"), "Grade"): "3",
    }
    with zipfile.ZipFile(course.root / f"{LESSON}_moodle_feedback.zip") as archive:
        assert archive.namelist() == [
            f"Ada Lovelace_3301_assignsubmission_file/{LESSON}.html",
            f"Séan ONeil_3302_assignsubmission_file/{LESSON}.html",
            f"Bo Kim_3304_assignsubmission_file/{LESSON}.html",
        ]
        assert b"29.0" in archive.read(archive.namelist()[0])


def test_the_zip_has_pages_with_the_points_of_the_worksheet_alone(course, capsys):
    for student in ("ada@example.org", "sean@example.org", "bo2@example.org"):
        hand_in(course, student, answered(FULL, essay="because"))
    assert run("moodle.csv", "--feedback") == 0
    with course.open_gradebook() as gradebook:
        own = gradebook.find_grade(ESSAY, LESSON, LESSON, "ada@example.org")
        own.manual_score, own.needs_manual_grade = 2.25, False
        gradebook.db.commit()
    hand_in(course, "bo2@example.org", b"{")
    assert run("moodle.csv", "--feedback", "--student", "sean@example.org", "bo2@example.org") == 1
    assert "no page in it for 1 with points: bo2@example.org" in capsys.readouterr().out
    with zipfile.ZipFile(course.root / f"{LESSON}_moodle_feedback.zip") as archive:
        names = archive.namelist()
        assert [name.partition("_")[0] for name in names] == ["Ada Lovelace", "Séan ONeil"]
        assert b"31.25" in archive.read(names[0])


@pytest.mark.parametrize(
    ("old", "new", "options", "told"),
    [
        ("32.00", "100.00", (), "has 100.00 points in"),
        (LESSON, "Attention", (), "has 0 assignments called 02_attention"),
        (
            f"{LESSON} (881),Essay",
            "02 attention A (881),02_Attention B",
            (),
            "has 2 assignments called 02_attention",
        ),
        (
            "Essay",
            "Essay",
            ("--column", "Home"),
            "there are 01 Embedding (880), 02_attention (881), Essay (882)",
        ),
        ("ID,SIS", "Id,SIS", ("--column", "Essay"), "Essay (882) has 10.00 points"),
    ],
)
def test_a_file_that_does_not_fit_stops_before_anything_is_graded(old, new, options, told, course, capsys):
    hand_in(course, "1001", answered(FULL))
    path = course.root / "export.csv"
    path.write_text((FIXTURES / "canvas.csv").read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert main(["grade", LESSON, "--stock", "--lms", str(path), *options]) == 2
    assert told in capsys.readouterr().err and not (course.root / f"{LESSON}_canvas.csv").exists()
    assert not course.autograded("1001").exists()


def test_the_export_itself_is_not_written_over(course, capsys):
    export = course.root / f"{LESSON}_canvas.csv"
    shutil.copy(FIXTURES / "canvas.csv", export)
    hand_in(course, "1001", answered(FULL))
    assert run(export) == 2 and "give the export another name" in capsys.readouterr().err
    shutil.copy(FIXTURES / "moodle.csv", export)
    assert run("canvas.csv") == 2
    assert "expected a Canvas gradebook, found Moodle grading worksheet" in capsys.readouterr().err


def test_two_rows_of_one_student_are_told_and_left(canvas, capsys):
    path = canvas.root / "export.csv"
    lines = (FIXTURES / "canvas.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    lines.append(next(line for line in lines if ",1001," in line))
    path.write_text("".join(lines), encoding="utf-8")
    run(path)
    assert (
        f"1001 (Ada Lovelace): 2 rows of {path} are this student's, so they stay" in capsys.readouterr().out
    )
    old, new = cells(path), cells(canvas.root / f"{LESSON}_canvas.csv")
    assert [row[:2] for row, other in zip(new, old, strict=True) if row != other] == [["Müller, Zoë", "1002"]]


def test_long_cells_and_lone_ends_of_lines_stay(tmp_path):
    rows = [["1", "x" * 140_000], ["2", "a\rb"]]
    write_table(Table(tmp_path / "a.csv", ["ID", "Text"], rows), tmp_path / "a.csv")
    assert read_table(tmp_path / "a.csv").rows == rows


def test_a_column_may_be_named(canvas):
    path = canvas.root / "export.csv"
    shutil.copy(FIXTURES / "canvas.csv", path)
    path.write_text(path.read_text(encoding="utf-8").replace(LESSON, "Second homework"), encoding="utf-8")
    arguments = ["grade", LESSON, "--stock", "--workers", "1", "--lms", str(path)]
    assert main([*arguments, "--column", "second homework"]) == 1
    assert cells(canvas.root / f"{LESSON}_canvas.csv")[2][6] == "29"


def test_participants_have_no_grades(course, capsys):
    assert run("participants.csv") == 2
    assert "has no grades: give Canvas's gradebook or" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        'Student,ID,Section\r\n"=1+1",2,\r\n',
        '\ufeffStudent;ID;Section\n"@a";"-b";+c\n\n;;\n',
        'A,B\n"two\nlines","a ""word"""\n',
    ],
)
def test_a_table_is_written_as_it_was_read(text, tmp_path):
    (tmp_path / "a.csv").write_bytes(text.encode())
    table = read_table(tmp_path / "a.csv")
    write_table(table, tmp_path / "b.csv")
    again = read_table(tmp_path / "b.csv")
    assert (again.first, again.rows, again.newline, again.bom) == (
        table.first,
        table.rows,
        table.newline,
        table.bom,
    )
    assert (tmp_path / "b.csv").read_text(encoding="utf-8").replace('"', "") == (
        text.replace("\r\n", "\n").replace('"', "")
    )
