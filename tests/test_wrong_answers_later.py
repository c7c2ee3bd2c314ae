"""Wrong answers of lessons 07 to 13 that no listed mistake names: each has to cost a point.

`wrong_answers_later.txt` has a right answer for each exercise (==) and slips in it (--): what each replaces
(-), and by what (+). They change nothing where most answers go wrong.
"""

import re

import pytest
from graded import GRADED, points

from course_lib.authoring.build import ROOT

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
