"""What passed its check is kept, and later lessons are made of it."""

import pytest
import torch
from cells import run_cell

import course_lib.yours
from course_lib import exercises
from course_lib.checks.lesson import Lesson
from course_lib.state import FOLDER
from course_lib.yours import Pieces, asked_for, hand_out, of_the_course, yours

RIGHT = "def causal_mask(size):\n    return whole(size).tril()\n"
HELPER = "import torch\ndef whole(size):\n    return torch.ones(size, size, dtype=torch.bool)\n"


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path / "state"))
    return tmp_path / "state"


def written(source, name):
    return run_cell({"__name__": "__main__"}, source)[name]


def checked(source, name="causal_mask", lesson="02_attention"):
    """A learner writes an answer and checks it, in a new session."""
    return Lesson(lesson, *exercises.load(lesson).exercises.values()).score(name, written(source, name))


def test_what_has_full_points_is_kept_and_given_with_its_helpers(capsys, state):
    checked(HELPER + RIGHT)
    mine = yours("causal_mask")
    assert torch.equal(mine(2), torch.tensor([[True, False], [True, True]]))
    assert capsys.readouterr().out == "yours: causal_mask (lesson 02)\n"
    assert "def whole" in (state / "pieces" / "causal_mask.py").read_text()


@pytest.mark.parametrize(
    "answer", [RIGHT.replace("tril", "triu"), "def causal_mask(size):\n    raise NotImplementedError()"]
)
def test_what_does_not_pass_is_not_kept_and_loses_nothing(capsys, answer):
    checked(HELPER + answer)
    assert yours("causal_mask")(1).tolist() == [[True]]
    assert capsys.readouterr().out == (
        "the course's: causal_mask (lesson 02): no version of yours with full points is saved here\n"
    )
    checked(HELPER + RIGHT)
    checked(HELPER + answer)
    yours("causal_mask")
    assert capsys.readouterr().out.startswith("yours: causal_mask")


def test_what_no_text_gives_is_said_at_the_check(state):
    score = checked("causal_mask = lambda size: __import__('torch').ones(size, size).tril() > 0")
    assert "could not be saved, so later lessons will use the course's `causal_mask`: " in str(score)
    assert not (state / "pieces" / "causal_mask.py").exists()


def test_what_no_text_gives_loses_no_earlier_answer(capsys):
    checked(HELPER + RIGHT)
    score = checked("causal_mask = lambda size: __import__('torch').ones(size, size).tril() > 0")
    assert "could not be saved, so later lessons will use your earlier `causal_mask`: " in str(score)
    yours("causal_mask")
    assert capsys.readouterr().out == "yours: causal_mask (lesson 02)\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 / 0", "raised ZeroDivisionError: division by zero"),
        ("def causal_mask(size", "raised SyntaxError"),
        ("def causal_mask(size):\n    return size", "now has 0 of 3 points"),
        ("causal = 1", "now has 0 of 3 points"),
        (b"\xff\xfe", "cannot be read: 'utf-8' codec can't decode"),
    ],
)
def test_a_damaged_file_is_told_and_the_courses_stands_in(capsys, state, text, reason):
    (state / "pieces").mkdir(parents=True)
    (state / "pieces" / "causal_mask.py").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert yours("causal_mask")(1).tolist() == [[True]]
    told = capsys.readouterr().out
    assert told.startswith("the course's: causal_mask (lesson 02): ") and reason in told


def test_a_piece_is_made_of_the_others(capsys):
    """MultiHeadAttention finds the learner's own split_heads, and the course's merge_heads."""
    split = "def split_heads(x, heads):\n    return x.unflatten(-1, (heads, -1)).transpose(1, 2)\n"
    checked(split, "split_heads", "03_multi_head")
    source = """
import torch
from torch import nn
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(d_model, d_model) for _ in range(4))
    def forward(self, query, key, value, mask=None):
        q, k, v = (split_heads(x, self.heads) for x in (self.query(query), self.key(key), self.value(value)))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], -torch.inf)
        return self.output(merge_heads(scores.softmax(-1) @ v)), scores.softmax(-1)
"""
    score = checked(source, "MultiHeadAttention", "03_multi_head")
    assert score.report.status == "right", score
    layer = yours("MultiHeadAttention")
    assert capsys.readouterr().out == (
        "yours: split_heads, MultiHeadAttention (lesson 03)\n"
        "the course's: merge_heads (lesson 03): no version of yours with full points is saved here\n"
    )
    assert layer(6, 2)(*[torch.ones(1, 4, 6)] * 3)[0].shape == (1, 4, 6)


def test_taking_changes_no_progress(state):
    checked(HELPER + RIGHT)
    before = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}
    yours("causal_mask", "split_heads")
    assert {path: path.read_bytes() for path in state.rglob("*") if path.is_file()} == before


def test_graded_work_takes_the_courses(monkeypatch, capsys):
    checked(HELPER + RIGHT)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert "def whole" not in Pieces(["causal_mask"]).text("causal_mask")
    assert yours("causal_mask")(1).tolist() == [[True]]
    assert not capsys.readouterr().out


def test_what_is_handed_out_is_all_there_is(monkeypatch):
    sources = [
        "%matplotlib inline",
        "a, b = yours(\"causal_mask\",\n    'MultiHeadAttention')",
        "yours(name)",
    ]
    texts = of_the_course(asked_for(sources))
    assert [*texts] == ["causal_mask", "MultiHeadAttention"]
    monkeypatch.setattr(course_lib.yours, "_handed_out", None)
    hand_out(texts)
    layer, other = yours("MultiHeadAttention", "LayerNorm")
    assert layer(6, 2)(*[torch.ones(1, 4, 6)] * 3)[0].shape == (1, 4, 6)
    assert layer.__module__ == "__main__" and other is None


def test_validate_keeps_nothing(monkeypatch, state):
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    checked(HELPER + RIGHT)
    assert not state.exists()


def test_an_unknown_name():
    with pytest.raises(ValueError, match="no lesson has an exercise 'causal'"):
        yours("causal")
