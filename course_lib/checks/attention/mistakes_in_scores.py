"""What learners write for scaled_dot_product_attention when scale, softmax or axes go wrong."""

import math

import torch
import torch.nn.functional as F

from course_lib.checks.attention.scaled_dot_product import scaled_dot_product_attention

mistake = scaled_dot_product_attention.mistake


@mistake(
    "A4",
    advice="You forgot to divide by √d_k: at d_k = 512 the largest of 10 weights averages 0.95 without it.",
)
def no_scale(query, key, value, mask=None):
    scores = query @ key.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A5", advice="You divided by d_k, not by its square root.")
def divided_by_d_k(query, key, value, mask=None):
    scores = query @ key.mT / query.shape[-1]
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A6", advice="d_k is the size of one query of one head: the last axis alone, not heads times that.")
def root_of_d_model(query, key, value, mask=None):
    d_model = query.shape[-1] * (query.shape[1] if query.dim() == 4 else 1)
    scores = query @ key.mT / math.sqrt(d_model)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(
    "A6",
    advice="d_k is the size of the last axis. You took the number of keys; divide by the root of "
    "`query.shape[-1]`.",
)
def root_of_source(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-2])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(
    "A6",
    advice="d_k is the size of the last axis. You took the number of queries; divide by the root of "
    "`query.shape[-1]`.",
)
def root_of_target(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-2])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(
    "A6",
    advice="The scale is the root of d_k, the length of queries and keys; you took d_v, the length of the "
    "values.",
)
def root_of_d_v(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(value.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(
    "A7",
    advice="Your scores are multiplied by √d_k. If your scale is already an inverse (d_k ** -0.5), "
    "multiply by it.",
)
def multiplied_by_root(query, key, value, mask=None):
    scores = query @ key.mT / query.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A8", advice="The division belongs inside the softmax: after it the weights no longer sum to 1.")
def divided_after_softmax(query, key, value, mask=None):
    scores = query @ key.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1) / math.sqrt(query.shape[-1])
    return weights @ value, weights


@mistake("A8", advice="The division belongs inside the softmax: you scaled the output.")
def divided_output(query, key, value, mask=None):
    scores = query @ key.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value / math.sqrt(query.shape[-1]), weights


@mistake(
    "A1",
    advice="Your weights sum to one over the queries: each key distributes itself, instead of each query "
    "choosing "
    "among keys.",
)
def over_queries(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-2)
    return weights @ value, weights


@mistake(
    "A2",
    advice="Without `dim` PyTorch picks an axis itself: the batch here, the heads with four axes. Say "
    "dim=-1.",
)
def softmax_without_dim(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.nn.Softmax()(scores)
    return weights @ value, weights


@mistake("A3", advice="Your softmax runs over the batch: sentences compete with each other. Say dim=-1.")
def over_batch(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=0)
    return weights @ value, weights


@mistake("A1", advice="dim=2 is the source axis only while there are three axes. Count from the end: dim=-1.")
def fixed_dim(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=2)
    return weights @ value, weights


@mistake(
    "A10",
    advice="`view` reshuffles numbers, `transpose` swaps axes: use `key.transpose(-2, -1)` or `key.mT`.",
)
def key_viewed(query, key, value, mask=None):
    scores = query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2]) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(
    "A11", advice="Axes 1 and 2 are heads and sequence once there are heads. Swap the last two: `key.mT`."
)
def key_transposed_1_2(query, key, value, mask=None):
    scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A11", advice="`.T` reverses all axes, the batch too. Swap the last two only: `key.mT`.")
def key_reversed(query, key, value, mask=None):
    scores = query @ key.permute(*range(key.dim() - 1, -1, -1)) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A12", advice="The key is not transposed: `key.mT` brings its features beside those of the query.")
def key_not_transposed(query, key, value, mask=None):
    scores = query @ key / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A13", advice="These are scores, not weights yet: the softmax is missing.")
def no_softmax(query, key, value, mask=None):
    weights = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    return weights @ value, weights


@mistake(
    "A13", advice="The softmax is missing: these are scores, and minus infinity times a value is no average."
)
def no_softmax_infinite(query, key, value, mask=None):
    weights = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        weights = weights.masked_fill(~mask, -torch.inf)
    return weights @ value, weights


@mistake(
    "A13", advice="The values are averaged by scores: multiply them by the weights that the softmax gives."
)
def values_by_scores(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -torch.inf), dim=-1)
    return scores @ value, weights


@mistake(
    "A14",
    advice="exp of a large score is infinity, and infinity over infinity is NaN. Subtract the row maximum "
    "first: "
    "mathematically it changes nothing (torch.softmax does it).",
)
def naive_softmax(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake("A16", advice="`keepdim=True` keeps the sum next to its row; without it the division goes astray.")
def no_keepdim(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.exp(scores - scores.amax(-1, keepdim=True))
    weights = weights / weights.sum(-1)
    return weights @ value, weights


@mistake("A20", advice="The caller still needs its query: `query = query / ...` makes a new tensor.")
def in_place(query, key, value, mask=None):
    query /= math.sqrt(query.shape[-1])
    scores = query @ key.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(
    "A19",
    advice="`F.dropout` does not know about eval(): it drops weights at every call. This function needs no "
    "dropout.",
)
def dropout_always(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = F.dropout(torch.softmax(scores, dim=-1), 0.5)
    return weights @ value, weights


@mistake("A15", advice="You apply the softmax twice: what goes into it are scores, not weights.")
def softmax_twice(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(torch.softmax(scores, dim=-1), dim=-1)
    return weights @ value, weights
