"""Progress: what survives a restart of the kernel, and what is said where nothing can."""

import json
import sys

import pytest
import torch

from course_lib.checks.lesson import Lesson
from course_lib.exercises.attention import lesson
from course_lib.exercises.start_here import lesson as start_here
from course_lib.state import FOLDER

HINTS = len(lesson.exercises["causal_mask"].hints)
right = lambda size: torch.ones(size, size, dtype=torch.bool).tril()  # noqa: E731


def session():
    """The lesson as a kernel has it that was restarted."""
    return Lesson(lesson.name, *lesson.exercises.values())


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path / "state"))
    return tmp_path / "state" / "02_attention.json"


def test_a_restart_keeps_points_and_hints(file):
    first = session()
    first.check("causal_mask", right)
    first.check("padding_mask", lambda ids, pad=0: ids != pad)
    first.hint("causal_mask")
    assert "✓ causal_mask: right, 2 of 2 points, and 1 hidden, 1 hint used" in repr(first.progress())
    again = session()
    assert "✓ causal_mask: right, earlier, 2 of 2 points, and 1 hidden, 1 hint used" in repr(again.progress())
    assert repr(again.progress()).count("not attempted, 0") == 3
    assert "2 of 24 points, and 5 hidden; 3 more, graded by a person" in repr(again.progress())
    assert repr(again.hint("causal_mask")).startswith(f"Hint 2 of {HINTS}")
    again.check("causal_mask", lambda size: right(size).T)
    assert "✗ causal_mask: wrong, 0 of 2 points, and 1 hidden, 2 hints used" in repr(again.progress())
    assert f"Saved in `{file}`" in repr(again.progress())
    assert str(file) in again.progress()._repr_html_()
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_trial_is_not_kept(file):
    session().check("causal_mask", right, trial=True)
    assert not file.exists()


@pytest.mark.parametrize("execution", ["autograde", "validate"])
def test_graded_runs_neither_read_nor_write(file, monkeypatch, execution):
    session().check("causal_mask", right)
    before = file.read_bytes()
    monkeypatch.setenv("NBGRADER_EXECUTION", execution)
    monkeypatch.setattr("course_lib.checks.lesson.is_grading", lambda: False)
    graded = session()
    assert repr(graded.progress()).count("not attempted") == 5
    graded.check("padding_mask", None)
    assert file.read_bytes() == before
    assert "Not saved" in repr(graded.progress())


@pytest.mark.parametrize(
    "content",
    ["", "[1]", '{"causal_mask": 1}', '{"causal_mask": {"score": 1}}', '{"causal_mask": {"status": "x"}}'],
)
def test_a_damaged_file_counts_as_empty(file, content):
    file.parent.mkdir()
    file.write_text(content)
    again = session()
    assert repr(again.progress()).count("not attempted") == 5
    again.check("causal_mask", right)
    assert json.loads(file.read_text())["causal_mask"]["points"] == 3


def test_where_nothing_can_be_written_it_works_on_and_says_so(file):
    file.parent.write_text("a file where the folder should be")
    lost = session()
    assert lost.check("causal_mask", right) == 3
    assert "✓ causal_mask: right, 2 of 2 points" in repr(lost.progress())
    assert "Not saved, so a restart of the kernel empties this table: " in repr(lost.progress())


def test_an_empty_folder_keeps_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER, "")
    monkeypatch.chdir(tmp_path)
    off = session()
    off.check("causal_mask", right)
    assert "Not saved. A restart" in repr(off.progress())
    assert list(tmp_path.iterdir()) == []


def test_on_colab_it_says_how_long_that_is(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", sys)
    first = session()
    first.check("causal_mask", right)
    assert "Saved until Colab takes this machine away" in repr(first.progress())
    monkeypatch.setenv(FOLDER, "/content/drive/MyDrive/course")
    assert "Saved in `/content/drive/MyDrive/course/02_attention.json`" in repr(session().progress())


def without_itself(size):
    return right(size).tril(-1)


def test_after_a_check_that_named_a_mistake_the_next_hint_is_about_it(file):
    first = session()
    first.check("causal_mask", without_itself)
    about = session().hint("causal_mask")  # in a session of its own: a restart keeps it
    assert repr(about).startswith("About your last check: ")
    shown = "This small call shows it. What should it return, and what does it return?\n    causal_mask(1)"
    assert shown in repr(about)
    assert ">causal_mask(1)</pre>" in about._repr_html_()
    again = session()
    assert repr(again.hint("causal_mask")).startswith(f"Hint 1 of {HINTS}")
    again.check("causal_mask", without_itself)
    again.check("causal_mask", right)
    assert repr(again.hint("causal_mask")).startswith(f"Hint 2 of {HINTS}")


def test_the_same_slip_again_is_said_to_be_the_same(file):
    first = session()
    assert "mistake" not in str(first.check("causal_mask", without_itself))
    assert "This is still the mistake of your last check." in str(first.check("causal_mask", without_itself))
    assert "mistake" not in str(first.check("causal_mask", right))
    again = session()
    trial = again.check("causal_mask", without_itself, trial=True)
    assert "mistake" not in str(trial)
    back = again.check("causal_mask", without_itself)
    assert "You made this mistake before, in an earlier check of `causal_mask`." in str(back)
    assert "earlier check of <code>causal_mask</code>" in back._repr_html_()


def softmax(scores, axis=-1):
    exponentials = torch.exp(scores - scores.amax(axis, True))
    return exponentials / exponentials.sum(axis, True)


def softmax_of_columns(scores):
    return softmax(scores, -2)


def attention_over_columns(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    weights = softmax(scores if mask is None else scores.masked_fill(~mask, -torch.inf), -2)
    return weights @ value, weights


def test_the_same_slip_of_an_earlier_lesson_is_named(file):
    before, name = Lesson(start_here.name, *start_here.exercises.values()), "scaled_dot_product_attention"
    before.check("softmax", softmax_of_columns)
    told = str(session().check(name, attention_over_columns))
    assert "  You made the same mistake in `softmax`, lesson 00.\n" in told
    before.check("softmax", softmax)
    file.unlink()
    told = str(session().check(name, attention_over_columns))
    assert "  You made the same mistake in `softmax`, lesson 00. How did you correct it there?\n" in told


def test_a_later_lesson_is_no_earlier_one_and_an_exercise_of_this_one_is(file):
    session().check("scaled_dot_product_attention", attention_over_columns)
    before = Lesson(start_here.name, *start_here.exercises.values())
    assert "mistake" not in str(before.check("softmax", softmax_of_columns))
    (file.parent / "00_start_here.json").unlink()
    mistakes = {mistake.key: mistake for mistake in lesson.exercises["attention_pooling"].mistakes}
    pooling = mistakes["over_queries"].implementation
    assert "  You made the same mistake in `scaled_dot_product_attention`.\n" in str(
        session().check("attention_pooling", pooling)
    )


def test_a_file_of_an_older_course_is_read(file):
    file.parent.mkdir()
    old = {"status": "right", "points": 3.0, "hints": 1, "earlier": True}
    file.write_text(json.dumps({"causal_mask": old}))
    assert "✓ causal_mask: right, earlier, 2 of 2 points, and 1 hidden, 1 hint used" in repr(
        session().progress()
    )
