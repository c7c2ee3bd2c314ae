"""Exercises whose answer is a test: what a learner reads when it is too weak, too strict, or no test."""

import pytest
import torch

from course_lib.exercises.bug_clinic import check
from course_lib.exercises.bug_clinic.add_positions import table


def told(test):
    return str(check("test_add_positions", test))


def good(add_positions):
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(9, 6), atol=1e-5)
    assert torch.equal(x, before)


def test_a_good_test_gets_all_points():
    assert check("test_add_positions", good) == 6


def test_broken_code_that_slips_through_is_described_with_what_would_have_shown_it():
    def short(add_positions):
        good(lambda x: torch.cat([add_positions(x[:, :5].clone()), good_positions(x)[:, 5:]], dim=1))

    def good_positions(x):
        return x + table(*x.shape[1:])

    text = told(short)
    assert "It knows seven positions only, as the toy does. Shown by: a sentence of more than seven" in text


def test_a_false_alarm_names_the_way_of_writing():
    def exact(add_positions):
        x = torch.randn(2, 9, 6)
        assert torch.equal(add_positions(x.clone()), x + table(9, 6))

    assert "False alarm: your test fails (AssertionError) on right code" in told(exact)


def test_failing_on_all_right_code_earns_nothing_and_shows_the_line():
    def impossible(add_positions):
        assert add_positions(torch.zeros(1, 2, 2)) is None  # never

    text = told(impossible)
    assert "0 of 6 points" in text
    assert "AssertionError: on right code, where a test must pass" in text
    assert "add_positions(torch.zeros(1, 2, 2)) is None  # never" in text
    assert "expected:\n      result = None" in text, "the example is right code"


def test_other_errors_on_right_code_keep_their_message():
    def ambiguous(add_positions):
        assert add_positions(torch.zeros(1, 2, 2)) == 0

    assert "RuntimeError: Boolean value of Tensor" in told(ambiguous)
    assert "(on right code, where a test must pass)" in told(ambiguous)


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        (lambda add_positions: None, "refuses none of many broken pieces"),
        (lambda add_positions: add_positions(torch.zeros(1, 2, 2)).sum() and None, "refuses none of many"),
        (lambda add_positions: bool(add_positions(torch.zeros(1, 2, 2)).any()), "Write `assert` in place of"),
    ],
)
def test_what_never_fails_is_no_test(test, sentence):
    assert check("test_add_positions", test) == 0
    assert sentence in told(test)


def test_catching_by_luck_is_told():
    def lucky(add_positions):
        words = 9 if torch.rand(()) < 0.5 else 1
        x = torch.zeros(1, words, 6)
        assert torch.allclose(add_positions(x.clone()), table(words, 6), atol=1e-5)

    assert "with some random numbers only" in told(lucky)


def test_a_learners_test_leaves_the_random_state_alone():
    before = torch.get_rng_state()
    check("test_add_positions", good)
    drawn = torch.get_rng_state()
    assert torch.equal(before, drawn)


def test_the_code_under_test_hides_its_name():
    names = set()

    def curious(add_positions):
        names.add(add_positions.__name__)
        good(add_positions)

    check("test_add_positions", curious)
    assert names == {"add_positions", "<lambda>"}


def test_a_stub_is_not_attempted():
    def test_add_positions(add_positions):
        raise NotImplementedError()

    assert check("test_add_positions", test_add_positions).report.status == "not attempted"
