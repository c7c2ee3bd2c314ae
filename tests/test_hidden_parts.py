"""`course hidden`: the template can be used; a file that would grade wrongly is refused with the reason."""

import pytest

from course_lib.authoring.build import ROOT
from course_lib.checks.lesson import HIDDEN
from course_lib.command import main
from course_lib.grading.hidden_parts import HiddenError, check, template
from course_lib.grading.sandbox.judge import Judge

LESSON = "00_start_here"
FILE = f"{LESSON}_hidden.py"
OWN = """
import torch
from course_lib.checks.exercise import Part

def scores_of(softmax, inputs):
    return {{"weights: row column": softmax({scores})}}

def means(masked_mean, inputs):
    x, mask = inputs.normal(2, 5, 3), inputs.mask(2, 5)
    return {{"mean: batch d_model": masked_mean(x, mask)}}

def doubled(scores):
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return 2 * exponentials / exponentials.sum(dim=-1, keepdim=True)

PARTS = {{
    "softmax": Part("numbers of mine", {points}, scores_of, hidden={hidden}{rest}),
    "{name}": Part("masks of mine", 1, means, hidden=True),
}}
CATCHES = {catches}
"""


def own(**changed):
    """A file of two parts, which can be used; or with something changed."""
    parts = {"scores": "inputs.wide(4, 6)", "points": 1, "hidden": True, "rest": "", "name": "masked_mean"}
    return OWN.format(**(parts | {"catches": '{"softmax": ["over_rows", doubled]}'} | changed))


@pytest.fixture(scope="module")
def public():
    return template(LESSON)


def test_a_template_is_written_once_and_can_be_used(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "private"
    assert main(["hidden", LESSON, "--to", str(folder)]) == 0
    told = capsys.readouterr().out
    assert f"written: {folder / FILE}" in told
    assert f"export {HIDDEN}={folder}" in told
    assert "softmax: this part is the public one" in told
    assert (folder / FILE).stat().st_mode & 0o077 == 0
    (folder / FILE).write_text(own())
    monkeypatch.setenv(HIDDEN, str(folder))
    assert main(["hidden", LESSON]) == 0
    told = capsys.readouterr().out
    assert "written:" not in told
    assert "the public one" not in told
    assert (folder / FILE).read_text() == own()


def test_a_folder_of_the_course_is_refused(capsys):
    assert main(["hidden", LESSON, "--to", str(ROOT / "solutions" / "mine")]) == 2
    assert "is in the course's folder" in capsys.readouterr().err
    assert not (ROOT / "solutions" / "mine").exists()


def test_a_folder_has_to_be_named(monkeypatch, capsys):
    monkeypatch.delenv(HIDDEN, raising=False)
    with pytest.raises(SystemExit, match="2"):
        main(["hidden", LESSON])
    assert "required: --to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("PARTS = {", r"line 1: SyntaxError"),
        ("x = 1\nraise ValueError('no')", r"line 2: ValueError: no"),
        ("PARTS = 3", "PARTS needs a dict"),
        (own(name="mean"), "PARTS has 'mean'; the lesson has softmax, masked_mean"),
        (own(name="mean"), "masked_mean has 6 points, and its parts with yours 5"),
        (own(points=2), "softmax has 8 points, and its parts with yours 9: make them equal"),
        (own(hidden=False), "the part of softmax needs hidden=True"),
        (
            own().replace('Part("masks of mine", 1, means, hidden=True)', "means"),
            "masked_mean that is no Part",
        ),
        (own(catches='{"softmaxes": []}'), "CATCHES needs a dict by exercise"),
    ],
)
def test_a_file_that_cannot_be_tried_is_refused_with_the_reason(text, reason):
    with pytest.raises(HiddenError, match=reason):
        check(LESSON, text)


def test_a_part_may_not_have_the_name_of_a_visible_one(public):
    from course_lib import exercises

    taken = exercises.load(LESSON).exercises["softmax"].parts[0].name
    with pytest.raises(HiddenError, match="has the name of a visible part"):
        check(LESSON, own().replace("numbers of mine", taken))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            own(scores="inputs.normal(4, 6) * (2 + __import__('secrets').randbits(9))"),
            "softmax: refuses right code (each row by itself): ",
        ),
        (  # a constant does not change right weights, but wrong ones
            own(scores="inputs.normal(4, 6) + __import__('secrets').randbits(9)"),
            " gets no or another advice",
        ),
        (own(scores="'four'"), "the reference of softmax fails in 'numbers of mine'"),
        (own(rest=", rtol=0, atol=0", scores="30 * inputs.normal(50, 60)"), "softmax: refuses right code ("),
        (own(catches='{"softmax": ["unknown"]}'), "CATCHES has 'unknown', which is no mistake"),
        (
            own(catches='{"softmax": [doubled]}', scores="inputs.normal(4, 4)").replace("2 *", "1 *"),
            "softmax: does not refuse doubled",
        ),
        (
            own(scores="0 * inputs.normal(4, 4)[:1, :1]", catches='{"softmax": ["over_rows"]}'),
            "does not refuse over_rows",
        ),
    ],
)
def test_a_part_that_would_grade_wrongly_is_named(text, problem):
    problems = check(LESSON, text).problems
    assert any(problem in each for each in problems), problems


def test_the_grader_takes_the_file_as_it_is_checked():
    cases = Judge(LESSON, own()).cases
    assert [part.name for part in cases["softmax"].exercise.parts if part.hidden] == ["numbers of mine"]


def test_only_what_is_as_in_the_public_file_is_called_public(public):
    first = public.index("def ")
    called = public[first + 4 : public.index("(", first)]
    assert len([line for line in check(LESSON, public).told if "the public one" in line]) == 2
    mended = public.replace(f"def {called}(", f"def {called}_of_mine(").replace(
        f" {called},", f" {called}_of_mine,"
    )
    assert len([line for line in check(LESSON, mended).told if "the public one" in line]) == 1
