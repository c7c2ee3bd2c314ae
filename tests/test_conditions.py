"""What is false of an answer is not told: neither advice for another mistake nor a cause that it lacks."""

from functools import cache

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_lib import exercises
from course_lib.checks.expected import Expected
from course_lib.checks.judgement import judge
from course_lib.checks.observation import observe
from course_lib.exercises.encoder_decoder.EncoderLayer import Layer
from course_lib.exercises.layer_norm.residual import Wrapper
from course_lib.exercises.multi_head.MultiHeadAttention import Layer as Attention

LESSONS = "03_multi_head", "04_positional_encoding", "05_layer_norm", "06_encoder_decoder"
ATTENTION, EMBEDDING = exercises.load("02_attention"), exercises.load("01_embedding")
EXERCISES = {name: each for lesson in LESSONS for name, each in exercises.load(lesson).exercises.items()}


@cache
def expected(name):
    return Expected(EXERCISES[name], 0)


def told(name, answer):
    verdicts = judge(expected(name), observe(expected(name).task, answer)).verdicts
    return " ".join(
        [verdict.message for verdict in verdicts]
        + [verdict.mistake.advice for verdict in verdicts if verdict.mistake]
    )


class ScaledTable(nn.Module):
    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, d_model)) * 0.02

    def forward(self, x):
        return x + self.table[: x.shape[1]]


class HalfPrecision(Wrapper):
    def forward(self, x):
        return self.norm(x + self.sublayer(x)).half()


class ActivationAsInput(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.linear2(self.relu)


class RoomWhileTraining(Attention):
    def weigh(self, scores, mask):
        if mask is not None:
            mask = mask[..., None, :, :] if self.training else mask
            scores = scores.masked_fill(~mask, -torch.inf)
        return F.softmax(scores, dim=-1)


class NegatedNone(Attention):
    def weigh(self, scores, mask):
        return torch.softmax(scores.masked_fill(mask.logical_not()[..., None, :, :], -torch.inf), dim=-1)


class Rounded(Layer):
    def forward(self, x, mask=None):
        x = self.norm1(x + self.attend(x, mask))
        return torch.round(self.norm2(x + self.feed_forward(x)), decimals=5)


@pytest.mark.parametrize(
    ("name", "answer", "false"),
    [
        ("PostNorm", HalfPrecision, "cut off"),
        ("FeedForward", ActivationAsInput, "`nn.ReLU(x)`"),
        ("MultiHeadAttention", RoomWhileTraining, "no axis for the heads"),
        ("EncoderLayer", Rounded, "does not see"),
    ],
)
def test_what_is_false_of_an_answer_is_not_told(name, answer, false):
    text = told(name, answer)
    assert text.strip()
    assert false not in text, text


@pytest.mark.parametrize(
    ("name", "answer", "true"),
    [
        ("LearnedPositions", ScaledTable, "what is computed from one"),
        ("MultiHeadAttention", NegatedNone, "use it only `if mask is not None`"),
    ],
)
def test_advice_is_true_of_its_neighbors_too(name, answer, true):
    assert true in told(name, answer)


def test_what_an_accepted_answer_gives_is_no_example_of_what_goes_wrong():
    def attention_cost(d_model, heads, target, source):
        d_k = d_model / heads
        return 2 / heads * (
            d_model * d_k * (target + source) + target * source * d_k
        ), heads * target * source

    text = str(exercises.load("03_multi_head").check("attention_cost", attention_cost))
    assert "attention_cost(2, 1, 1, 1)" not in text and "multiplications = 18.0\n" in text


def test_an_error_that_stands_further_above_is_told_by_its_part():
    def nearest(vector, table, count=5):
        return torch.topk(torch.nn.functional.normalize(vector, dim=-1), count)

    text = str(EMBEDDING.check("nearest", nearest))
    assert 'as in "cosines, the largest first, in the dtype of the table".' in text


def test_weights_of_exactly_0_are_not_told_to_be_nan():
    def hard(query, key, value, mask=None):
        scores = query @ key.mT * 1e5
        weights = (scores if mask is None else scores.masked_fill(~mask, -torch.inf)).softmax(-1)
        return weights @ value, weights

    assert "NaN" not in str(ATTENTION.check("scaled_dot_product_attention", hard))


def test_a_result_without_gradient_is_not_blamed_on_its_shape():
    class Detached(EMBEDDING.exercises["TokenEmbedding"].reference_implementation):
        def forward(self, ids):
            return super().forward(ids).detach()

    text = str(EMBEDDING.check("TokenEmbedding", Detached))
    assert "No gradient reaches" in text and "shapes and types" not in text


def test_a_wrong_score_is_not_told_to_be_bounded():
    def loss(center, context, negatives):
        false = torch.einsum("pd,pkd->pk", center, negatives)
        return (F.softplus(-(context * context).sum(-1)) + F.softplus(false).sum(dim=-1)).mean()

    assert "cut off" not in str(EMBEDDING.check("negative_sampling_loss", loss))
