"""Exercises whose answer is a test: what a learner reads when it is too weak, too strict, or no test.

PYTEST_DONT_REWRITE: what pytest puts into the asserts of an answer would count as help from a library.
"""

import importlib
import inspect
import re
from copy import deepcopy

import pytest
import torch
from torch import nn

from course_lib.checks.expected import Expected
from course_lib.checks.observation import observe
from course_lib.exercises.bug_clinic import (
    add_positions,
    check,
    lesson,
    test_attention,
    test_translate,
    test_word_ids,
    translation_loss,
)
from course_lib.exercises.bug_clinic.decoders import Decoder, NoMask
from course_lib.exercises.bug_clinic.pieces import Broken
from course_lib.exercises.bug_clinic.trials import tried
from course_lib.model.positions import sinusoidal_encoding

TESTS = [name for name in lesson.exercises if name.startswith("test_")]


def told(test, name="test_add_positions"):
    return str(check(name, test))


def good(add_positions):
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + sinusoidal_encoding(9, 6), atol=1e-5)
    assert torch.equal(x, before)


def test_a_good_test_gets_all_points():
    assert check("test_add_positions", good) == 6


def test_broken_code_that_slips_through_is_described_with_what_would_have_shown_it():
    def short(add_positions):
        good(lambda x: torch.cat([add_positions(x[:, :5].clone()), good_positions(x)[:, 5:]], dim=1))

    def good_positions(x):
        return x + sinusoidal_encoding(*x.shape[1:])

    text = told(short)
    assert "It has only seven positions, as the toy does. Shown by: a sentence of more than seven" in text


def test_a_false_alarm_names_the_way_of_writing():
    def exact(add_positions):
        x = torch.randn(2, 9, 6)
        assert torch.equal(add_positions(x.clone()), x + sinusoidal_encoding(9, 6))

    assert "False alarm: your test fails (AssertionError) on right code" in told(exact)


def test_a_false_alarm_is_one_whatever_its_error_says_of_itself():
    class Nothing(AssertionError):
        def __bool__(self):
            return False

    def exact(add_positions):
        x = torch.randn(2, 9, 6)
        if not torch.equal(add_positions(x.clone()), x + sinusoidal_encoding(9, 6)):
            raise Nothing

    assert "False alarm: your test fails (Nothing) on right code" in told(exact)


def test_failing_on_all_right_code_earns_nothing_and_shows_the_line():
    def impossible(add_positions):
        assert add_positions(torch.zeros(1, 2, 2)) is None  # never

    text = told(impossible)
    assert "0 of 5 points" in text
    assert "AssertionError: your test fails on right code, where it must pass" in text
    assert "add_positions(torch.zeros(1, 2, 2)) is None  # never" in text
    assert "expected:\n      result = None" in text, "the example is right code"


def test_other_errors_on_right_code_keep_their_message():
    def ambiguous(add_positions):
        assert add_positions(torch.zeros(1, 2, 2)) == 0

    assert "RuntimeError: Boolean value of Tensor" in told(ambiguous)
    assert "(your test fails on right code, where it must pass)" in told(ambiguous)
    assert "`==` compares each number for itself" in told(ambiguous)


def refuses_none(add_positions):
    assert add_positions(torch.zeros(1, 2, 2)) is not None


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        (refuses_none, "It fails only where nothing is returned"),
        (lambda add_positions: None, "never calls its argument `add_positions`"),
        (lambda add_positions: print(add_positions(torch.zeros(1, 2, 2))), "refuses none of many"),
        (lambda add_positions: bool(add_positions(torch.zeros(1, 2, 2)).any()), "Write `assert` instead of"),
    ],
)
def test_what_never_fails_is_no_test(test, sentence):
    assert check("test_add_positions", test) == 0
    assert sentence in told(test)


@pytest.mark.parametrize("name", TESTS)
def test_each_broken_code_that_a_part_asks_for_is_one_that_a_test_may_refuse(name):
    module = importlib.import_module(f"course_lib.exercises.bug_clinic.{name}")
    broken = {one.code for one in vars(module).values() if isinstance(one, Broken)}
    assert broken
    assert broken <= {*module.PIECE.wrong}


def test_catching_by_luck_is_told():
    def lucky(add_positions):
        words = 9 if torch.rand(()) < 0.6 else 1
        x = torch.zeros(1, words, 6)
        assert torch.allclose(add_positions(x.clone()), sinusoidal_encoding(words, 6), atol=1e-5)

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
    assert names - lesson.exercises["test_add_positions"].names.keys() == {"add_positions"}


