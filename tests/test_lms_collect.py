"""`course collect`: what counts, whose it is, and that nothing is lost, guessed or written over."""

import json
import os
import shutil
import time
import zipfile

import nbformat
import pytest
from grading_paper import FULL, LESSON, answered, copy_of, make_course, set_due

from course_lib.authoring.build import ROOT
from course_lib.command import main
from course_lib.grading.nbgrader.course import Course

FIXTURES = ROOT / "tests" / "lms"
RIGHT = nbformat.writes(answered(FULL))
BETTER = nbformat.writes(answered(FULL, essay="because"))
OTHER = (ROOT / "notebooks/03_multi_head/03_multi_head.ipynb").read_text(encoding="utf-8")
UNRELATED = nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")]))


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    course = make_course(tmp_path_factory.mktemp("empty"), {})
    shutil.copytree(ROOT / "solutions/03_multi_head", course.root / "solutions/03_multi_head")
    return course


@pytest.fixture
def course(empty, tmp_path, monkeypatch):
    own = copy_of(empty, tmp_path / "course")
    monkeypatch.chdir(own.root)
    return own


@pytest.fixture
def collect(course, tmp_path, capsys):
    """The exit code and what is printed, for files by their names in a zip."""

    def run(files, list=None):
        path = tmp_path / "download.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        given = ["--list", str(FIXTURES / list)] if list else []
        code = main(["collect", LESSON, str(path), *given])
        shown, errors = capsys.readouterr()
        assert not errors
        return code, shown

    return run


def there(course):
    return {
        one.student: (one.path.read_text(encoding="utf-8"), course.timestamp(one.folder))
        for one in course.submissions()
    }


def test_canvas_the_newest_counts_and_late_is_kept(course, collect):
    set_due(course, "2026-03-01 12:00:00")
    files = {
        f"lovelaceada_1001_71_{LESSON}.ipynb": RIGHT,
        f"lovelaceada_1001_72_{LESSON}-2.ipynb": BETTER,
        f"müllerzoë_LATE_1002_73_Copy_of_{LESSON}(1).ipynb": RIGHT,
    }
    code, shown = collect(files, "canvas.csv")
    got = there(course)
    assert got.keys() == {"1001", "1002"} and got["1001"] == (BETTER, None)
    assert str(got["1002"][1]) == "2026-03-01 12:00:01"
    assert "late: müllerzoë_LATE_1002" in shown and "older: lovelaceada_1001_71" in shown
    assert code == 0 and "2 taken, 0 unchanged, 1 older, 0 not taken; 3 of 5 students" in shown


def test_a_second_run_changes_nothing(course, collect):
    files = {f"a_1001_71_{LESSON}.ipynb": RIGHT, f"b_LATE_1002_72_{LESSON}.ipynb": RIGHT, "x.pdf": ""}
    first = collect(files, "canvas.csv")
    before = {path: path.stat().st_mtime_ns for path in course.root.glob("submitted/*/*/*")}
    second = collect(files, "canvas.csv")
    assert {path: path.stat().st_mtime_ns for path in course.root.glob("submitted/*/*/*")} == before
    assert len(before) == 2 and first[0] == second[0] == 1 and "0 taken, 2 unchanged" in second[1]


def test_an_older_download_replaces_nothing_and_a_newer_one_does(course, collect):
    collect({f"a_LATE_1001_71_{LESSON}.ipynb": RIGHT}, "canvas.csv")
    assert collect({f"a_1001_90_{LESSON}.ipynb": BETTER})[0] == 0
    assert there(course)["1001"] == (BETTER, None)
    code, shown = collect({f"a_1001_71_{LESSON}.ipynb": RIGHT})
    assert code == 1 and "holds a newer one, a_1001_90_" in shown and there(course)["1001"][0] == BETTER


def test_late_reaches_nbgrader_once_it_has_a_due_date(course, collect):
    files = {f"a_LATE_1001_71_{LESSON}.ipynb": RIGHT}
    shown = collect(files, "canvas.csv")[1]
    assert "counts as in time, for nbgrader has no due date" in shown and there(course)["1001"][1] is None
    set_due(course, "2026-03-01 12:00:00")
    collect(files)
    assert str(there(course)["1001"][1]) == "2026-03-01 12:00:01"


