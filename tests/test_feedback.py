"""Feedback pages: one that takes too long costs nobody else theirs."""

import json

import nbformat
import pytest
from grading_paper import FULL, LESSON, answered, hand_in, make_course, stock_autograde
from nbgrader.preprocessors import GetGrades
from sqlalchemy.exc import OperationalError

from course_lib.grading import feedback

pytestmark = pytest.mark.xdist_group("paper")


def test_a_page_that_takes_too_long_is_left_out(tmp_path, monkeypatch):
    course = make_course(tmp_path, {})
    for student in ("ada", "eve"):
        hand_in(course, student, answered(FULL))
    stock_autograde(course)
    path = course.autograded("ada")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_markdown_cell("[" * 300_000))
    nbformat.write(notebook, path)
    monkeypatch.setattr(feedback, "PAGE_SECONDS", 15.0)
    failed = feedback._convert(course.root, LESSON, course.db_url, ["ada", "eve"])
    assert failed == {"ada": "TimeoutError: the page was not ready after 15 seconds of CPU time"}
    pages = {name: course.folder("feedback", name) / f"{LESSON}.html" for name in ("ada", "eve")}
    assert not pages["ada"].exists() and "causal_mask" in pages["eve"].read_text(encoding="utf-8")


def test_pages_of_an_earlier_run_are_not_new(tmp_path, monkeypatch):
    course = make_course(tmp_path, {"ada": FULL, "eve": FULL})
    stock_autograde(course)
    assert feedback._convert(course.root, LESSON, course.db_url, ["ada", "eve"]) == {}

    def locked(*_):
        raise OperationalError("SELECT", {}, Exception("database is locked"))

    monkeypatch.setattr(GetGrades, "preprocess", locked)  # nbgrader then stops at the first student
    assert feedback._convert(course.root, LESSON, course.db_url, ["ada", "eve"]).keys() == {"ada", "eve"}
    assert not list(tmp_path.glob(f"feedback/*/*/{LESSON}.html"))


def test_a_page_that_a_student_exported_is_not_in_the_way(tmp_path):
    course = make_course(tmp_path, {"ada": FULL})
    own = course.folder("submitted", "ada") / f"{LESSON}.html"
    own.mkdir()  # not written over even by root, as a file without permission to write is
    (own / "a.txt").write_text("mine")
    stock_autograde(course)
    assert feedback._convert(course.root, LESSON, course.db_url, ["ada"]) == {}


ODD = [
    {"image/svg+xml": {"a": 1}},
    {"text/html": {"a": 1.5}, "text/plain": "x"},
    {"text/plain": ["<b>", 1]},
    {"image/png": 7},
    {"application/json": {"a": [1]}},
]


def test_an_output_of_odd_data_costs_no_page(tmp_path):
    course = make_course(tmp_path, {"ada": FULL})
    stock_autograde(course)
    path = course.autograded("ada")
    notebook = nbformat.read(path, as_version=4)
    outputs = [{"output_type": "display_data", "data": data, "metadata": {}} for data in ODD]
    outputs.append(
        {"output_type": "display_data", "data": {"text/plain": "seen"}, "metadata": {"text/plain": 5}}
    )
    cell = nbformat.v4.new_code_cell("1")
    text = json.loads(nbformat.writes(notebook))
    text["cells"].append(cell | {"outputs": outputs})
    path.write_text(json.dumps(text))
    assert feedback._convert(course.root, LESSON, course.db_url, ["ada"]) == {}
    page = (course.folder("feedback", "ada") / f"{LESSON}.html").read_text(encoding="utf-8")
    assert "image/svg+xml is not text" in page and "seen" in page


def test_a_picture_that_is_not_attached_costs_no_page(tmp_path):
    course = make_course(tmp_path, {"ada": FULL})
    stock_autograde(course)
    path = course.autograded("ada")
    notebook = nbformat.read(path, as_version=4)
    text = "![a](attachment:lost.png) ![b](attachment:mine.png) <attachment:mine.png2> seen"
    there = {"mine.png": {"image/png": "aGVyZQ=="}, "empty.png": {}}
    notebook.cells.append(nbformat.v4.new_markdown_cell(text, attachments=there))
    shown = nbformat.v4.new_output("display_data", {"text/markdown": text + " ![](attachment:empty.png)"})
    notebook.cells.append(nbformat.v4.new_code_cell("1", outputs=[shown]))
    nbformat.write(notebook, path)
    assert feedback._convert(course.root, LESSON, course.db_url, ["ada"]) == {}
    page = (course.folder("feedback", "ada") / f"{LESSON}.html").read_text(encoding="utf-8")
    assert "aGVyZQ==" in page and 'src="lost.png"' in page and 'src="empty.png"' in page


def test_a_page_in_time_is_not_disturbed():
    with feedback.at_most(60):
        pass
    with pytest.raises(TimeoutError, match="seconds of CPU time"), feedback.at_most(0.05):
        while True:
            pass
