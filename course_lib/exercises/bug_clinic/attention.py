"""attention: scaled dot products with a mask, over several heads, as lesson 02 builds it."""

import math

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.checks.properties import nothing_on_masked, proper_average, rows_sum_to_one, sharpness

attention = Exercise(
    "attention",
    points=5,
    returns=("output: batch heads target d_v", "weights: batch heads target source"),
    hints=[
        "Four lines are wrong: how keys are turned, what the scores are divided by, what is filled in, and "
        "which axis is normalized.",
        "`key.mT` swaps the last two axes; `view` only reads the same numbers in other rows. "
        "d_k is `query.shape[-1]`.",
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
    ],
)


WEIGHTS = (
    rows_sum_to_one("weights"),
    nothing_on_masked("weights"),
    sharpness("weights"),
    proper_average("weights"),
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
    return {"weights: batch heads target source": attend(query, key, value, SEEN)[1]}


@attention.part(
    "each score is the dot product of one query and one key, scaled", points=1, properties=WEIGHTS
)
def scores(attend, inputs):
    query, key, value = triple(inputs, 6)
    return {"weights: batch heads target source": attend(query, key, value, SEEN)[1]}


@attention.part("hidden keys get no weight", points=1, properties=WEIGHTS)
def hidden(attend, inputs):
    query, key, value = triple(inputs, 1)
    return {
        "weights: batch heads target source": attend(query, key, value, inputs.mask(5, 7))[1],
        "weights (each sentence has its mask): batch heads target source": attend(
            query, key, value, inputs.mask(2, 1, 1, 7)
        )[1],
    }


@attention.part("the output averages the values", points=1)
def output(attend, inputs):
    query, key, value = triple(inputs, 1)
    averaged, weights = attend(0 * query, key, value, SEEN)
    return {"output - weights @ value: batch heads target d_v": averaged - weights @ value}


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


@attention.accept("PyTorch's fused attention, which takes the same kind of mask")
def fused(query, key, value, mask):
    identity = torch.eye(key.shape[-2]).expand(*key.shape[:-1], -1)
    mask = mask.expand(*query.shape[:-1], key.shape[-2])
    weights = F.scaled_dot_product_attention(query, key, identity, attn_mask=mask)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask), weights


@attention.accept("an additive mask and log_softmax")
def additive(query, key, value, mask):
    bias = torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)
    weights = (torch.log_softmax(query @ key.mT / query.shape[-1] ** 0.5 + bias, dim=-1)).exp()
    return weights @ value, weights