def test_what_came_another_way_is_not_written_over(course, collect):
    folder = course.folder("submitted", "1001")
    folder.mkdir(parents=True)
    (folder / f"{LESSON}.ipynb").write_text(BETTER, encoding="utf-8")
    (folder / "timestamp.txt").write_text("2026-01-01 00:00:00 UTC")
    code, shown = collect({f"a_1001_71_{LESSON}.ipynb": RIGHT}, "canvas.csv")
    assert code == 1 and "came in another way" in shown
    assert collect({f"a_1001_71_{LESSON}.ipynb": BETTER})[0] == 0
    assert there(course)["1001"][0] == BETTER and there(course)["1001"][1] is not None


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        (f"a_1001_71_{LESSON}.ipynb", OTHER, "a notebook of 03_multi_head, not of 02_attention"),
        (f"a_1001_71_{LESSON}.ipynb", UNRELATED, "not the notebook of 02_attention"),
        (f"a_1001_71_{LESSON}.ipynb", RIGHT[:5000], "not a notebook, or cut off"),
        (f"a_1001_71_{LESSON}.ipynb", "", "not a notebook"),
        ("a_1001_71_essay.pdf", "", "not a notebook, and no notebook of this student is there"),
        (f"a_7_71_{LESSON}.ipynb", RIGHT, "no student '7' in the list"),
        (f"anon_Ab3_71_{LESSON}.ipynb", RIGHT, "an anonymous download"),
        (f"../a_1001_71_{LESSON}.ipynb", RIGHT, "leads out"),
        (f"{LESSON}.ipynb", RIGHT, "its name does not say whose it is"),
        (f"Bo Kim/{LESSON}.ipynb", RIGHT, "'Bo Kim' may be 1004 or 1005"),
    ],
    ids=range(10),  # new notebooks have ids at random: their text can be no name
)
def test_what_is_not_taken_is_told_by_its_name_and_the_others_are(name, data, told, course, collect):
    code, shown = collect({name: data, f"b_1002_72_{LESSON}.ipynb": RIGHT}, "canvas.csv")
    (line,) = [line for line in shown.splitlines() if line.startswith("not taken: ")]
    assert line.startswith(f"not taken: {name}: ") and told in line
    assert code == 1 and there(course).keys() == {"1002"}


def test_the_lesson_is_known_by_what_is_in_it_and_not_by_a_files_name(course, collect):
    files = {"a_1001_71_homework.ipynb": RIGHT, "a_1001_72_my_02_attention.ipynb": OTHER}
    code, shown = collect(files, "canvas.csv")
    assert there(course)["1001"][0] == RIGHT and code == 1 and "not taken: a_1001_72" in shown


def test_without_its_metadata_a_lesson_is_known_too(course, collect):
    notebook = answered(FULL)
    for cell in notebook.cells:
        cell.metadata = {}
    assert collect({f"a_1001_71_{LESSON}.ipynb": nbformat.writes(notebook)}, "canvas.csv")[0] == 0


def test_nothing_older_stands_in_for_a_broken_newest(course, collect):
    files = {f"a_1001_71_{LESSON}.ipynb": RIGHT, f"a_1001_72_{LESSON}-2.ipynb": RIGHT[:5000]}
    code, shown = collect(files, "canvas.csv")
    assert code == 1 and not there(course) and "older: a_1001_71" in shown and "not taken: a_1001_72" in shown


def of_moodle(number, name, file=f"{LESSON}.ipynb"):
    return f"{name}_{number}_assignsubmission_file/{file}"


