"""Wrong answers to additive_attention: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("Q1")
def no_tanh(query, key, value, W_query, W_key, v):
    """Put tanh around the sum. Without it the query adds one constant to all scores, and the softmax removes
    it.
    """
    hidden = (query @ W_query)[:, :, None] + (key @ W_key)[:, None]
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@mistake("Q2")
def tanh_each(query, key, value, W_query, W_key, v):
    """The query cancels in the softmax: add query and key first, tanh after."""
    hidden = torch.tanh(query @ W_query)[:, :, None] + torch.tanh(key @ W_key)[:, None]
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@mistake("Q3")
def no_v(query, key, value, W_query, W_key, v):
    """The score is `tanh(queries + keys) @ v`: weight the hidden units by `v`, do not only add them."""
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden.sum(-1), dim=-1)
    return weights @ value, weights


@mistake("Q3")
def tanh_after_v(query, key, value, W_query, W_key, v):
    """The score is `tanh(queries + keys) @ v`: tanh belongs before `v`, on the hidden units."""
    hidden = (query @ W_query)[:, :, None] + (key @ W_key)[:, None]
    weights = torch.softmax(torch.tanh(hidden @ v), dim=-1)
    return weights @ value, weights


@mistake("Q3")
def swapped_matrices(query, key, value, W_query, W_key, v):
    """The matrices are swapped: `W_query` is for queries, `W_key` for keys."""
    hidden = torch.tanh((query @ W_key)[:, :, None] + (key @ W_query)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@mistake("Q5")
def averages_projected_keys(query, key, value, W_query, W_key, v):
    """Score with projected keys, but average the values themselves."""
    keys = key @ W_key
    weights = torch.softmax(torch.tanh((query @ W_query)[:, :, None] + keys[:, None]) @ v, dim=-1)
    return weights @ keys, weights


@mistake
def averages_keys(query, key, value, W_query, W_key, v):
    """You averaged the keys: the keys decide the weights, what is averaged are the values."""
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ key, weights


@mistake
def relu(query, key, value, W_query, W_key, v):
    """ReLU in place of tanh: a fine idea, but not the formula of this exercise."""
    hidden = torch.relu((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@mistake
def scaled(query, key, value, W_query, W_key, v):
    """Additive scores are not scaled: tanh bounds them already."""
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v / v.shape[0] ** 0.5, dim=-1)
    return weights @ value, weights


@mistake
def multiplied(query, key, value, W_query, W_key, v):
    """That is a dot product of the projections: additive attention adds them, then tanh, then `v`."""
    weights = torch.softmax((query @ W_query) @ (key @ W_key).mT, dim=-1)
    return weights @ value, weights


@mistake("A1")
def over_queries(query, key, value, W_query, W_key, v):
    """Your weights sum to one over the queries: each key distributes itself, instead of each query choosing
    among keys.
    """
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-2)
    return weights @ value, weights


@mistake("A3")
def over_batch(query, key, value, W_query, W_key, v):
    """Your softmax runs over the batch: sentences compete with each other. Say dim=-1."""
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=0)
    return weights @ value, weights


@mistake("A14")
def naive_softmax(query, key, value, W_query, W_key, v):
    """exp of a large score is infinity, and infinity over infinity is NaN. Subtract the row maximum first
    (torch.softmax does): mathematically it changes nothing.
    """
    weights = torch.exp(torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake(mentions="(?<!soft)max")
def global_maximum(query, key, value, W_query, W_key, v):
    """You subtract the largest score of all. In a row far below it every exponential becomes 0, and 0/0 is
    NaN. Each row needs its own maximum: `amax(dim=-1, keepdim=True)`.
    """
    scores = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v
    weights = torch.exp(scores - scores.max())
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake(mentions=r"\bv(\[.*None|\.(unsqueeze|view|reshape))")
def trailing_axis(query, key, value, W_query, W_key, v):
    """Your scores end in an axis of size 1, and the softmax runs over it. `hidden @ v` has no such axis: v is
    a vector.
    """
    scores = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v[:, None]
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def units_not_summed(query, key, value, W_query, W_key, v):
    """Your scores have an axis too many. `hidden @ v` multiplies by `v` and sums over the hidden units."""
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden * v, dim=-1)
    return weights @ value, weights


@mistake
def v_first(query, key, value, W_query, W_key, v):
    """`v` comes last: `hidden @ v` sums over the last axis, the hidden units."""
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(v @ hidden, dim=-1)
    return weights @ value, weights


@mistake(mentions=r"transpose\(|\.mT|\.T\b|permute\(|swap")
def weights_transposed(query, key, value, W_query, W_key, v):
    """Weights of shape (batch, target, source) need no transpose: `weights @ value`."""
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights.transpose(1, 2) @ value, weights


@mistake("A13")
def no_softmax(query, key, value, W_query, W_key, v):
    """These are scores, not weights yet: the softmax is missing."""
    weights = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v
    return weights @ value, weights


@mistake("A16", lacks="keepdim=")
def no_keepdim(query, key, value, W_query, W_key, v):
    """`keepdim=True` keeps the sum next to its row; without it the division goes astray."""
    scores = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v
    weights = torch.exp(scores) / torch.exp(scores).sum(-1)
    return weights @ value, weights


@mistake
def no_axes(query, key, value, W_query, W_key, v):
    """Query and key need axes of their own, so that every query meets every key: `[:, :, None]` on the one
    and `[:, None]` on the other.
    """
    weights = torch.softmax(torch.tanh(query @ W_query + key @ W_key) @ v, dim=-1)
    return weights @ value, weights


@mistake
def matrix_first(query, key, value, W_query, W_key, v):
    """Rows are vectors here: `query @ W_query`, and the matrix needs no transpose."""
    hidden = torch.tanh((W_query.T @ query)[:, :, None] + (W_key.T @ key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@mistake
def keys_first(query, key, value, W_query, W_key, v):
    """Your scores are (batch, source, target): the axis of the queries comes first."""
    hidden = torch.tanh((query @ W_query)[:, None] + (key @ W_key)[:, :, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights
