"""What a learner reads. Wrong answers that are in no list must get help too."""

import builtins
import importlib
import os
import random
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_lib.authoring.build import ROOT
from course_lib.checks import comparison, gradients
from course_lib.checks.judgement import Judgement, Verdict
from course_lib.checks.lesson import HIDDEN, SOLUTIONS, Lesson
from course_lib.checks.meanings import unusable
from course_lib.checks.score import LONGEST, Report, Score, as_text, group
from course_lib.exercises.attention import lesson
from course_lib.exercises.embedding import lesson as embedding
from course_lib.exercises.encoder_decoder import lesson as encoder_decoder
from course_lib.exercises.multi_head import lesson as multi_head
from course_lib.exercises.transfer_learning import lesson as transfer_learning
from course_lib.exercises.translator import lesson as translator

check = lesson.check
RIGHT = {name: exercise.reference_implementation for name, exercise in lesson.exercises.items()}


# Of the references only what stands in a table: an answer that uses one by its name is refused.
def pooling(query, key, value, width=1.0):
    return RIGHT["attention_pooling"](query, key, value, width)


def attention(query, key, value, mask=None):
    return RIGHT["scaled_dot_product_attention"](query, key, value, mask)


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
    assert "Smallest example:\n      sample(torch.tensor([[0., 1., 2.]]), temperature=2.0)[1]" in text
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
    assert "`prediction` (5, 7), `weights` (5,); expected prediction (target)" in text
    assert "Are they in the right order?" in text


def test_an_axis_too_many_is_no_question_of_order():
    def deeper(query, key, value, width=1.0):
        prediction, weights = pooling(query, key, value, width)
        return prediction, weights[None, None]

    text = told("attention_pooling", deeper)
    assert "`weights` (1, 1, 5, 7)" in text and "order" not in text


def test_a_numpy_array_is_named():
    assert "of type numpy.ndarray" in told("causal_mask", lambda size: np.tri(size, dtype=bool))


def test_one_array_among_results_is_asked_to_be_a_tensor():
    def half_numpy(query, key, value, width=1.0):
        prediction, weights = pooling(query, key, value, width)
        return prediction, weights.detach().numpy()

    assert "`weights` is a value of type numpy.ndarray; expected a tensor." in told(
        "attention_pooling", half_numpy
    )


def test_too_few_parameters():
    assert "Your function must take (size), but it takes ()." in told("causal_mask", lambda: None)


def test_swapped_axes_are_named():
    def swapped(query, key, value, mask=None):
        output, weights = attention(query, key, value, mask)
        return output, weights.mT

    text = told("scaled_dot_product_attention", swapped)
    assert "expected (batch 2, target 5, source 7)" in text
    assert "Look at target and source" in text


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


def test_the_causes_of_nan_are_told_all():
    def root(query, key, value, width=1.0):
        prediction, weights = pooling(query, key, value, width)
        return prediction, (-weights).sqrt()

    assert "the root or logarithm of a negative number" in told("attention_pooling", root)


def test_a_division_by_zero_in_the_check_is_not_blamed_on_shapes():
    text = str(translator.check("noam_rate", lambda step, d_model, warmup: 0.0))
    assert "ZeroDivisionError" in text and "shapes" not in text


def test_rounded_numbers_are_not_the_right_ones_plus_something():
    right = torch.linspace(1, 2, 7)
    lost = torch.tensor([1.0, 3.0, 1.0, 2.0, 5.0, 1.0, 2.0]) * 1e-4
    assert comparison.relation(right - lost, right) == ""
    assert "plus -0.0002" in comparison.relation(right - 2e-4, right)
    assert comparison.relation(right * (1 - lost * 9), right) == ""
    assert "0.998 times" in comparison.relation(right * 0.998, right)


def test_numbers_that_differ_in_late_digits_are_written_so():
    text = comparison.difference("x", ["row"], torch.tensor([1.23456]), torch.tensor([1.23461]), 1e-6, 1e-6)
    assert text == "`x[row 0]` is 1.23456, expected 1.23461."


