"""What a check says of a slip has to be true of the code, and a slip costs only what it breaks."""

import math
import re

import torch
import torch.nn.functional as F

from course_lib.exercises.bug_clinic import lesson as bug_clinic
from course_lib.exercises.layer_norm import lesson as layer_norm
from course_lib.exercises.start_here import lesson as start_here
from course_lib.exercises.transfer_learning import lesson as transfer_learning


def told(lesson, name, answer):
    return str(lesson.check(name, answer, trial=True))


def test_a_number_added_to_the_sum_is_not_told_as_a_sum_of_1():
    def softmax(scores):
        powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        return powers / (powers.sum(dim=-1, keepdim=True) + 1e-3)

    text = told(start_here, "softmax", softmax)
    assert "Your weights sum to 1" not in text and "look at what you divide by" in text


def test_nan_is_not_told_as_a_wrong_gradient():
    def dropout(x, p, training):
        return x * torch.bernoulli(torch.full_like(x, p)) / p if training else x

    text = told(layer_norm, "dropout", dropout)
    assert "not weighted" not in text and "probability to keep" in text


def test_normal_draws_are_named():
    def dropout(x, p, training):
        return x * (torch.randn_like(x) >= p) / (1 - p) if training else x

    assert "`randn`" in told(layer_norm, "dropout", dropout)


def test_what_became_of_chosen_words_is_counted_among_them():
    def mask_tokens(ids, mask, chance=0.15, generator=None):
        chosen = (torch.rand(ids.shape, generator=generator) < 0.15) & (ids >= 4)
        labels, fate = ids.masked_fill(~chosen, -100), torch.rand(ids.shape, generator=generator)
        words = torch.randint(4, mask, ids.shape, generator=generator)
        masked = ids.masked_fill(chosen & (fate < 0.8), mask)
        return torch.where(chosen & (fate >= 0.8), words, masked), labels

    text = told(transfer_learning, "mask_tokens", mask_tokens)
    assert "about 80 % became <mask>, 20 % another word, 0 % stayed" in text


def test_a_float_mask_is_named_and_not_one_way_of_writing():
    def test_attention(attention):
        query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
        output, weights = attention(query, key, value, torch.ones(4, 5).tril())
        right = F.scaled_dot_product_attention(query, key, value, torch.ones(4, 5).tril().bool())
        # no `assert`: pytest would write it anew, with code of its own
        torch.testing.assert_close(output, right, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(output, weights @ value, atol=1e-5, rtol=1e-5)

    text = told(bug_clinic, "test_attention", test_attention)
    assert "Your mask is torch.float32" in text and "one way of writing" not in text


def test_a_wrong_scale_is_not_told_as_a_gradient_that_is_stopped():
    def attention(query, key, value, mask):
        scores = query @ key.mT / math.sqrt(query.shape[2])
        weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
        return weights @ value, weights

    text = told(bug_clinic, "attention", attention)
    assert "gradient" not in text and "the number of queries" in text
    assert "✓ right: the output averages the values" in text


def test_half_a_gradient_is_still_told():
    def attention(query, key, value, mask):
        query = query / 2 + query.detach() / 2
        weights = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -torch.inf).softmax(-1)
        return weights @ value, weights

    assert "The gradient of query is wrong" in told(bug_clinic, "attention", attention)


def test_a_gradient_that_stops_in_some_calls_is_told_with_its_case():
    """Of the others it would be false."""

    def softmax(scores):
        scores = scores.detach() if scores.dtype == torch.float64 and scores.dim() == 2 else scores
        powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        return powers / powers.sum(dim=-1, keepdim=True)

    text = told(start_here, "softmax", softmax)
    assert re.search(r"No gradient reaches `scores`.* It was seen in `scores` \([^)]*float64", text)
