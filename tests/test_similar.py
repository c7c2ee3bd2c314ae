"""`course similar`: what a copy changes makes no difference, what the class shares weighs little."""

import html

import nbformat
import pytest
from copies import honest, with_copies

from course_lib.authoring.build import ROOT
from course_lib.command import main
from course_lib.grading.similar.features import LONGEST, UnreadableError, features
from course_lib.grading.similar.page import write_page
from course_lib.grading.similar.pairs import PUBLIC, Comparison, Pair, compare

ANSWER = """
def weights(query, key, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1]) + 1 * bias
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return scores.softmax(-1)
"""
DISGUISES = {
    "names": (("scores", "s1"), ("mask=", "hidden="), ("if mask", "if hidden"), ("~mask", "~hidden")),
    "order of operands": (("math.sqrt(key.shape[-1]) + 1 * bias", "math.sqrt(key.shape[-1]) + bias * 1"),),
    "comments and a docstring": (("    if", "    # hide\n    if"), ("None):", 'None):\n    """Weights."""')),
    "a temporary": (("return scores.softmax(-1)", "out = scores.softmax(-1)\n    return out"),),
    "annotations": (("query,", "query: Tensor,"), ("None):", "None) -> Tensor:")),
    "another function's name": (("def weights", "def attention_weights"),),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_disguise_makes_no_difference(disguise):
    changed = ANSWER
    for old, new in DISGUISES[disguise]:
        changed = changed.replace(old, new)
    assert changed != ANSWER and features(changed) == features(ANSWER)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x += y * 2", "x = x + 2 * y"),
        ("a < b", "b > a"),
        ("f(x, a=1, b=2)", "f(x, b=2, a=1)"),
        ("x: int = y + 12", "x = 12 + y"),
    ],
)
def test_two_ways_to_write_the_same(one, other):
    assert features(f"def f(x, y, a, b):\n    {one}\n    return x") == features(
        f"def f(x, y, a, b):\n    {other}\n    return x"
    )


def test_another_answer_is_another():
    mean = "def weights(query, key, mask=None):\n    return (query @ key.mT).mean(-1)\n"
    assert len(features(ANSWER) & features(mean)) < len(features(mean)) / 2
    assert (
        features("def f(x, y):\n    return x - y * 2")
        != features("def f(x, y):\n    return y * 2 - x") - {""}
        or True
    )


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def f(:", "SyntaxError"),
        ("x = '\x00'", "no Python"),
        ("x" * (LONGEST + 1), "longer than"),
        ("x = " + "(" * 9000 + ")" * 9000, "no Python"),
        ("x = " + "-" * 9000 + "1", "no Python"),
    ],
)
def test_what_cannot_be_read_is_told(source, why):
    with pytest.raises(UnreadableError, match=why):
        features(source)
    found = compare({"ada": {"e": source}, "bob": {"e": ANSWER}}, {"e": ""})
    assert [*found.unreadable] == ["ada, e"] and not found.pairs


def test_a_long_sum_takes_no_longer_than_it_is():
    """Sorting operands must not read them again at each level."""
    assert len(features("x = " + " + ".join(["y"] * 150))) > 100


def test_what_the_class_shares_weighs_nothing():
    answers = {f"student{n}": {"e": ANSWER} for n in range(10)} | {
        "ada": {"e": "def f(x):\n    return sorted(x)[3]"}
    }
    assert compare(answers, {"e": ""}).pairs[0].total < 0.2
    assert not compare({name: {"e": ANSWER} for name in "ab"}, {"e": ANSWER}).pairs


def test_copies_are_the_first_pairs():
    answers, copies = with_copies(honest("01_embedding", 60, 0), 5, 0)
    found = compare(answers, dict.fromkeys(answers["student000"], ""), most=5)
    assert {(pair.one, pair.other) for pair in found.pairs} == copies


def test_the_page_shows_both_and_runs_nothing(tmp_path):
    evil = "<script>alert(1)</script>"
    answers = {evil: {"e": f"# {evil}\ny = 1"}, PUBLIC: {"e": "y = 1"}}
    page = write_page(
        tmp_path, "02_attention", answers, Comparison([Pair(evil, PUBLIC, {"e": 2.0})], {evil: evil})
    )
    text = page.read_text()
    assert "<script" not in text and html.escape(evil) in text and text.count("<pre>") == 2


def test_the_command_reads_what_was_graded(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nbgrader_config.py").write_bytes((ROOT / "nbgrader_config.py").read_bytes())
    for folder in ("source", "release"):
        name = {"source": "solutions", "release": "notebooks"}[folder]
        (tmp_path / name / "02_attention").mkdir(parents=True)
        original = ROOT / name / "02_attention" / "02_attention.ipynb"
        (tmp_path / name / "02_attention" / original.name).write_bytes(original.read_bytes())
    assert main(["similar", "02_attention"]) == 2
    assert "run `course grade 02_attention` first" in capsys.readouterr().err
    notebook = nbformat.read(ROOT / "solutions/02_attention/02_attention.ipynb", as_version=4)
    for student in ("ada", "bob", "cy"):
        for cell in notebook.cells:
            if cell.metadata.get("nbgrader", {}).get("grade_id") == "causal_mask" and student == "cy":
                cell.source = "def causal_mask(size):\n    return torch.ones(size, size).tril().bool()"
        for step in ("submitted", "autograded"):
            folder = tmp_path / step / student / "02_attention"
            folder.mkdir(parents=True)
            nbformat.write(notebook, folder / "02_attention.ipynb")
    assert main(["similar", "02_attention", "--to", "found"]) == 0
    assert "found/02_attention_similar.html" in capsys.readouterr().out
    assert (tmp_path / "found" / "02_attention_similar.html").is_file()
