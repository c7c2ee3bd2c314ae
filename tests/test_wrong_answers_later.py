"""Wrong answers of lessons 07 to 13 that no listed mistake names: each has to cost a point.

`wrong_answers_later.txt` has a right answer for each exercise (==) and slips in it (--): what each replaces
(-), and by what (+). They change nothing where most answers go wrong.
"""

import re

import pytest
from graded import GRADED, expected, points

from course_lib.authoring.build import ROOT
from course_lib.checks.judgement import judge
from course_lib.checks.observation import observe
from course_lib.checks.score import Report, as_text

IMPORTS = (  # with what a cell of lesson 12 gives
    "import math, random, unicodedata\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
    "from course_lib.exercises.gpt.GPT import Block, RMSNorm, turns\n"
)


def answers():
    """By exercise: the right answer, and its slips by name."""
    text = (ROOT / "tests" / "wrong_answers_later.txt").read_text(encoding="utf-8")
    for part in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = part.partition("\n")
        source, *slips = re.split(r"^-- (.*)\n", rest, flags=re.MULTILINE)
        yield name, (source, dict(zip(slips[::2], map(pairs, slips[1::2]), strict=True)))


def pairs(slip):
    """What is replaced, and by what."""
    found = re.findall(r"((?:^- .*\n)+)((?:^\+ .*\n)+)", slip, flags=re.MULTILINE)
    return [tuple(re.sub("^..", "", side, flags=re.MULTILINE)[:-1] for side in pair) for pair in found]


ANSWERS = dict(answers())
SLIPS = [(name, slip) for name, (_, slips) in ANSWERS.items() for slip in slips]


def points_of(name, source, seed=0):
    names = {used.name: used.reference_implementation for used in GRADED[name].uses}
    exec(IMPORTS + source, names)
    return points(name, names[name], seed)


@pytest.mark.parametrize("name", ANSWERS)
def test_the_answer_that_is_changed_is_right(name):
    assert points_of(name, ANSWERS[name][0]) == GRADED[name].points


@pytest.mark.parametrize(("name", "slip"), SLIPS, ids=lambda value: value)
def test_a_slip_costs_a_point(name, slip):
    source, slips = ANSWERS[name]
    assert slips[slip]
    for old, new in slips[slip]:
        assert old in source
        source = source.replace(old, new)
    for seed in range(2):
        assert points_of(name, source, seed) < GRADED[name].points


# A slip in one thing costs no other part, and nothing is said that is false of it.


def verdicts_of(name, source, old, new):
    names = {used.name: used.reference_implementation for used in GRADED[name].uses}
    assert old in source
    exec(IMPORTS + source.replace(old, new), names)
    outcomes = expected(name, 0)
    return judge(outcomes, observe(outcomes.task, names[name]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("chosen & (fate < 0.8)", "chosen"),
        ("(fate < 0.8), mask, ids)", "(fate < 0), mask, ids)"),
        ("~chosen, -100", "chosen, -100"),
        ("ids.masked_fill(~chosen, -100)", "ids.clone()"),
        ("ids.masked_fill(~chosen, -100)", "torch.full_like(ids, -100)"),
        ("return masked", "return ids.clone()"),
    ],
)
def test_draws_that_are_right_are_not_told_to_repeat(old, new):
    found = verdicts_of("mask_tokens", ANSWERS["mask_tokens"][0], old, new)
    decides = next(each for each in found.verdicts if each.part.name.startswith("the generator decides"))
    assert sum(each.points for each in found.verdicts) < GRADED["mask_tokens"].points
    assert decides.status == "right", decides.message


@pytest.mark.parametrize(
    ("batch", "order"),
    [("batches[step % len(batches)]", "order of the list"), ("batches[-step % len(batches)]", "same order")],
)
def test_an_order_that_repeats_is_not_said_to_be_shuffled(batch, order):
    source = ANSWERS["train"][0]
    found = verdicts_of("train", source, "random.choice(batches)", batch)
    (wrong,) = (each for each in found.verdicts if each.status == "wrong")
    assert order in wrong.message and found.mistakes in (["in_their_order"], [])


def test_a_finding_is_said_once_and_is_no_result_of_the_answer():
    found = verdicts_of("train", ANSWERS["train"][0], "random.choice(batches)", "batches[0]")
    text = as_text(Report(GRADED["train"], found, seed=0, grading=False))
    told, _, example = text.partition("Smallest example:")
    assert told.count("Every step uses the same batch.") == 1
    assert "result = 'Every step uses the same batch.'" in example and "losses" not in example


def test_a_mode_is_told_in_a_sentence():
    source = ANSWERS["train_step"][0]
    found = verdicts_of("train_step", source, "    return", "    model.eval()\n    return")
    (wrong,) = (each for each in found.verdicts if each.status == "wrong")
    assert wrong.message.startswith("Afterwards the model is in evaluation mode.")