def test_a_tensor_of_a_class_of_ones_own_does_not_tell_how_it_is_used():
    class Spy(torch.Tensor):
        """Could note each method that is called."""

    got = []

    def test(piece):
        piece(Spy(torch.zeros(2)), words=[Spy(torch.zeros(2))])

    tried(test, "piece", lambda x, words: got.extend((type(x), type(words[0]))), False, 0)
    assert got == [torch.Tensor, torch.Tensor]


def test_a_module_under_test_shows_what_it_computes_and_not_how_it_is_written():
    shown = []

    def curious(decoder):
        own = set(vars(type(decoder))) - set(vars(type("Empty", (), {})))
        shown.append((type(decoder).__name__, type(decoder).__bases__, decoder.__doc__, own))
        shown.append((hasattr(decoder, "mask"), hasattr(decoder, "fill")))

    for code in (Decoder, NoMask):
        tried(curious, "decoder", code, True, 0)
    assert shown == 2 * [("decoder", (nn.Module,), None, {"forward"}), (False, False)]


def test_a_copy_of_a_module_under_test_has_its_own_mode_and_numbers():
    x, memory, found = torch.randn(1, 4, 8), torch.randn(1, 2, 8), []

    def copying(decoder):
        copy = deepcopy(decoder.train()).eval()
        for parameter in copy.parameters():
            parameter.data.zero_()
        found.append((decoder.training, copy(x, memory), decoder.eval()(x, memory), decoder(x, memory)))

    tried(copying, "decoder", Decoder, True, 0)
    ((training, zeros, once, again),) = found
    assert training
    assert not zeros.any()
    assert once.any()
    assert torch.equal(once, again)


def test_failing_without_a_call_is_told_so():
    def copied(add_positions):
        assert torch.allclose(torch.zeros(1, 2, 2), sinusoidal_encoding(2, 2))

    def too_large(add_positions):
        x = torch.zeros(1, 2, 2)
        x[2] = 1
        assert torch.equal(add_positions(x), x)

    assert "fails before any call of its argument `add_positions`" in told(copied)
    assert "IndexError" in told(too_large)
    assert "(before any call of `add_positions`)" in told(too_large)


def test_inputs_that_hide_a_bug_are_told_from_a_comparison_that_overlooks_it():
    def short(add_positions):
        x = torch.ones(2, 5, 6)
        assert torch.allclose(add_positions(x.clone()), x + sinusoidal_encoding(5, 6), atol=1e-5)
        assert torch.equal(x, torch.ones(2, 5, 6))

    def rough(add_positions):
        x = torch.ones(2, 9, 6)
        assert torch.allclose(add_positions(x.clone()).sum(), (x + sinusoidal_encoding(9, 6)).sum(), rtol=0.3)

    seven = "Shown by: a sentence of more than seven words. "
    assert seven + "On your inputs it gives the result of right code, so you need other inputs." in told(
        short
    )
    assert "On your inputs its result is already wrong, but your test does not notice it." in told(rough)


def exactly_pytorchs(attention):
    query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
    output, weights = attention(query, key, value, torch.ones(4, 5, dtype=torch.bool).tril())
    oracle = torch.nn.functional.scaled_dot_product_attention
    right = oracle(query, key, value, attn_mask=torch.ones(4, 5, dtype=torch.bool).tril())
    assert (output == right).all()
    assert torch.allclose(output, weights @ value, atol=1e-5)


def test_rounding_is_named_where_it_was_seen_and_costs_one_part():
    assert check("test_attention", exactly_pytorchs) == 5
    assert "compares floats that differ by rounding alone" in told(exactly_pytorchs, "test_attention")


def test_a_random_mask_that_hides_every_key_is_named():
    def random_mask(attention):
        query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
        mask = torch.rand(4, 5) > 0.7
        output, weights = attention(query, key, value, mask)
        oracle = torch.nn.functional.scaled_dot_product_attention
        assert torch.allclose(output, oracle(query, key, value, attn_mask=mask), atol=1e-5)
        assert torch.allclose(output, weights @ value, atol=1e-5)

    assert "Right code gives NaN on your inputs" in told(random_mask, "test_attention")


def test_a_false_alarm_by_luck_is_told():
    def lucky(add_positions):
        good(add_positions)
        assert torch.rand(()) < 0.6

    assert "It does so with some random numbers only." in told(lucky)


