"""attention: scaled dot products with a mask, over several heads, as lesson 02 builds it."""

import math

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of
from course_lib.checks.inputs import as_transposed
from course_lib.checks.properties import WEIGHTS

attention = Exercise(
    "attention",
    points=5,
    returns=("output: batch heads target d_v", "weights: batch heads target source"),
    ready_made=("scaled_dot_product_attention", "multi_head_attention_forward"),
    hints=[
        "Each of four things is wrong. How are the axes of the keys swapped? What are the scores divided "
        "by? Which number is filled in? Which axis is normalized?",
        "`key.mT` swaps the last two axes, but `view` only reads the same numbers in other rows. d_k is "
        "`query.shape[-1]`.",
        "Fill with `-torch.inf` where the mask is False, before the softmax over the keys: `dim=-1`.",
        "`scores = query @ key.mT / math.sqrt(query.shape[-1])`, `scores.masked_fill(~mask, -torch.inf)`, "
        "`torch.softmax(scores, dim=-1)`, and `weights @ value`.",
    ],
    examples=[
        "attention(torch.tensor([[[[1., 0., 0., 0.]]]]), torch.tensor([[[[2., 0., 0., 0.], [0., 2., 0., "
        "0.]]]]), torch.tensor([[[[10.], [20.]]]]), torch.tensor([[True, True]]))",
        "attention(torch.ones(1, 1, 1, 1), torch.tensor([[[[1.], [2.]]]]), torch.tensor([[[[10.], [20.]]]]), "
        "torch.tensor([[True, False]]))",
        "attention(torch.tensor([[[[1., 0.]]]]), torch.tensor([[[[1., 2.], [3., 4.]]]]), "
        "torch.tensor([[[[10.], [20.]]]]), torch.tensor([[True, True]]))",
        "attention(torch.ones(1, 2, 1, 1), torch.tensor([[[[1.], [2.]], [[1.], [2.]]]]), "
        "torch.tensor([[[[10.], [20.]], [[10.], [20.]]]]), torch.tensor([[True, True]]))",
        "attention(torch.tensor([[[[1.], [300.]]]]), torch.tensor([[[[1.], [2.]]]]), torch.tensor([[[[10.], "
        "[20.]]]]), torch.tensor([[True, True]]))",
        "attention(*3 * [torch.arange(8.).view(2, 2, 2, 1).transpose(1, 2)], torch.tensor([[True, True]]))",
        "[x.requires_grad for x in attention(*[torch.ones(1, 1, 1, 1).requires_grad_() for _ in range(3)], "
        "torch.tensor([[True]]))]",
    ],
)


@attention.reference
def reference(query, key, value, mask):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
    return weights @ value, weights


def triple(inputs, d_k):
    return inputs.normal(2, 3, 5, d_k), inputs.normal(2, 3, 7, d_k), inputs.normal(2, 3, 7, 4)


SEEN = torch.ones(1, 7, dtype=torch.bool)


@attention.part("every query shares its attention among the keys", points=1, properties=WEIGHTS)
def shares(attend, inputs):
    query, key, value = triple(inputs, 1)
    large = query * torch.tensor([1.0, 300.0, -300.0, 0.1, 30.0])[:, None]
    large[..., 1, 0], key[..., 0, 0] = 300.0, 2.0  # one row's largest score is far above all of another row's
    return {
        "weights: batch heads target source": attend(query, key, value, SEEN)[1],
        "weights (rows of small and of large scores): batch heads target source": attend(
            large, key, value, SEEN
        )[1],
    }


@attention.part(
    "each score is the dot product of one query and one key, scaled", points=1, properties=WEIGHTS
)
def scores(attend, inputs):
    query, key, value = triple(inputs, 6)
    return {"weights: batch heads target source": attend(query, key, value, SEEN)[1]}


