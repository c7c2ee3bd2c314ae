"""What a learner reads. Wrong answers that are in no list must get help too."""

import builtins
import importlib
import os
import signal
import warnings

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_lib.authoring.build import ROOT
from course_lib.checks.lesson import SOLUTIONS, Lesson
from course_lib.checks.score import Score
from course_lib.exercises.attention import lesson
from course_lib.exercises.attention.attention_pooling import reference as pooling
from course_lib.exercises.attention.scaled_dot_product_attention import reference as attention
from course_lib.exercises.encoder_decoder import lesson as encoder_decoder
from course_lib.exercises.transfer_learning import lesson as transfer_learning

check = lesson.check


def told(name, answer):
    return str(check(name, answer))


def test_a_right_answer_is_a_number_for_nbgrader_and_a_checklist_for_people():
    score = check("scaled_dot_product_attention", attention)
    assert isinstance(score, Score)
    assert repr(score) == "9.0"
    bundle = score._repr_mimebundle_()
    assert bundle["text/plain"] == "9.0"
    assert "✓" in bundle["text/html"] and "right" in bundle["text/html"]
    assert bundle["application/vnd.course-lib.score+json"]["mistakes"] == []


def test_a_stub_is_not_attempted():
    def causal_mask(size):
        raise NotImplementedError()

    score = check("causal_mask", causal_mask)
    assert score == 0
    assert score.report.status == "not attempted"
    assert str(score).count("Not attempted yet") == 1
    assert "Smallest example" not in str(score)


@pytest.mark.parametrize("function", [lambda x: torch.softmax(x, dim=0), lambda x: torch.nn.Module()(x)])
def test_what_pytorch_has_not_implemented_is_no_stub(function):
    def causal_mask(size):
        return function(torch.arange(size))

    with pytest.raises((NotImplementedError, RuntimeError)) as raised:  # which one: by version of PyTorch
        function(torch.arange(2))
    score = check("causal_mask", causal_mask)
    assert score.report.status == "wrong"
    assert f"Your code raised {raised.type.__name__}: " in str(score)
    assert "return function(torch.arange(size))" in str(score) or "lambda x: " in str(score)


@pytest.mark.parametrize("base", [2.0, torch.ones(2)], ids=["number", "tensor"])
def test_a_caret_is_told_from_a_power(base):
    assert "a power is `**`." in str(check("causal_mask", lambda size: base ^ 2))


def endless(size):
    while True:
        try:
            size += 1
        except:  # noqa: E722  (it swallows the stop once or more)
            size -= 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_an_answer_that_never_ends_is_stopped(monkeypatch):
    def causal_mask(size):
        return torch.ones(size, size, dtype=torch.bool).tril() if size < 5 else endless(size)

    monkeypatch.setattr("course_lib.checks.lesson.TIMEOUTS", (0.5, 0.1))
    monkeypatch.setattr("course_lib.checks.timeout.REPEAT_AFTER", 0.01)
    before = signal.getsignal(signal.SIGALRM)
    text = told("causal_mask", causal_mask)
    assert "did not end within 0.5 seconds: does every loop of it stop? It was stopped at `line " in text
    assert "did not end within 0.1 seconds" in text or "The same as above" in text
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_an_exception_shows_the_learners_own_line():
    def scaled_dot_product_attention(query, key, value, mask=None):
        weights = query @ key  # the wrong line
        return weights @ value, weights

    text = told("scaled_dot_product_attention", scaled_dot_product_attention)
    assert "weights = query @ key  # the wrong line" in text
    assert "RuntimeError" in text
    assert "The key is not transposed" in text
    assert text.count("weights = query @ key") == 1, "one error is told once"


def test_none_asks_for_return():
    assert "Did you forget `return`?" in told("causal_mask", lambda size: None)


@pytest.mark.parametrize("text", ["3,960", "4 million", ""])
def test_a_number_in_text_is_named(text):
    message = str(encoder_decoder.check("parameter_count", lambda vocab, d_model, d_ff, layers: text))
    assert f"It returned the text {text!r}; expected a value: parameters." in message
    assert "Error" not in message


def test_one_of_several_results_is_not_taken_for_the_first():
    text = str(transfer_learning.check("sample", argmax_sample))
    assert "Smallest example: sample(torch.tensor([[0., 1., 2.]]), temperature=2.0)[1]" in text
    assert "result = [[0.09003, 0.2447, 0.6652]]" in text
    assert "ids =" not in text


def argmax_sample(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    return logits.argmax(dim=-1), logits.softmax(dim=-1)


def test_an_answer_that_is_no_function():
    assert "is a value of type int, expected a function" in told("causal_mask", 3)
    assert "is None, expected a function" in told("causal_mask", None)


def test_one_value_in_place_of_two():
    text = told("attention_pooling", lambda query, key, value, width=1.0: query)
    assert "one tensor of shape (5,)" in text
    assert "prediction, weights" in text


def test_results_in_the_wrong_order():
    text = told(
        "attention_pooling", lambda query, key, value, width=1.0: pooling(query, key, value, width)[::-1]
    )
    assert "`prediction` of shape (5, 7), `weights` of shape (5,); expected prediction (target)" in text


def test_a_numpy_array_is_named():
    assert "of type numpy.ndarray" in told("causal_mask", lambda size: np.tri(size, dtype=bool))


def test_too_few_parameters():
    assert "Your function must take (size): too many positional arguments" in told(
        "causal_mask", lambda: None
    )


def test_swapped_axes_are_named():
    def swapped(query, key, value, mask=None):
        output, weights = attention(query, key, value, mask)
        return output, weights.mT

    text = told("scaled_dot_product_attention", swapped)
    assert "expected (batch 2, target 5, source 7)" in text
    assert "look at target and source" in text


def test_a_wrong_dtype():
    def doubled(query, key, value, width=1.0):
        return pooling(query.double(), key.double(), value.double(), width)

    assert "is torch.float64, expected torch.float32" in told("attention_pooling", doubled)


def test_nan_says_where():
    def broken(query, key, value, mask=None):
        output, weights = attention(query, key, value, mask)
        return output, weights / (weights > weights.amin())

    assert "0/0" in told(
        "scaled_dot_product_attention", lambda q, k, v, mask=None: broken(q, k, v * 0 / 0, mask)
    )


def test_rows_that_do_not_sum_to_one():
    def too_much(query, key, value, mask=None):
        output, weights = attention(query, key, value, mask)
        return output, weights + 0.01

    text = told("scaled_dot_product_attention", too_much)
    assert "sums to 1.07 over source, it must be 1" in text
    assert "Smallest example: scaled_dot_product_attention(" in text
    assert "yours:" in text and "expected:" in text


def test_a_wrong_score_under_right_weights():
    def cosine(query, key, value, mask=None):
        return attention(torch.nn.functional.normalize(query, dim=-1), key.exp(), value, mask)

    assert "it is the scores before the softmax that differ" in told("scaled_dot_product_attention", cosine)


def test_a_wrong_sign_is_named():
    text = told("scaled_dot_product_attention", lambda q, k, v, mask=None: attention(-q, k, v, mask))
    assert "The scores have the wrong sign" in text


def test_a_mask_tells_row_and_column():
    def band(size):
        place = torch.arange(size)
        return (place[None, :] <= place[:, None]) & (place[:, None] - place[None, :] < 2)

    assert "Row 2 does not see column 0, and it must." in told("causal_mask", band)


def test_a_slip_in_the_probe_is_not_blamed_on_the_learners_line():
    def short(query, key, value, mask=None):
        output, weights = attention(query, key, value, mask)
        return output, weights[:, :2]

    assert "Your results cannot be used together" in told("scaled_dot_product_attention", short)


def test_nan_of_unknown_cause_gets_no_name():
    def filled_with_nan(query, key, value, mask=None):
        scores = query @ key.mT / query.shape[-1] ** 0.5
        weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, torch.nan), dim=-1)
        return weights @ value, weights

    assert check("scaled_dot_product_attention", filled_with_nan).report.judgement.mistakes == []


def test_an_unknown_scale_is_measured():
    def strange(query, key, value, mask=None):
        return attention(query * 3, key, value, mask)

    assert "its scores are 3 times the expected ones" in told("scaled_dot_product_attention", strange)


def test_a_leak_through_the_mask_is_shown():
    def leaky(query, key, value, mask=None):
        hidden = None if mask is None else torch.where(mask, 0.0, -3.0)
        weights = torch.softmax(
            query @ key.mT / query.shape[-1] ** 0.5 + (0 if hidden is None else hidden), -1
        )
        return weights @ value, weights

    assert "the mask hides that key: it must be 0" in told("scaled_dot_product_attention", leaky)


def test_a_cut_gradient():
    def detached(query, key, value, width=1.0):
        return pooling(query.detach(), key.detach(), value.detach(), width)

    text = told("attention_pooling", detached)
    assert "No gradient reaches `query`" in text
    assert check("attention_pooling", detached) == lesson.exercises["attention_pooling"].points - 2


def test_arguments_must_not_change():
    def in_place(query, key, value, width=1.0):
        key += 1
        return pooling(query, key - 1, value, width)

    assert "changes its argument `key` in place" in told("attention_pooling", in_place)


def test_a_random_answer():
    def noisy(query, key, value, width=1.0):
        return pooling(query, key + torch.rand(1), value, width)

    assert "is random" in told("attention_pooling", noisy)


def test_last_bits_that_differ_between_calls_are_not_random():
    calls = iter(range(1000))

    def rounding(query, key, value, width=1.0):
        predicted, weights = pooling(query, key, value, width)
        return predicted * (1 + 1e-7 * (next(calls) % 2)), weights

    assert check("attention_pooling", rounding) == 7


def test_one_slip_costs_one_part():
    mistakes = lesson.exercises["scaled_dot_product_attention"].mistakes
    no_scale = next(mistake for mistake in mistakes if mistake.key == "no_scale")
    statuses = [
        v.status
        for v in check("scaled_dot_product_attention", no_scale.implementation).report.judgement.verdicts
    ]
    assert statuses.count("wrong") == 1


