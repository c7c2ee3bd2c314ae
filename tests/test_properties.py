"""properties: each is silent on a right answer, and says of a wrong one in a sentence what is broken."""

import pytest
import torch

from course_lib.checks.properties import (
    follows,
    nothing_on_masked,
    proper_average,
    rows_seen,
    rows_sum_to_one,
    sharpness,
)

RIGHT = torch.tensor([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
MASKED = torch.tensor([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0]])
LOWER = torch.ones(3, 3, dtype=torch.bool).tril()
LABEL = "weights: target source"


def said(check, got, right):
    return check("weights")({LABEL: got}, {LABEL: right})


@pytest.mark.parametrize(
    ("check", "right", "wrong", "sentence"),
    [
        (
            rows_sum_to_one,
            RIGHT,
            RIGHT * 2,
            "`weights[target 0]` sums to 2 over source, but the sum must be 1.",
        ),
        (rows_sum_to_one, RIGHT, torch.full((2, 3), 0.5), "Yours sum to 1 over target."),
        (rows_sum_to_one, RIGHT, RIGHT - 0.15, "`weights[target 1, source 0]` is negative"),
        (
            nothing_on_masked,
            MASKED,
            RIGHT,
            "`weights[target 0, source 2]` is 0.2, but the mask hides that key",
        ),
        (sharpness, RIGHT, (RIGHT.log() * 3).softmax(-1), "its scores are 3 times the expected ones"),
        (sharpness, RIGHT, (-RIGHT.log()).softmax(-1), "The scores have the wrong sign"),
        (proper_average, RIGHT, RIGHT.flip(-1), "Your weights sum to 1, so"),
        (rows_seen, LOWER, torch.eye(3, dtype=torch.bool), "Row 1 does not see column 0, and it must."),
        (rows_seen, LOWER, ~torch.zeros(3, 3, dtype=torch.bool), "Row 0 sees column 1, and it must not."),
    ],
)
def test_a_property_speaks_of_a_wrong_answer_only(check, right, wrong, sentence):
    assert sentence in said(check, wrong, right)
    assert said(check, right, right) is None
    assert check("weights")({}, {LABEL: right}) is None, "the answer has no such tensor"


def test_an_average_of_no_weights_is_left_to_others():
    assert said(proper_average, RIGHT * 2, RIGHT) is None


def test_of_two_weights_no_sharpness_can_be_measured():
    two = torch.tensor([[0.5, 0.5], [0.2, 0.8]])
    assert said(sharpness, two.square() / two.square().sum(-1, keepdim=True), two) is None


def test_what_must_follow_a_cause():
    check, right = follows("change", "the mask"), {"change: target": torch.ones(2)}
    assert check({"change: target": torch.zeros(2)}, right) == (
        "Changing the mask changes nothing in your result."
    )
    assert check(right, right) is None


def test_a_property_of_what_the_reference_does_not_give_is_an_error():
    with pytest.raises(KeyError, match="the reference gives no tensor 'mask'"):
        rows_seen("mask")({LABEL: RIGHT}, {LABEL: RIGHT})