@attention.part("hidden keys get no weight", points=1, properties=WEIGHTS)
def hidden(attend, inputs):
    query, key, value = triple(inputs, 1)
    low = key - 30000.0  # only the hidden keys have scores near 0
    low[..., 5:, :] = 0.0
    ones, first_five = torch.ones_like(query), torch.arange(7)[None] < 5
    each_sentence = inputs.mask(2, 1, 1, 7)
    return {
        "weights: batch heads target source": attend(query, key, value, inputs.mask(5, 7))[1],
        "weights (one query): batch heads target source": attend(
            query[..., :1, :], key, value, each_sentence
        )[1],
        "weights (scores far below zero): batch heads target source": attend(ones, low, value, first_five)[1],
        "weights (each sentence has its mask): batch heads target source": attend(
            query, key, value, each_sentence
        )[1],
    }


def scale_of(weights, scores) -> float:
    """What the scores of these weights are multiplied by; 1 where the weights are of another kind."""
    got, right = (x - x.mean(-1, keepdim=True) for x in (weights.detach().double().log(), scores.double()))
    scale = float((got * right).sum() / (right * right).sum())
    return scale if abs(scale) > 1e-3 and torch.allclose(got, scale * right, atol=1e-2) else 1.0


def steeper(result, factor):
    """The same numbers, with so many times their gradient: a wrong scale is the matter of another part."""
    return result.detach() + factor * (result - result.detach())


@attention.part("the output averages the values", points=1)
def output(attend, inputs):
    query, key, value = triple(inputs, 1)
    # All scores are 0, so that a slip in them costs no point here.
    no_query, no_key = (torch.zeros_like(x).requires_grad_() for x in (query, key))
    averaged, weights = attend(no_query, key, value.requires_grad_(), SEEN)
    other, _ = attend(query, no_key, value, SEEN)
    masked, _ = attend(no_query, key, value, torch.arange(7)[None] < 5)
    scale = scale_of(attend(query, key, value, SEEN)[1], query @ key.mT)
    given = query, key, value
    transposed, _ = attend(*map(as_transposed, given), SEEN)
    return {
        "output of transposed heads - output of copies: batch heads target d_v": (
            transposed - attend(*given, SEEN)[0]
        ),
        "output - weights @ value: batch heads target d_v": averaged - weights @ value,
        **gradients_of(torch.cat([averaged, masked]), {"value": value}, of="output"),
        **gradients_of(steeper(torch.cat([averaged, masked]), 1 / scale), {"query": no_query}, of="output"),
        **gradients_of(steeper(other, 1 / scale), {"key": no_key}, of="output"),
    }


@attention.accept("einsum")
def einsum(query, key, value, mask):
    scores = torch.einsum("bhtd,bhsd->bhts", query, key) * query.shape[-1] ** -0.5
    weights = scores.masked_fill(mask.logical_not(), float("-inf")).softmax(-1)
    return torch.einsum("bhts,bhsd->bhtd", weights, value), weights


@attention.accept("a finite fill")
def finite(query, key, value, mask):
    scores = torch.matmul(query, key.transpose(2, 3)) / math.sqrt(query.size(3))
    weights = F.softmax(torch.where(mask, scores, -1e9), dim=3)
    return torch.matmul(weights, value), weights


@attention.accept("the query scaled first")
def query_scaled(query, key, value, mask):
    weights = torch.softmax((query / query.shape[-1] ** 0.5 @ key.mT).masked_fill(~mask, -torch.inf), -1)
    return weights @ value, weights


@attention.accept("the last digit rounded differently")
def rounded_attention(query, key, value, mask):
    output, weights = reference(query, key, value, mask)
    return output * (1 + 3e-7), weights * (1 + 3e-7)


@attention.accept("an additive mask and log_softmax")
def additive(query, key, value, mask):
    bias = torch.zeros(mask.shape, dtype=query.dtype).masked_fill(~mask, -torch.inf)
    weights = (torch.log_softmax(query @ key.mT / query.shape[-1] ** 0.5 + bias, dim=-1)).exp()
    return weights @ value, weights
