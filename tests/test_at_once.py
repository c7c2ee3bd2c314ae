"""What is right in each part and wrong where all is at once costs one part, where all else is right."""

import math

import torch
from graded import GRADED, expected, points, wrong_parts

from course_lib.checks.judgement import AT_ONCE, judge
from course_lib.checks.observation import observe

NAME = "scaled_dot_product_attention"


def other_scores(query, key, value, mask=None, scale=1.0):
    """Right weights, and an output by scores that are not scaled: in each part the two agree."""
    scores, roots = query @ key.mT, (math.sqrt(query.shape[-1]) ** scale, 1.0)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights, others = (torch.softmax(scores / root, dim=-1) for root in roots)
    return others @ value, weights


def wrong_scale_too(query, key, value, mask=None):
    return other_scores(query, key, value, mask, scale=2.0)


def test_it_costs_the_largest_visible_part_and_says_why():
    exercise, outcomes = GRADED[NAME], expected(NAME, 0)
    verdicts = judge(outcomes, observe(outcomes.task, other_scores)).verdicts
    wrong = [verdict for verdict in verdicts if verdict.status != "right"]
    largest = max((part for part in exercise.parts if not part.hidden), key=lambda part: part.points)
    assert [verdict.part for verdict in wrong] == [largest]
    assert wrong[0].message.startswith(AT_ONCE) and "`output[" in wrong[0].message
    assert points(NAME, other_scores) == exercise.points - largest.points


def test_beside_a_mistake_it_costs_nothing():
    assert wrong_parts(NAME, wrong_scale_too) == ["weights"]
