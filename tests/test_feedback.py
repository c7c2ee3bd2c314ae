"""Feedback pages: one that takes too long costs nobody else theirs."""

import nbformat
import pytest
from grading_paper import FULL, LESSON, answered, hand_in, make_course, stock_autograde

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
    assert feedback._convert(course.root, LESSON, course.db_url, ["ada", "eve"]) == ["ada"]
    pages = {name: course.folder("feedback", name) / f"{LESSON}.html" for name in ("ada", "eve")}
    assert not pages["ada"].exists() and "causal_mask" in pages["eve"].read_text(encoding="utf-8")


def test_a_page_in_time_is_not_disturbed():
    with feedback.at_most(60):
        pass
    with pytest.raises(TimeoutError, match="seconds of CPU time"), feedback.at_most(0.05):
        while True:
            pass
