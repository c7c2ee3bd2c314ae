"""A learner's own pieces: taken from the notebooks if they pass, else the course's, with the reason."""

import json

import pytest
import torch

from course_lib import exercises
from course_lib.checks.lesson import Lesson
from course_lib.checks.progress import FOLDER
from course_lib.yours import yours

LESSON = "02_attention"
RIGHT = "def causal_mask(size):\n    return booleans(torch.ones(size, size).tril())\n"
SETUP = "import torch\nfrom torch import nn\ndef booleans(x):\n    return x.bool()\nraise SystemExit()"


def cell(source, exercise=None, tags=()):
    metadata = {"tags": list(tags)} | ({"exercise": exercise} if exercise else {})
    return {
        "cell_type": "code",
        "metadata": metadata,
        "source": source.splitlines(keepends=True),
        "outputs": [],
        "execution_count": None,
    }


@pytest.fixture
def taken(tmp_path, capsys):
    """What `yours` gives for causal_mask, None if the course's, and what it says."""

    def taken(*cells):
        folder = tmp_path / LESSON
        folder.mkdir()
        (folder / f"{LESSON}.ipynb").write_text(json.dumps({"cells": list(cells)}))
        return yours(LESSON, "causal_mask", None, tmp_path), capsys.readouterr().out

    return taken


def test_a_piece_that_passes_is_yours(taken):
    experiment = cell("def booleans(x):\n    return 0", tags=["skip-execution"])
    later = cell("1 / 0", "later")
    mine, told = taken(cell(SETUP), cell("%matplotlib inline"), experiment, cell(RIGHT, "causal_mask"), later)
    assert torch.equal(mine(2), torch.tensor([[True, False], [True, True]]))
    assert told == "causal_mask: yours, from 02_attention.ipynb\n"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def causal_mask(size):\n    raise NotImplementedError()", "your causal_mask has 0 of 3 points"),
        (RIGHT.replace("tril", "triu"), "your causal_mask has 0 of 3 points in 02_attention.ipynb"),
        ("causal_mask = nowhere", "02_attention.ipynb raised NameError: name 'nowhere' is not defined"),
        ("def causal_mask(size)", "raised SyntaxError"),
        ("causal_mask = 3", "your causal_mask has 0 of 3 points"),
        ("", "your causal_mask has 0 of 3 points"),
    ],
)
def test_what_does_not_pass_is_the_courses(taken, source, reason):
    mine, told = taken(cell(SETUP), cell(source, "causal_mask"))
    assert mine is None
    assert told.startswith("causal_mask: the course's (") and reason in told


def test_no_notebook_or_no_cell(taken, tmp_path, capsys):
    assert yours(LESSON, "causal_mask", 7, tmp_path / "nowhere") == 7
    assert "there is no" in capsys.readouterr().out
    mine, told = taken(cell("import torch"))
    assert mine is None and "has no cell for it" in told
    (tmp_path / LESSON / f"{LESSON}.ipynb").write_text("[]")
    assert yours(LESSON, "causal_mask", 7, tmp_path) == 7
    assert "is not a notebook" in capsys.readouterr().out


SPLIT = "def split_heads(x, heads):\n    return x.unflatten(-1, (heads, -1)).transpose(1, 2)\n"


@pytest.mark.parametrize("earlier", [True, False], ids=["right earlier", "never tried"])
@pytest.mark.parametrize(
    "source", [SPLIT, SPLIT.replace("transpose(1, 2)", "flip(1)")], ids=["right", "wrong"]
)
def test_the_progress_of_the_lesson_it_is_from_stays(tmp_path, monkeypatch, capsys, source, earlier):
    monkeypatch.setenv(FOLDER, str(tmp_path / "state"))
    answers = exercises.load("03_multi_head").exercises
    session = lambda name: Lesson(name, *answers.values())  # noqa: E731  (as a new kernel has it)
    monkeypatch.setattr(exercises, "load", session)
    if earlier:
        session("03_multi_head").check("split_heads", answers["split_heads"].reference)
    kept = {path: path.read_bytes() for path in tmp_path.rglob("*.json")}
    assert len(kept) == earlier
    notebook = tmp_path / "03_multi_head" / "03_multi_head.ipynb"
    notebook.parent.mkdir()
    notebook.write_text(json.dumps({"cells": [cell(source, "split_heads")]}))
    mine = yours("03_multi_head", "split_heads", None, tmp_path)
    assert (mine is None) == (source != SPLIT), capsys.readouterr().out
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.json")} == kept


def test_graded_work_uses_the_courses(taken, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    mine, told = taken(cell("import torch"), cell(RIGHT, "causal_mask"))
    assert mine is None
    assert "graded with the course's" in told
