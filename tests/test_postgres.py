"""The gradebook on PostgreSQL: everything is as on SQLite, and stock nbgrader reads it."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("psycopg", reason='psycopg is not installed: pip install -e ".[postgres]"')

from grading_paper import (
    FULL,
    LESSON,
    PAPER,
    SCORES,
    answered,
    copy_of,
    hand_in,
    make_course,
    points_of,
    rows,
    set_due,
    stock_autograde,
)
from nbgrader.apps.api import NbGraderAPI
from postgres import server
from test_grading_runner import here

from course_lib.grading.nbgrader.course import Course, CourseError
from course_lib.grading.nbgrader.gradebook import Records
from course_lib.grading.results import results
from course_lib.grading.runner import run

pytestmark = pytest.mark.xdist_group("postgres")
FIND = ("mask_keys_not_queries", LESSON, LESSON, "essay")


@pytest.fixture(scope="module")
def postgres():
    with server() as started:
        yield started


@pytest.fixture(scope="module")
def template(postgres, tmp_path_factory):
    """A course on SQLite, and a database of PostgreSQL that knows the same lesson."""
    course = make_course(tmp_path_factory.mktemp("postgres") / "course")
    url = postgres.new()
    Course(course.root, LESSON, url).bundle()
    return course, url


@pytest.fixture
def pair(postgres, template, tmp_path):
    """The same class twice: its gradebook on PostgreSQL, and on SQLite."""
    course, url = template
    ours = copy_of(course, tmp_path / "postgres")
    (ours.root / "gradebook.db").unlink()
    return Course(ours.root, LESSON, postgres.new(url)), copy_of(course, tmp_path / "sqlite")


def grade(course, *students, **options):
    return run(course, course.bundle(grader=PAPER), students, executor=here, **options)


def test_scores_late_penalties_and_essays(pair):
    for course in pair:
        with (course.root / "nbgrader_config.py").open("a") as file:
            file.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    pair = [Course(course.root, LESSON, course.db_url) for course in pair]
    for course in pair:
        course.bundle()
        set_due(course, "2026-03-01 12:00:00")
        hand_in(course, "late", answered(FULL, essay="0/0"), "2026-03-01 12:00:01 UTC")
        hand_in(course, "cut", b"{")
        summary = grade(course)
        assert sorted(summary.graded) == sorted([*SCORES, "late"]) and list(summary.failures) == ["cut"]
    assert rows(pair[0]) == rows(pair[1])
    assert points_of(pair[0])["bao"] == 27.5
    assert {found.student: found.penalty for found in results(pair[0])}["late"] == 29
    assert not (pair[0].root / "gradebook.db").exists()


def test_resume_and_regrade(pair):
    for course in pair:
        hand_in(course, "essay", answered(FULL, essay="0/0"), "2026-03-01 12:00:01 UTC")
        grade(course)
        with course.open_gradebook() as gradebook:
            gradebook.find_grade(*FIND).manual_score = 2
            gradebook.find_grade(*FIND).needs_manual_grade = False
            gradebook.find_comment(*FIND).manual_comment = "nearly"
            gradebook.db.commit()
        assert grade(course).unchanged == sorted([*SCORES, "essay"])
        hand_in(course, "chen", answered({"padding_mask": 1}))
        assert grade(course).graded == ["chen"]
        grade(course, force=True)
    assert rows(pair[0]) == rows(pair[1])
    assert points_of(pair[0])["essay"] == 31 and points_of(pair[0])["chen"] == 1


def test_stock_autograde_writes_the_same(pair, template, postgres):
    ours, stock = pair[0], Course(pair[1].root, LESSON, postgres.new(template[1]))
    grade(ours)
    stock_autograde(stock)
    assert rows(ours) == rows(stock)


def test_stock_nbgrader_reads_it(pair):
    course = pair[0]
    grade(course)
    found = {one["student"]: one for one in NbGraderAPI(course.directory).get_submissions(LESSON)}
    assert {name: one["score"] for name, one in found.items()} == points_of(course)
    assert found["ada"]["autograded"] and found["ada"]["max_score"] == 32
    command = [sys.executable, "-m", "nbgrader", "export", f"--db={course.db_url}", "--to=grades.csv"]
    subprocess.run(command, cwd=course.root, check=True, env=os.environ | {"NO_COLOR": "1"})
    with Path(course.root, "grades.csv").open() as file:
        exported = {row["student_id"]: float(row["raw_score"]) for row in csv.DictReader(file)}
    assert exported == points_of(course)


def test_a_server_that_restarts_in_mid_run(pair, postgres, monkeypatch):
    course, original, restarts = pair[0], Records._write, []

    def write(records, batch, *anew):
        original(records, batch, *anew)
        if not restarts:
            restarts.append(postgres.stop())
            postgres.start()

    monkeypatch.setattr(Records, "_write", write)
    grade(course)
    assert points_of(course) == {name: sum(points.values()) for name, points in SCORES.items()}


def test_a_server_that_is_not_there_is_told_in_one_sentence(pair):
    url = "postgresql+psycopg://course:secret@/gradebook?host=/nowhere"
    with pytest.raises(
        CourseError, match=r"cannot open the gradebook postgresql.*\*\*\*.*/nowhere"
    ) as caught:
        Course(pair[0].root, LESSON, url).bundle()
    assert "secret" not in str(caught.value)
    with pytest.raises(CourseError, match="cannot open the gradebook nonsense"):
        Course(pair[0].root, LESSON, "nonsense").bundle()
