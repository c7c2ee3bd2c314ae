"""Stock `nbgrader zip_collect` with the plugins of nbgrader_config.py: the same as `course collect`."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

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
OLD, NEW = (2026, 2, 1, 8, 0, 0), (2026, 2, 3, 8, 0, 0)
CANVAS = {
    f"lovelaceada_1001_71_{LESSON}.ipynb": RIGHT,
    f"lovelaceada_1001_72_{LESSON}-2.ipynb": BETTER,
    f"müllerzoë_LATE_1002_73_Copy_of_{LESSON}(1).ipynb": RIGHT,
    f"kimbo_1004_74_{LESSON}.ipynb": OTHER,
    "kimbo_1005_75_answers.pdf": "%PDF",
    f"nobody_7_76_{LESSON}.ipynb": RIGHT,
    f"a_1003_77_{LESSON}.ipynb": RIGHT[:5000],
    "a\x1b[2J.ipynb": RIGHT,
    f"../a_1001_99_{LESSON}.ipynb": RIGHT,
}
MOODLE = {
    f"Ada Lovelace_3301_assignsubmission_file/{LESSON}.ipynb": RIGHT,
    f"Séan ONeil_3302_assignsubmission_file/{LESSON} (1).ipynb": BETTER,
    f"Bo Kim_3303_assignsubmission_file/{LESSON}.ipynb": OTHER,
    f"Bo Kim_3304_assignsubmission_file/{LESSON}.ipynb": RIGHT,
}
PLAIN = {
    f"class/ada@example.org/{LESSON}.ipynb": RIGHT,
    f"class/ada@example.org/{LESSON} (1).ipynb": BETTER,
    f"class/Séan O'Neil/Copy_of_{LESSON}.ipynb": RIGHT,
    f"class/nobody/{LESSON}.ipynb": RIGHT,
}


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    course = make_course(tmp_path_factory.mktemp("empty"), {})
    (course.root / "solutions/03_multi_head").mkdir()
    original = "solutions/03_multi_head/03_multi_head.ipynb"
    (course.root / original).write_bytes((ROOT / original).read_bytes())
    set_due(course, "2026-03-01 12:00:00")
    return course


def packed(path: Path, files: dict[str, str]) -> Path:
    """In a zip, where what is no copy is older."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, NEW if "(1)" in name else OLD), data)
    return path


def zip_collect(course: Course, *options: str) -> tuple[int, str]:
    """The exit code and the log of the stock command."""
    line = [sys.executable, "-m", "nbgrader", "zip_collect", LESSON, *options]
    ended = subprocess.run(line, cwd=course.root, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stderr


def there(course: Course) -> dict:
    """What grading finds: of each student the notebook, its time, and all names beside it."""
    return {
        one.student: (
            one.path.read_text("utf-8"),
            course.timestamp(one.folder),
            sorted(os.listdir(one.folder)),
        )
        for one in course.submissions()
    }


def both_ways(empty, tmp_path, monkeypatch, capsys, files, list_of, as_folder=False):
    """By `course collect` and by the stock command: what is there, and the lines of what is not taken."""
    own, stock = (copy_of(empty, tmp_path / name) for name in ("own", "stock"))
    archive = stock.root / "downloaded" / LESSON / "archive"
    archive.mkdir(parents=True)
    source = packed(archive / "submissions.zip", files)
    if as_folder:
        with zipfile.ZipFile(source) as zipped:
            zipped.extractall(archive)
        source.unlink()
        for path in archive.rglob("*.ipynb"):
            os.utime(path, (2000 if "(1)" in path.name else 1000,) * 2)
        source = archive
    monkeypatch.chdir(own.root)
    main(["collect", LESSON, str(source), "--list", str(FIXTURES / list_of)])
    shown = capsys.readouterr().out
    code, log = zip_collect(stock, f"--LmsCollector.students={FIXTURES / list_of}")
    assert code == 0, log
    told = [line for line in shown.splitlines() if line.startswith(("not taken: ", "older: ", "late: "))]
    return (there(own), told), (there(stock), log)


@pytest.mark.parametrize(
    ("files", "list_of", "students"),
    [
        (CANVAS, "canvas.csv", {"1001", "1002"}),
        (MOODLE, "moodle.csv", {"ada@example.org", "sean@example.org", "bo2@example.org"}),
        (PLAIN, "participants.csv", {"ada@example.org", "sean@example.org"}),
    ],
    ids=["canvas", "moodle", "plain"],
)
def test_the_same_students_files_times_and_reasons(
    files, list_of, students, empty, tmp_path, monkeypatch, capsys
):
    (own, told), (stock, log) = both_ways(empty, tmp_path, monkeypatch, capsys, files, list_of)
    assert own.keys() == students and stock == own
    assert told and all(line in log for line in told)
    assert "\x1b[2J" not in log


def test_a_folder_of_loose_files(empty, tmp_path, monkeypatch, capsys):
    got = both_ways(empty, tmp_path, monkeypatch, capsys, PLAIN, "participants.csv", as_folder=True)
    (own, told), (stock, log) = got
    assert own["ada@example.org"][0] == BETTER and stock == own
    assert told and all(line in log for line in told)


def test_two_downloads_at_once_and_a_second_run(empty, tmp_path):
    course = copy_of(empty, tmp_path / "course")
    archive = course.root / "downloaded" / LESSON / "archive"
    archive.mkdir(parents=True)
    packed(archive / "first.zip", {f"a_1001_71_{LESSON}.ipynb": RIGHT, f"b_1002_72_{LESSON}.ipynb": RIGHT})
    packed(archive / "second.zip", {f"a_1001_90_{LESSON}.ipynb": BETTER})
    students = f"--LmsCollector.students={FIXTURES / 'canvas.csv'}"
    assert zip_collect(course, students)[0] == 0
    before = there(course)
    assert before["1001"][0] == BETTER and before["1002"][0] == RIGHT
    assert zip_collect(course, "--force")[0] == 0  # the list is in the gradebook by now
    assert there(course) == before


@pytest.mark.parametrize(
    ("list_of", "told"), [("nowhere.csv", "cannot read"), ("canvas.csv", "expected a zip or a folder, but")]
)
def test_what_cannot_be_read_stops_in_a_sentence(list_of, told, empty, tmp_path):
    course = copy_of(empty, tmp_path / "course")
    archive = course.root / "downloaded" / LESSON / "archive"
    archive.mkdir(parents=True)
    path = packed(archive / "submissions.zip", {f"a_1001_71_{LESSON}.ipynb": RIGHT})
    if list_of == "canvas.csv":
        path.write_bytes(b"no zip")
    code, log = zip_collect(course, f"--LmsCollector.students={FIXTURES / list_of}")
    assert code == 1 and told in log and "Traceback" not in log and not there(course)
