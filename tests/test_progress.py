"""Progress: what survives a restart of the kernel, and what is said where nothing can."""

import json
import sys

import pytest
import torch

from course_lib.checks.lesson import Lesson
from course_lib.checks.progress import FOLDER
from course_lib.exercises.attention import lesson

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
    assert "✓ causal_mask: right, 3 of 3, 1 hint used" in repr(first.progress())
    again = session()
    assert "✓ causal_mask: right, earlier, 3 of 3, 1 hint used" in repr(again.progress())
    assert repr(again.progress()).count("not attempted, 0") == 3
    assert "3 of 29 points" in repr(again.progress())
    assert repr(again.hint("causal_mask")).startswith("Hint 2 of 2")
    again.check("causal_mask", lambda size: right(size).T)
    assert "✗ causal_mask: wrong, 0 of 3, 2 hints used" in repr(again.progress())
    assert f"Kept in `{file}`" in repr(again.progress())
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
    assert "Not kept" in repr(graded.progress())


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
    assert "✓ causal_mask: right, 3 of 3" in repr(lost.progress())
    assert "Not kept, a restart of the kernel empties this table: " in repr(lost.progress())


def test_an_empty_folder_keeps_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER, "")
    monkeypatch.chdir(tmp_path)
    off = session()
    off.check("causal_mask", right)
    assert "Not kept: a restart" in repr(off.progress())
    assert list(tmp_path.iterdir()) == []


def test_on_colab_it_says_how_long_that_is(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", sys)
    first = session()
    first.check("causal_mask", right)
    assert "Kept until Colab takes this machine away" in repr(first.progress())
    monkeypatch.setenv(FOLDER, "/content/drive/MyDrive/course")
    assert "Kept in `/content/drive/MyDrive/course/02_attention.json`" in repr(session().progress())
