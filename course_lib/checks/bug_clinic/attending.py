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
        "Four lines are wrong: how keys are turned, what the scores are divided by, what is filled in, "
        "and which "
        "axis is normalized.",
        "`key.mT` swaps the last two axes; `view` only reads the same numbers in other rows. "
        "d_k is `query.shape[-1]`.",
        "Fill with `-torch.inf` where the mask is False, before the softmax over the keys: `dim=-1`.",
        "`scores = query @ key.mT / math.sqrt(query.shape[-1])`, `scores.masked_fill(~mask, -torch.inf)`, "
        "`torch.softmax(scores, dim=-1)`, and `weights @ value`.",
    ],
    examples=[
        "attention(torch.tensor([[[[1., 0., 0., 0.]]]]), torch.tensor([[[[2., 0., 0., 0.], [0., 2., 0., "
        "0.]]]]), "
        "torch.tensor([[[[10.], [20.]]]]), torch.tensor([[True, True]]))",
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


def finished(scores, value, mask):
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
    return weights @ value, weights


mistake = attention.mistake


@mistake(
    "A2",
    advice="Without `dim` a softmax of four axes normalizes axis 1, the heads: say `dim=-1`.",
)
def over_heads(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=1)
    return weights @ value, weights


@mistake(
    "A1", advice="Your weights sum to 1 over the queries. A query shares its attention: `dim=-1`, the keys."
)
def over_queries(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-2)
    return weights @ value, weights


@mistake(
    "A10",
    advice="`view` reads the same numbers in other rows; to swap the axes of the keys write `key.mT`.",
)
def key_by_view(query, key, value, mask):
    turned = key.contiguous().view(*key.shape[:-2], key.shape[-1], key.shape[-2])
    return finished(query @ turned / math.sqrt(query.shape[-1]), value, mask)


@mistake("A4", advice="The scores are not scaled: divide by the square root of d_k.")
def not_scaled(query, key, value, mask):
    return finished(query @ key.mT, value, mask)


@mistake("A5", advice="You divide by d_k: it is its square root.")
def by_d_k(query, key, value, mask):
    return finished(query @ key.mT / query.shape[-1], value, mask)


@mistake("A6", advice="You divide by the root of d_model. Each head has d_k numbers: `query.shape[-1]`.")
def by_d_model(query, key, value, mask):
    return finished(query @ key.mT / math.sqrt(query.shape[-1] * query.shape[1]), value, mask)


@mistake(
    "M2", "M4", advice="Hidden scores become about 0 (-1e-12 is zero too), a normal score: use -torch.inf."
)
def filled_with_zero(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask, -1e-12), dim=-1)
    return weights @ value, weights


@mistake(
    "M6",
    advice="You remove weights after they were shared out, so the rest no longer sums to 1. Mask the scores.",
)
def after_softmax(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1) * mask
    return weights @ value, weights


@mistake("M8", advice="`masked_fill` returns a new tensor. Assign it, or the mask changes nothing.")
def not_assigned(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M1", advice="You hide what may be seen: fill where the mask is False, `~mask`.")
def inverted(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(mask, -1e9), dim=-1)
    return weights @ value, weights


@mistake("A11", advice="These are scores: what you return second are the weights, after the softmax.")
def returns_scores(query, key, value, mask):
    scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -torch.inf)
    return torch.softmax(scores, dim=-1) @ value, scores


@mistake(
    "M15", advice="A hidden key keeps a little weight: the fill is no infinity. Use -torch.inf (or -1e9)."
)
def filled_with_minus_ten(query, key, value, mask):
    scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -10.0)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(
    "A21", advice="You divide by the root of the number of keys. d_k is the last axis: `query.shape[-1]`."
)
def by_number_of_keys(query, key, value, mask):
    return finished(query @ key.mT / math.sqrt(key.shape[2]), value, mask)


@mistake("A13", advice="The values are averaged by the weights, and what you average are the keys.")
def averages_keys(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
    return weights @ key, weights
