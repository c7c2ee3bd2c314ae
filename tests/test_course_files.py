"""What an instructor may have broken is told in a sentence with the file, and ends with exit code 2."""

import shutil

import pytest
from grading_paper import FULL, LESSON, PAPER, answered, copy_of, hand_in, make_course, points_of, set_due

from course_lib.command import main
from course_lib.grading import grade
from course_lib.grading.nbgrader.course import Course, CourseError
from course_lib.grading.results import CUT, EARLIER, results

pytestmark = pytest.mark.xdist_group("paper")
SETTINGS, HIDDEN, ORIGINAL = "nbgrader_config.py", f"{LESSON}_hidden.py", f"{LESSON}.ipynb"


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("files") / "course", {"ada": FULL, "bao": {}})


@pytest.fixture
def course(template, tmp_path, monkeypatch):
    own = copy_of(template, tmp_path / "course")
    monkeypatch.chdir(own.root)
    monkeypatch.setattr(grade, "STOCK", PAPER)
    return own


def run(*more):
    return main(["grade", LESSON, "--stock", "--workers", "1", *more])


def add(path, data):
    with path.open("ab") as file:
        file.write(data)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        (
            SETTINGS,
            b"\nc.A.b = (\n",
            r", line \d+: SyntaxError: .*; expected Python that sets",
        ),
        (SETTINGS, b"\nimport nothing_such\n", r", line \d+: ModuleNotFoundError: No module named"),
        (SETTINGS, b"\nx = '\xff'\n", "expected Python that sets"),
        (SETTINGS, b"\nc.CourseDirectory.root = 5\n", "; expected what nbgrader takes for this option"),
        (SETTINGS, b"\nc.Autograde.sanitize_preprocessors = ['no.Such']\n", "; expected what nbgrader takes"),
        (SETTINGS, b"\nc.AssignLatePenalties.plugin_class = 'no.Such'\n", "; expected what nbgrader takes"),
        (HIDDEN, b"# \xe4\n", r"byte \d+ is not UTF-8; expected text in UTF-8"),
        (HIDDEN, b"PARTS = (\n", "SyntaxError: .*; expected Python"),
        (ORIGINAL, b"}", "; expected a whole notebook"),
        (ORIGINAL, None, "; expected a whole notebook"),
    ],
)
def test_a_broken_file_of_the_course_is_told(course, capsys, name, data, told):
    folder = {SETTINGS: "", HIDDEN: "solutions", ORIGINAL: f"solutions/{LESSON}"}[name]
    path = course.root / folder / name
    if data is None:
        path.write_text('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{}]}')
    else:
        add(path, data)
    assert run() == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    with pytest.raises(CourseError, match=told):
        raise CourseError(error)
    assert str(path) in error


@pytest.mark.parametrize("plugin", ["return 'much'", "return 1 / 0"])
def test_a_late_penalty_that_is_no_number_is_told(course, capsys, plugin):
    (course.root / "own_penalty.py").write_text(
        "from nbgrader.plugins import LateSubmissionPlugin\n\n\nclass Own(LateSubmissionPlugin):\n"
        f"    def late_submission_penalty(self, *_):\n        {plugin}\n"
    )
    add(
        course.root / SETTINGS,
        b"\nimport sys\nsys.path.insert(0, c.CourseDirectory.root)\n"
        b"c.AssignLatePenalties.plugin_class = 'own_penalty.Own'\n",
    )
    set_due(course, "2026-03-01 12:00:00")
    hand_in(course, "ada", answered(FULL), "2026-03-01 12:00:01 UTC")
    assert run() == 2
    assert "expected a late penalty that is a number or None" in capsys.readouterr().err


def test_a_cut_notebook_in_autograded_stops_nobody(course, capsys):
    assert run() == 0
    for text in ('{"cells": [{"cell', "[]", ""):
        course.autograded("bao").write_text(text)
        assert run("--student", "ada", "--force", "--csv", "all.csv") == 0
        notes = {one.student: one.notes for one in results(course)}
        assert notes["bao"] == [CUT] and CUT in (course.root / "all.csv").read_text()
    assert main(["similar", LESSON]) == 2  # nobody is left to compare ada with
    told = capsys.readouterr().err
    assert f"not compared: {course.autograded('bao')}" in told and "fewer than two submissions" in told
    assert run() == 0 and CUT not in capsys.readouterr().out
    assert points_of(course) == {"ada": 29, "bao": 0}


def test_a_broken_submission_does_not_hide_that_a_person_has_to_look_again(course, capsys):
    hand_in(course, "ada", answered(FULL, essay="because"))
    assert run() == 0
    with course.open_gradebook() as gradebook:
        own = gradebook.find_grade("mask_keys_not_queries", LESSON, LESSON, "ada")
        own.manual_score, own.needs_manual_grade = 3, False
        gradebook.db.commit()
    hand_in(course, "ada", answered(FULL, essay="because of something else"))
    assert run() == 0 and "look again" in capsys.readouterr().out
    hand_in(course, "ada", b"{")
    assert run() == 1
    told = capsys.readouterr().out
    assert "look again" in told and f"{EARLIER}: not a notebook" in told and f"{EARLIER};" not in told


def test_a_lesson_that_nbgrader_refuses_is_told(template, tmp_path):
    shutil.copytree(template.root, tmp_path, dirs_exist_ok=True)
    (tmp_path / "gradebook.db").unlink()
    path = tmp_path / "solutions" / LESSON / ORIGINAL
    path.write_text(path.read_text().replace('"check_padding_mask"', '"check_causal_mask"'))
    with pytest.raises(CourseError, match="nbgrader's log above says what it refuses in"):
        Course(tmp_path, LESSON).bundle()
