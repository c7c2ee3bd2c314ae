"""The marking guide: formgrader's page has it beside a written answer, and nothing else has it."""

import copy

import nbformat
import pytest
from grading_paper import FULL, LESSON, answered, copy_of, hand_in, make_course, stock_autograde
from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions.formgrader import handlers

from course_lib.authoring.build import ROOT
from course_lib.grading.feedback import make_feedback
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.nbgrader.marking_guide import MarkingGuide

pytestmark = pytest.mark.xdist_group("paper")
ANSWER, GUIDE = "because of the padding", "Give half a point for one of the two places"
IN_FORMGRADER = {"submission_id": "5", "assignment_id": LESSON, "notebook_id": LESSON, "base_url": ""}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = make_course(tmp_path_factory.mktemp("guide"), {})
    hand_in(course, "ada", answered(FULL, essay=ANSWER))
    stock_autograde(course)
    return course


def page(course: Course) -> str:
    """As formgrader makes it."""
    config = copy.deepcopy(course.config)
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    resources = IN_FORMGRADER | {"index": 0, "total": 1, "student": "ada"}
    return HTMLExporter(config=config).from_filename(str(course.autograded("ada")), resources=resources)[0]


def test_formgrader_shows_it_after_the_answer(course):
    shown = page(course)
    assert shown.count(GUIDE) == 1 and shown.index(ANSWER) < shown.index(GUIDE) < shown.index("What you have")


def test_feedback_and_autograded_notebooks_have_none(course):
    assert make_feedback(course, ["ada"], workers=1).made == ["ada"]
    feedback = (course.folder("feedback", "ada") / f"{LESSON}.html").read_text(encoding="utf-8")
    assert ANSWER in feedback
    for text in (feedback, course.autograded("ada").read_text(encoding="utf-8")):
        assert GUIDE not in text and "marking-guide" not in text


def test_a_chinese_notebook_has_the_chinese_guide():
    preprocessor = MarkingGuide(config=Course(ROOT, LESSON).config)
    notebook = nbformat.read(ROOT / "zh" / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    cells = preprocessor.preprocess(notebook, IN_FORMGRADER)[0].cells
    (guide,) = [cell.source for cell in cells if "marking-guide" in cell.source]
    assert "完整的回答要说到" in guide and GUIDE not in guide


def test_a_lesson_without_a_source_is_shown_as_it_is(course, tmp_path):
    other = copy_of(course, tmp_path / "other")
    (other.root / "solutions" / LESSON / f"{LESSON}.ipynb").unlink()
    assert ANSWER in page(other) and "marking-guide" not in page(other)