def test_prints_and_warnings_stay_inside(capfd):
    def noisy(size):
        print("hello")
        builtins.print("to stderr", file=os.sys.stderr)
        warnings.warn("careful", stacklevel=1)
        return torch.ones(size, size, dtype=torch.bool).tril()

    assert check("causal_mask", noisy) == 3
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


def test_system_exit_is_an_answer_that_raises():
    assert "SystemExit" in told("causal_mask", lambda size: exit(1))


def test_the_learners_random_state_is_left_alone():
    torch.manual_seed(3)
    before = torch.get_rng_state()
    check("attention_pooling", pooling)
    assert torch.equal(before, torch.get_rng_state())


def test_html_is_escaped():
    html = check("causal_mask", lambda size: "<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in html


def test_an_unknown_exercise_lists_the_known_ones():
    with pytest.raises(ValueError, match="has no exercise 'softmax'; it has attention_pooling"):
        check("softmax", pooling)


def test_a_name_without_quotes_is_told_apart():
    with pytest.raises(TypeError, match=r"in quotes, one of attention_pooling, .*; got a function"):
        lesson.hint(pooling)


@pytest.fixture
def fresh():
    """The lesson as a new session has it."""
    return Lesson(lesson.name, *lesson.exercises.values())


def test_hints_are_a_ladder(fresh):
    first, second = fresh.hint("causal_mask"), fresh.hint("causal_mask")
    assert repr(first).startswith("Hint 1 of 2")
    assert repr(second).startswith("Hint 2 of 2")
    assert "<code>" in second._repr_html_()
    assert repr(fresh.hint("causal_mask")).startswith("From the start again: hint 1 of 2")


def test_progress_follows_the_checks(fresh):
    assert repr(fresh.progress()).count("not attempted") == 5
    fresh.check("attention_pooling", pooling)
    assert "✓ attention_pooling: right, 7 of 7" in repr(fresh.progress())
    assert "<table>" in fresh.progress()._repr_html_()


def test_a_trial_is_shown_and_not_counted(fresh):
    everything = lambda size: torch.ones(size, size, dtype=torch.bool)  # noqa: E731
    score = fresh.check("causal_mask", everything, trial=True)
    assert "causal_mask: wrong, 1 of 3 points" in str(score)
    assert "A trial: it does not count." in str(score)
    assert set(score._repr_mimebundle_()) == {"text/plain", "text/html"}
    assert repr(fresh.progress()).count("not attempted") == 5
    assert "A trial" not in str(fresh.check("causal_mask", everything))


def test_grading_uses_fresh_seeds_and_hidden_parts(fresh, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setenv(SOLUTIONS, str(ROOT / "solutions"))
    one, two = fresh.check("attention_pooling", pooling), fresh.check("attention_pooling", pooling)
    assert one == two == 7
    assert one.report.seed != two.report.seed
    assert str(one.report.seed) in str(one)
    assert [part.name for part in one.report.exercise.parts if part.hidden]


def test_a_broken_hidden_part_is_named_and_not_shown(fresh, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setenv(SOLUTIONS, str(ROOT / "solutions"))
    score = fresh.check("causal_mask", lambda size: torch.ones(5, 5, dtype=torch.bool).tril())
    assert score == 2
    assert "wrong: sizes that you have not seen (0 of 1 point)" in str(score)
    assert "This part is hidden" in str(score)
    assert "Smallest example" not in str(score)


def test_points_of_hidden_parts_wait_until_everything_else_is_right(fresh):
    assert fresh.check("causal_mask", lambda size: torch.ones(size, size, dtype=torch.bool).tril()) == 3
    late = fresh.check("causal_mask", lambda size: torch.ones(size, size, dtype=torch.bool))
    assert late == 1
    assert "1 of these points is for hidden tests, which run when your work is graded." in str(late)


def test_grading_without_hidden_parts_is_an_error_and_not_a_gift(fresh, monkeypatch, tmp_path):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setenv(SOLUTIONS, str(tmp_path))
    with pytest.raises(RuntimeError, match=r"hidden parts of 02_attention are not at .*nbgrader_config.py"):
        fresh.check("attention_pooling", pooling)


@pytest.mark.parametrize(
    ("lesson", "name", "ready_made"),
    [
        ("start_here", "softmax", lambda scores: F.softmax(scores, dim=-1)),
        ("start_here", "softmax", lambda scores: scores.log_softmax(-1).exp()),
        ("layer_norm", "layer_norm", lambda x, w, b, eps=1e-5: F.layer_norm(x, w.shape, w, b, eps)),
        ("layer_norm", "LayerNorm", torch.nn.LayerNorm),
    ],
)
def test_a_ready_made_function_is_no_answer(lesson, name, ready_made):
    score = importlib.import_module(f"course_lib.exercises.{lesson}").check(name, ready_made)
    assert "does this whole exercise" in str(score)
    assert score < 2
