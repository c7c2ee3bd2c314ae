"""`course mistake`: from an answer of the class to an entry that the check names."""

import ast

import nbformat
import pytest
import torch
from grading_paper import LESSON, copy_of, make_course

from course_lib import exercises
from course_lib.checks.exercise import Mistakes
from course_lib.command import main
from course_lib.grading.nbgrader.course import CourseError
from course_lib.grading.new_mistake import ADVICE, NAME, skeleton

pytestmark = pytest.mark.xdist_group("paper")
ANSWER = '''import torch
SEEN = 2
def causal_mask(size):
    """My own words."""
    return torch.ones(size, size).tril(SEEN) > 0 if size else causal_mask(1)
'''


def test_an_answer_becomes_an_entry():
    names = {"mistake": (table := Mistakes())}
    exec(skeleton(ANSWER, "causal_mask"), names)
    (entry,) = table
    assert entry.key == NAME and entry.advice == ADVICE
    assert torch.equal(entry.implementation(4), torch.ones(4, 4).tril(2) > 0) and entry.implementation(0)


def test_a_class_becomes_one_too():
    names = {"mistake": (table := Mistakes())}
    exec(skeleton("class Twice:\n    def again(self):\n        return Twice()\n", "Twice"), names)
    (entry,) = table
    assert type(entry.implementation().again()) is entry.implementation


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def causal_mask(:", "cannot be read: invalid syntax"),
        ("\0", "cannot be read"),
        ("", "does not define"),
        ("causal_mask = 3", "does not define causal_mask"),
    ],
)
def test_what_is_no_answer_is_told(source, told):
    with pytest.raises(CourseError, match=told):
        skeleton(source, "causal_mask")


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("mistake") / "course")


def test_the_command(template, tmp_path, monkeypatch, capsys):
    course = copy_of(template, tmp_path / "course")
    monkeypatch.chdir(course.root)
    assert main(["mistake", LESSON, "causal_mask", "nobody"]) == 2
    assert "no graded submission of nobody: expected it at" in capsys.readouterr().err
    file = course.autograded("nobody")
    file.parent.mkdir(parents=True)
    cell = nbformat.v4.new_code_cell(ANSWER)
    cell.metadata["nbgrader"] = {"grade_id": "causal_mask", "solution": True}
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), file)
    assert main(["mistake", LESSON, "causal_mask", "nobody"]) == 0
    shown = capsys.readouterr().out
    table = f"{exercises.package(LESSON)}.causal_mask_mistakes".replace(".", "/")
    assert f"# At the end of {table}.py." in shown and "@mistake" in ast.unparse(ast.parse(shown))
    assert main(["mistake", LESSON, "nothing", "nobody"]) == 2
    assert "no exercise nothing in 02_attention; there are attention_pooling" in capsys.readouterr().err