def test_a_write_into_a_parameter_is_told_as_that():
    class Written(nn.Module):
        def __init__(self, vocab, d_model, pad=0):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(vocab, d_model))
            self.weight[pad] *= 0

        def forward(self, ids):
            return self.weight[ids]

    text = str(embedding.check("TokenEmbedding", Written))
    assert "raised Your code" not in text
    assert "Your code writes into a tensor that needs a gradient." in text


def test_steps_that_no_gradient_passes_are_listed():
    told = " Your code has `.detach()`. Gradients stop there, so check what passes through it."
    assert gradients.cutters("x = y.detach()") == told
    assert gradients.cutters("x = mask.float() * y.exp()") == ""


def test_rows_that_do_not_sum_to_one():
    def too_much(query, key, value, mask=None):
        output, weights = attention(query, key, value, mask)
        return output, weights + 0.01

    text = told("scaled_dot_product_attention", too_much)
    assert "sums to 1.07 over source, but the sum must be 1" in text
    assert "Smallest example:\n      scaled_dot_product_attention(" in text
    assert "yours:" in text and "expected:" in text


def test_a_wrong_score_under_right_weights():
    def cosine(query, key, value, mask=None):
        return attention(torch.nn.functional.normalize(query, dim=-1), key.exp(), value, mask)

    assert "Your weights sum to 1, so look at the scores" in told("scaled_dot_product_attention", cosine)


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

    assert "computes with what you return, and this fails" in told("scaled_dot_product_attention", short)


def test_what_fails_in_the_probe_is_told_with_one_full_stop():
    assert ": RuntimeError: sizes must match. Look" in unusable("RuntimeError: sizes must match.")


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

    assert "the mask hides that key, so it must be 0" in told("scaled_dot_product_attention", leaky)


def test_a_cut_gradient():
    def detached(query, key, value, width=1.0):
        return pooling(query.detach(), key.detach(), value.detach(), width)

    text = told("attention_pooling", detached)
    assert "No gradient reaches `query`" in text
    assert "Your code has `.detach()`. Gradients stop there" in text
    assert check("attention_pooling", detached) == lesson.exercises["attention_pooling"].points - 2


def test_arguments_must_not_change():
    def in_place(query, key, value, width=1.0):
        key += 1
        return pooling(query, key - 1, value, width)

    assert "changes its argument `key` in place" in told("attention_pooling", in_place)


@pytest.mark.parametrize("draw", [lambda: torch.rand(1), random.random])
def test_a_random_answer(draw):
    def noisy(query, key, value, width=1.0):
        return pooling(query, key + draw(), value, width)

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
    assert "SystemExit" in told("attention_pooling", lambda query, key, value, width=1.0: exit(1))


def test_where_an_error_is_explained_the_explanation_begins_the_sentence():
    sentences = told("attention_pooling", lambda query, key, value, width=1.0: 2.5 ^ width)
    assert "Your code raised" not in sentences and "In Python `^` works on bits" in sentences


def test_a_tensor_for_a_number_is_told_what_makes_a_number():
    text = comparison.difference("loss", (), torch.tensor(2.5), 2.5, 1e-5, 1e-6)
    assert text is not None and text.endswith(
        "expected 2.5. It is a tensor: `.item()` gives a Python number."
    )
    text = comparison.difference("losses", (), [torch.tensor(2.5)], [2.5], 1e-5, 1e-6)
    assert text is not None and text.endswith("It holds tensors: `.item()` gives a Python number.")


def test_words_in_backticks_are_code_in_the_example_too():
    html = check("causal_mask", lambda size: None)._repr_html_()
    assert "Did you forget <code>return</code>?</pre>" in html


def test_the_learners_random_state_is_left_alone():
    def noisy(query, key, value, width=1.0):
        return pooling(query, key + random.random() + torch.rand(1), value, width)

    torch.manual_seed(3)
    before, of_python = torch.get_rng_state(), random.getstate()
    check("attention_pooling", noisy)
    assert torch.equal(before, torch.get_rng_state())
    assert of_python == random.getstate()