def test_moodle_with_the_worksheet_which_tells_two_of_one_name_apart(course, collect, monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Paris")
    time.tzset()
    files = {
        of_moodle(3301, "Ada Lovelace"): RIGHT,
        of_moodle(3302, "Séan ONeil", f"{LESSON} (1).ipynb"): RIGHT,
        of_moodle(3304, "Bo Kim"): BETTER,
    }
    code, shown = collect(files, "moodle.csv")
    monkeypatch.undo()
    time.tzset()
    got = Course(course.root, LESSON)
    assert code == 0, shown
    assert there(got).keys() == {"ada@example.org", "sean@example.org", "bo2@example.org"}
    assert str(there(got)["ada@example.org"][1]) == "2026-03-06 21:31:00"


def test_a_time_stays_where_a_later_run_is_not_told_it(course, collect, tmp_path):
    files = {of_moodle(3301, "Ada Lovelace"): RIGHT}
    collect(files, "moodle.csv")
    late = there(course)["ada@example.org"][1]
    assert late and "0 taken, 1 unchanged" in collect(files)[1]
    worksheet = (FIXTURES / "moodle.csv").read_text(encoding="utf-8")
    (tmp_path / "list.csv").write_text(worksheet.replace("6 March", "6. März"), encoding="utf-8")
    shown = collect(files, tmp_path / "list.csv")[1]
    assert "expected a date in English, found 'Friday, 6. März 2026" in shown
    assert there(course)["ada@example.org"][1] == late
    newer = zipfile.ZipInfo(of_moodle(3301, "Ada Lovelace"), (2099, 1, 1, 0, 0, 0))
    collect({newer: BETTER}, "participants.csv")
    assert there(course)["ada@example.org"] == (BETTER, None), "that was the time of another notebook"


def test_moodle_with_the_participants_alone_does_not_guess_between_two(course, collect):
    files = {of_moodle(3302, "Séan O'Neil"): RIGHT, of_moodle(3304, "Bo Kim"): BETTER}
    code, shown = collect(files, "participants.csv")
    assert code == 1 and there(course).keys() == {"sean@example.org"}
    assert "'Bo Kim' may be bo2@example.org or bo@example.org; the grading worksheet tells: --list" in shown


def test_an_anonymous_worksheet_names_nobody(course, tmp_path, collect):
    collect({}, "moodle.csv")
    (tmp_path / "list.csv").write_text("Identifier,Status,Grade\nParticipant 3301,Submitted,\n")
    code, shown = collect({of_moodle(3301, "Participant"): RIGHT}, tmp_path / "list.csv")
    assert code == 1 and "end anonymous marking" in shown and not there(course)


def test_two_notebooks_in_one_submission_of_moodle_need_a_person(course, collect):
    names = [of_moodle(3301, "Ada Lovelace", name) for name in (f"{LESSON}.ipynb", f"{LESSON} (1).ipynb")]
    code, shown = collect(dict(zip(names, (RIGHT, BETTER), strict=True)), "moodle.csv")
    assert code == 1 and not there(course) and shown.count("call the right one ada@example.org.ipynb") == 2
    assert collect(dict.fromkeys(names, RIGHT))[0] == 0
    assert there(course).keys() == {"ada@example.org"}


def test_a_plain_folder_the_newest_counts(course, tmp_path, capsys):
    for name, data, when in (("ada", RIGHT, 1000), ("ada (1)", BETTER, 2000), ("bo", RIGHT, 1000)):
        path = tmp_path / "folder" / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True)
        path.write_text(data, encoding="utf-8")
        os.utime(path, (when, when))
    arguments = ["collect", LESSON, str(tmp_path / "folder")]
    assert main(arguments) == 1  # "ada (1)" may be somebody's name
    assert "ada (1) or ada? A list of students tells" in capsys.readouterr().out
    shutil.rmtree(course.root / "submitted")
    (tmp_path / "list.csv").write_text("First name,Last name,Username\nA,Lovelace,ada\nB,Kim,bo\n")
    assert main([*arguments, "--list", str(tmp_path / "list.csv")]) == 0
    assert there(course) == {"ada": (BETTER, None), "bo": (RIGHT, None)}


def test_a_list_of_canvas_in_the_gradebook(course, collect):
    collect({}, "canvas.csv")
    with course.open_gradebook() as gradebook:
        got = {one.id: (one.first_name, one.last_name, one.email) for one in gradebook.students}
    assert got.keys() == {"1001", "1002", "1003", "1004", "1005"}
    assert got["1001"] == ("Ada", "Lovelace", "ada@example.org") and got["1002"][2] is None
    assert "list of students: 0 new" in collect({}, "canvas.csv")[1]


def test_a_worksheet_does_not_undo_what_the_participants_have(course, collect):
    collect({}, "participants.csv")
    collect({}, "moodle.csv")
    with course.open_gradebook() as gradebook:
        ada = gradebook.find_student("ada@example.org")
        assert (ada.first_name, ada.last_name) == ("Ada", "Lovelace") and len(gradebook.students) == 4


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"a,b\n1,2\n", "has the columns a, b; expected Canvas's gradebook"),
        ("Identität,Name\n".encode("latin-1"), "no CSV in UTF-8"),
        (b"", "no heads"),
    ],
)
def test_what_is_no_list_stops_before_anything_is_written(text, told, course, tmp_path, capsys):
    (tmp_path / "list.csv").write_bytes(text)
    assert main(["collect", LESSON, str(tmp_path), "--list", str(tmp_path / "list.csv")]) == 2
    assert told in capsys.readouterr().err and not (course.root / "submitted").exists()


def test_the_record_of_a_killed_run_is_made_up_for(course, collect):
    files = {f"a_1001_71_{LESSON}.ipynb": RIGHT}
    collect(files, "canvas.csv")
    record = course.root / "submitted/.collected" / f"{LESSON}.json"
    record.unlink()
    collect(files)
    assert json.loads(record.read_text())["1001"]["rank"] == 71