def test_dropout_is_named_where_without_it_the_test_passes():
    def two_calls(decoder):
        x, memory = torch.randn(2, 6, 8), torch.randn(2, 3, 8)
        assert torch.allclose(decoder(x, memory), decoder(x, memory), atol=1e-5)

    assert "It passes as soon as nothing is dropped." in told(two_calls, "test_decoder")


def test_a_mode_that_was_never_used_is_told():
    def training_only(decoder):
        x, memory = torch.randn(2, 6, 8, requires_grad=True), torch.randn(2, 3, 8)
        (slope,) = torch.autograd.grad(decoder(x, memory)[:, 2].sum(), x)
        assert not slope[:, 3:].any()

    assert "Your test never runs it in evaluation mode." in told(training_only, "test_decoder")
    assert "never runs it in training mode" not in told(training_only, "test_decoder")


@pytest.mark.parametrize("name", TESTS)
def test_the_last_hint_typed_literally_has_full_points(name):
    exercise = lesson.exercises[name]
    typed = exercise.accepted["the last hint, as it stands"]
    source = " ".join(inspect.getsource(typed).split()).replace('"', "'")
    snippets = re.findall(r"`([^`]+)`", exercise.hints[-1])
    assert len(snippets) >= 3
    for snippet in snippets:
        assert " ".join(snippet.split()) in source or snippet == "query, key, value, mask"
    assert check(name, typed) == exercise.points


def test_what_draws_no_random_numbers_runs_twice_in_a_part_at_most():
    runs = []

    def counted(decoder):
        runs.append(decoder)
        decoder.eval()
        x, memory = torch.linspace(-1, 2, 96).view(2, 6, 8).requires_grad_(), torch.ones(2, 3, 8)
        for t in range(5):
            (slope,) = torch.autograd.grad(decoder(x, memory)[:, t].sum(), x)
            assert slope[:, t + 1 :].abs().max() < 1e-6

    check("test_decoder", counted)
    parts, examples = lesson.exercises["test_decoder"].parts, 1
    assert 1 <= sum(type(decoder) is NoMask for decoder in runs) <= 2 * len(parts) + examples


def test_neither_order_nor_names_tell_right_code_from_broken():
    """By what it gets in the first check a test cannot tell what it gets in another."""
    exercise = lesson.exercises["test_attention"]
    seen = []
    for seed in range(4):
        codes = []

        def names(attention, codes=codes):
            codes.append(attention.__closure__[0].cell_contents.__name__)
            query = torch.ones(1, 1, 2, 4)
            output, weights = attention(query, query, query, torch.tensor([[True, False]]))
            codes.append(float(weights.sum()))
            assert output.shape == weights.shape

        observe(Expected(exercise, seed).task.only([exercise.parts[1].name]), names)
        seen.append(codes)
    assert {name for codes in seen for name in codes if isinstance(name, str)} == {"attention"}
    sums = [tuple(each for each in codes if not isinstance(each, str)) for codes in seen]
    assert len(set(sums)) > 2, "drawn anew for each seed"


def test_a_stub_is_not_attempted():
    def test_add_positions(add_positions):
        raise NotImplementedError()

    assert check("test_add_positions", test_add_positions).report.status == "not attempted"


RANDOM = torch.Generator().manual_seed(0)
EDGES = {
    "attention of float64, one query and one key": (
        test_attention.PIECE,
        (*(torch.ones(1, 1, 1, size, dtype=torch.float64) for size in (2, 2, 3)), torch.tensor([[True]])),
    ),
    "positions of float64": (add_positions.PIECE, (torch.ones(1, 3, 4, dtype=torch.float64),)),
    "no position": (add_positions.PIECE, (torch.ones(2, 0, 4),)),
    "no word to translate": (
        test_translate.PIECE,
        (test_translate.sum_model, torch.tensor([[4, 5]]), torch.tensor([[1]])),
    ),
    "no sentence": (test_word_ids.PIECE, ([],)),
    "no word": (test_word_ids.PIECE, (["", " a  a "],)),
    "one word": (
        translation_loss.PIECE,
        (torch.rand(1, 1, 5, dtype=torch.float64, generator=RANDOM), torch.tensor([[3]])),
    ),
}


@pytest.mark.parametrize(("piece", "inputs"), EDGES.values(), ids=EDGES)
def test_all_right_code_does_the_same_at_the_edges(piece, inputs):
    first, *others = (code(*inputs) for code in piece.right.values())
    if isinstance(first, tuple):
        first, others = first[0], [one[0] for one in others]
    for other in others:
        if isinstance(first, torch.Tensor):
            torch.testing.assert_close(other, first, atol=1e-5, rtol=1e-5)
        else:
            assert len(other) == len(first)