def test_html_is_escaped():
    html = check("causal_mask", lambda size: "<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in html


def causal_mask(size):
    return torch.ones(size, size, dtype=torch.bool)


MISUSES = {
    'Write `check("causal_mask", causal_mask)`: the name in quotes': lambda: check(causal_mask),
    "the name in quotes, then what you have built": lambda: check(causal_mask, causal_mask),
    'Write `check("causal_mask", causal_mask)`: the name, then': lambda: check("causal_mask"),
    'did you mean `check("causal_mask", causal_mask)`?': lambda: check("casual_mask", causal_mask),
    "has no exercise of that name; it has attention_pooling, ": lambda: check("softmax", pooling),
    "`02_attention` has no exercise of that name; it": lambda: check(torch.ones(2), torch.ones(2)),
    "A person grades `mask_keys_not_queries`.": lambda: check("mask_keys_not_queries", "0/0"),
    'Write `hint("causal_mask")`: the name in quotes.': lambda: lesson.hint(causal_mask),
    'did you mean `hint("causal_mask")`?': lambda: lesson.hint("causalmask"),
    'Write `hint("attention_pooling")`, or with another of these names:': lambda: lesson.hint(),
    'Write `check("attention_pooling", attention_pooling)`, or with another': lambda: check(),
    "padding_mask, causal_mask, mask_keys_not_queries.": lambda: lesson.hint(""),
}


@pytest.mark.parametrize("sentence", MISUSES)
def test_a_call_in_another_way_gets_a_sentence(sentence):
    panel = MISUSES[sentence]()
    assert sentence in repr(panel)
    assert not isinstance(panel, Score)


def test_a_check_cell_that_is_called_in_another_way_is_an_error_when_graded(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    with pytest.raises(ValueError, match="the name in quotes"):
        check(causal_mask)


@pytest.fixture
def fresh():
    """The lesson as a new session has it."""
    return Lesson(lesson.name, *lesson.exercises.values())


def test_code_in_the_name_of_a_part_is_set_as_code():
    right = embedding.exercises["pad_batch"].reference_implementation
    score = embedding.score("pad_batch", right, trial=True)
    assert "padding has the id <code>pad</code>" in score._repr_html_()
    assert "padding has the id `pad`" in str(score)


def test_hints_are_a_ladder(fresh):
    hints = lesson.exercises["causal_mask"].hints
    shown = [fresh.hint("causal_mask") for _ in hints]
    assert [repr(panel) for panel in shown] == [
        f"Hint {number} of {len(hints)}: {hint}" for number, hint in enumerate(hints, 1)
    ]
    assert "<code>" in shown[-1]._repr_html_()
    assert repr(fresh.hint("causal_mask")).startswith(f"From the start again: hint 1 of {len(hints)}")


def test_progress_follows_the_checks(fresh):
    assert repr(fresh.progress()).count("not attempted") == 5
    fresh.check("attention_pooling", pooling)
    assert "✓ attention_pooling: right, 6 of 6 points, and 1 hidden" in repr(fresh.progress())
    assert "<table>" in fresh.progress()._repr_html_()


def test_a_trial_is_shown_and_not_counted(fresh):
    everything = lambda size: torch.ones(size, size, dtype=torch.bool)  # noqa: E731
    score = fresh.check("causal_mask", everything, trial=True)
    assert "causal_mask: wrong, 1 of 2 points, and 1 hidden" in str(score)
    assert "This is a trial. It does not count." in str(score)
    assert set(score._repr_mimebundle_()) == {"text/plain", "text/html"}
    assert repr(fresh.progress()).count("not attempted") == 5
    assert "This is a trial" not in str(fresh.check("causal_mask", everything))


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
    score = fresh.check(
        "causal_mask", lambda size: torch.ones(size, size, dtype=torch.bool).tril() & (size > 1)
    )
    assert score == 2
    assert "wrong: sizes that you have not seen (0 of 1 point)" in str(score)
    assert "This part is hidden" in str(score)
    assert "Smallest example" not in str(score)


def test_points_of_hidden_parts_wait_until_everything_else_is_right(fresh):
    score = fresh.check("causal_mask", lambda size: torch.ones(size, size, dtype=torch.bool).tril())
    assert score == 3
    assert str(score).startswith("✓ causal_mask: right, 2 of 2 points, and 1 hidden\n")
    assert str(score).endswith("decided when your work is graded.")
    late = fresh.check("causal_mask", lambda size: torch.ones(size, size, dtype=torch.bool))
    assert late == 1
    assert str(late).startswith("✗ causal_mask: wrong, 1 of 2 points, and 1 hidden\n")


def test_grading_without_hidden_parts_is_an_error_and_not_a_gift(fresh, monkeypatch, tmp_path):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setenv(SOLUTIONS, str(tmp_path))
    with pytest.raises(RuntimeError, match=r"hidden parts of 02_attention are not at .*nbgrader_config.py"):
        fresh.check("attention_pooling", pooling)
    monkeypatch.setenv(SOLUTIONS, str(ROOT / "solutions"))
    monkeypatch.setenv(HIDDEN, str(tmp_path))  # an instructor's own: the public ones do not take their place
    with pytest.raises(RuntimeError, match=r"Write them by `course hidden 02_attention`"):
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
    assert "does what this exercise asks for" in str(score)
    assert score < 2


def layer_norm(x, weight, bias, eps):
    return weight * (x - x.mean(-1, True)) / (x.var(-1, correction=0, keepdim=True) + eps).sqrt() + bias


def script_of_softmax(scores):
    powers = torch.exp(scores - scores.amax(-1, keepdim=True))
    return powers / powers.sum(-1, keepdim=True)


def test_a_script_is_no_answer_where_something_is_forbidden():
    softmax = torch.jit.script(script_of_softmax)
    told = importlib.import_module("course_lib.exercises.start_here").check("softmax", softmax)
    assert "compiled or recorded your code" in str(told)


def test_an_answer_may_call_an_earlier_exercise():
    class LayerNorm(torch.nn.Module):
        def __init__(self, d_model, eps=1e-5):
            super().__init__()
            self.weight, self.bias = map(torch.nn.Parameter, (torch.ones(d_model), torch.zeros(d_model)))
            self.eps = eps

        def forward(self, x):
            return layer_norm(x, self.weight, self.bias, self.eps)

    check = importlib.import_module("course_lib.exercises.layer_norm").check
    assert check("LayerNorm", LayerNorm) == 5


def test_a_stand_in_hides_nothing_that_its_arguments_call():
    class Late:
        """What `split_heads` does to it is done by PyTorch's whole layer."""

        def __init__(self, run):
            self.run = run

        def unflatten(self, *_):
            self.result = self.run()
            return self

        def transpose(self, *_):
            return self.result

    class MultiHeadAttention(torch.nn.Module):
        def __init__(self, d_model, heads):
            super().__init__()
            self.query, self.key, self.value, self.output = (
                torch.nn.Linear(d_model, d_model) for _ in range(4)
            )
            self.heads = heads

        def forward(self, query, key, value, mask=None):
            three = self.query, self.key, self.value
            weight, bias = torch.cat([one.weight for one in three]), torch.cat([one.bias for one in three])
            if mask is not None:
                mask = ~mask.expand(len(query), query.shape[1], key.shape[1])
                mask = mask.repeat_interleave(self.heads, 0)

            def run():
                output, weights = F.multi_head_attention_forward(
                    *(x.transpose(0, 1) for x in (query, key, value)),
                    *(query.shape[-1], self.heads, weight, bias, None, None, False, 0.0),
                    *(self.output.weight, self.output.bias),
                    attn_mask=mask,
                    average_attn_weights=False,
                )
                return output.transpose(0, 1), weights

            return split_heads(Late(run), self.heads)  # noqa: F821  (what the check lends)

    score = importlib.import_module("course_lib.exercises.multi_head").check(
        "MultiHeadAttention", MultiHeadAttention
    )
    assert "does what this exercise asks for" in str(score)
    assert score == 0


def test_a_line_that_raises_in_all_parts_is_told_once():
    def causal_mask(size):
        return size.nothing

    told = str(check("causal_mask", causal_mask))
    assert told.count("raises here too") + told.count("The same as above") <= 1
    told = str(check("scaled_dot_product_attention", lambda query, key, value, mask=None: query.nothing))
    assert told.count("Your code raised") == 1
    assert told.count("The same as above.") + told.count("The same line raises an error here too.") == 1
    parts = [part.name for part in lesson.exercises["scaled_dot_product_attention"].parts]
    assert all(f"{name} (0 of " in told for name in parts)
    (line,) = [line for line in told.splitlines() if parts[-1] in line]
    assert line.startswith("  ✗ wrong: ") and parts[1] in line
    html = check("scaled_dot_product_attention", lambda q, k, v, mask=None: q.nothing)._repr_html_()
    assert html.count("<li") == 2


def test_the_same_as_above_is_what_stands_above():
    exercise = lesson.exercises["scaled_dot_product_attention"]
    findings = zip(exercise.parts, ["One.", "Another.", "Another.", "One."], strict=False)
    verdicts = tuple(Verdict(part, "wrong", finding) for part, finding in findings)
    text = as_text(Report(exercise, Judgement(verdicts), 0, False))
    told = [line.strip() for line in text.splitlines() if line.startswith("      ")]
    first = exercise.parts[0].name
    assert told[:4] == ["One.", "Another.", "The same as above.", f'The same as in "{first}".'], told


def test_a_list_in_place_of_a_tensor_is_called_a_list_whatever_is_in_it():
    told = str(check("causal_mask", lambda size: [torch.ones(size, size).tril().bool()]))
    assert "`mask` is a list of 1 value; expected a tensor: mask." in told
    assert "has shape" not in told


def test_where_the_courses_piece_stands_for_a_missing_one_it_is_said():
    notebook = {"torch": torch}
    cell = "class MultiHead(torch.nn.Module):\n    def forward(self, x):\n        return merge_heads(x)"
    exec(compile(cell, "cell.py", "exec"), notebook)
    check = multi_head.check
    sentence = "Checked with the course's `merge_heads`: yours is missing in this notebook."
    assert f"  {sentence}\n" in str(check("MultiHeadAttention", notebook["MultiHead"]))
    notebook["merge_heads"] = lambda x: x
    assert "Checked with" not in str(check("MultiHeadAttention", notebook["MultiHead"]))


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ((lambda size: None, lambda size: None), "It returned None; expected a tensor: mask."),
        (
            (lambda size: torch.ones(size + 1, size), lambda size: torch.ones(size + 2, size)),
            "`mask` has shape (…, …), expected (target …, source …).",
        ),
        (
            (
                lambda size: exec("raise ValueError('size 3')"),
                lambda size: exec("raise ValueError('size 45')"),
            ),
            "",
        ),
    ],
)
def test_answers_that_go_wrong_alike_share_a_sentence(answers, sentence):
    one, other = (check("causal_mask", answer).report.data()["unnamed"] for answer in answers)
    assert one == other and one
    assert sentence in one


def test_a_sentence_for_the_gradebook_is_one_short_line_of_text():
    hostile = "Your code raised X: <b>\ud800\x1b[2J\n" + "long " * 99
    assert group(hostile).encode() and group(hostile).isprintable()
    assert len(group(hostile)) == LONGEST
    assert group(group("It has 3 of 4.")) == group("It has 3 of 4.") == "It has … of …."
    assert check("causal_mask", lambda size: torch.ones(size, size).tril() > 0).report.data()["unnamed"] == ""


@pytest.mark.parametrize(
    ("cell", "says"), [("def causal_mask(size) return 2", True), ("def causal(size) return 2", False)]
)
def test_a_check_under_a_cell_that_has_failed_says_so(monkeypatch, cell, says):
    failed = SimpleNamespace(
        error_before_exec=SyntaxError(), error_in_exec=None, info=SimpleNamespace(raw_cell=cell)
    )
    shell = SimpleNamespace(last_execution_result=failed)
    monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)
    told = str(lesson.check("causal_mask", lambda size: torch.ones(size, size, dtype=torch.bool).tril()))
    assert ("The cell of `causal_mask` ended in SyntaxError when you last ran it." in told) == says
