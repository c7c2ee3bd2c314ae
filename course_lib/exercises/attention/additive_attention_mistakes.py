"""Wrong answers to additive_attention: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("Q1")
def no_tanh(query, key, value, W_query, W_key, v):
    """The tanh is missing. Without it the query adds the same number to all scores of its row, and the
    softmax removes this number. Apply tanh to the sum of query and key.
    """
    hidden = (query @ W_query)[:, :, None] + (key @ W_key)[:, None]
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@mistake("Q2")
def tanh_each(query, key, value, W_query, W_key, v):
    """You apply tanh before you add, so the query cancels in the softmax. Add query and key first, then apply
    tanh.
    """
    hidden = torch.tanh(query @ W_query)[:, :, None] + torch.tanh(key @ W_key)[:, None]
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@mistake("Q3")
def no_v(query, key, value, W_query, W_key, v):
    """You add up the hidden units without `v`. The score weights them by `v`: `tanh(queries + keys) @ v`."""
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden.sum(-1), dim=-1)
    return weights @ value, weights


@mistake("Q3")
def tanh_after_v(query, key, value, W_query, W_key, v):
    """You apply tanh after `v`. It belongs on the hidden units, before `v`: `tanh(queries + keys) @ v`."""
    hidden = (query @ W_query)[:, :, None] + (key @ W_key)[:, None]
    weights = torch.softmax(torch.tanh(hidden @ v), dim=-1)
    return weights @ value, weights


@mistake("Q3")
def swapped_matrices(query, key, value, W_query, W_key, v):
    """You swapped the matrices. `W_query` is for the queries and `W_key` is for the keys."""
    hidden = torch.tanh((query @ W_key)[:, :, None] + (key @ W_query)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@mistake("Q5")
def averages_projected_keys(query, key, value, W_query, W_key, v):
    """You averaged the projected keys. Use them for the scores only, and average the values."""
    keys = key @ W_key
    weights = torch.softmax(torch.tanh((query @ W_query)[:, :, None] + keys[:, None]) @ v, dim=-1)
    return weights @ keys, weights


@mistake
def averages_keys(query, key, value, W_query, W_key, v):
    """You averaged the keys. The keys decide the weights, but the average is taken over the values."""
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ key, weights


@mistake
def relu(query, key, value, W_query, W_key, v):
    """You used ReLU instead of tanh. It can work too, but the formula of this exercise has tanh."""
    hidden = torch.relu((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@mistake
def scaled(query, key, value, W_query, W_key, v):
    """You scaled the scores. Additive scores are not scaled, because tanh bounds the hidden units already."""
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v / v.shape[0] ** 0.5, dim=-1)
    return weights @ value, weights


@mistake
def multiplied(query, key, value, W_query, W_key, v):
    """You took the dot product of the projections. Additive attention adds them, then applies tanh, then
    multiplies by `v`.
    """
    weights = torch.softmax((query @ W_query) @ (key @ W_key).mT, dim=-1)
    return weights @ value, weights


@mistake("A1")
def over_queries(query, key, value, W_query, W_key, v):
    """Your weights sum to 1 over the queries. Each query has to choose among the keys, so the weights have to
    sum to 1 over the keys, the last axis.
    """
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-2)
    return weights @ value, weights


@mistake("A3")
def over_batch(query, key, value, W_query, W_key, v):
    """Your softmax runs over the batch, so the sentences compete with each other. Write dim=-1, the axis of
    the keys.
    """
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=0)
    return weights @ value, weights


@mistake("A14")
def naive_softmax(query, key, value, W_query, W_key, v):
    """The exponential of a large score is infinity, and infinity divided by infinity is NaN. Subtract the
    maximum of each row first, as torch.softmax does. Mathematically the weights stay the same.
    """
    weights = torch.exp(torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake(mentions="(?<!soft)max")
def global_maximum(query, key, value, W_query, W_key, v):
    """You subtract the largest score of all. In a row far below it, every exponential becomes 0, and 0/0 is
    NaN. Subtract from each row its own maximum: `amax(dim=-1, keepdim=True)`.
    """
    scores = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v
    weights = torch.exp(scores - scores.max())
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake(mentions=r"\bv(\[.*None|\.(unsqueeze|view|reshape))")
def trailing_axis(query, key, value, W_query, W_key, v):
    """Your scores end in an axis of size 1, and the softmax runs over this axis. `v` is a vector, so `hidden
    @ v` gives scores without it.
    """
    scores = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v[:, None]
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def units_not_summed(query, key, value, W_query, W_key, v):
    """Your scores have one axis too many. `hidden @ v` multiplies by `v` and sums over the hidden units."""
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden * v, dim=-1)
    return weights @ value, weights


@mistake
def v_first(query, key, value, W_query, W_key, v):
    """`v` has to come last. `hidden @ v` sums over the last axis, which holds the hidden units."""
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(v @ hidden, dim=-1)
    return weights @ value, weights


@mistake(mentions=r"transpose\(|\.mT|\.T\b|permute\(|swap")
def weights_transposed(query, key, value, W_query, W_key, v):
    """Weights of shape (batch, target, source) need no transpose. Write `weights @ value`."""
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights.transpose(1, 2) @ value, weights


@mistake("A13")
def no_softmax(query, key, value, W_query, W_key, v):
    """These are scores, not weights yet. Apply a softmax to them."""
    weights = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v
    return weights @ value, weights


@mistake("A16", lacks="keepdim=")
def no_keepdim(query, key, value, W_query, W_key, v):
    """Without `keepdim=True` the sum loses its last axis, so the division no longer pairs each row with its
    own sum. Write `sum(dim=-1, keepdim=True)`.
    """
    scores = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v
    weights = torch.exp(scores) / torch.exp(scores).sum(-1)
    return weights @ value, weights


@mistake
def no_axes(query, key, value, W_query, W_key, v):
    """Query and key need an axis each, so that every query is compared with every key. Use `[:, :, None]` on
    the queries and `[:, None]` on the keys.
    """
    weights = torch.softmax(torch.tanh(query @ W_query + key @ W_key) @ v, dim=-1)
    return weights @ value, weights


@mistake
def matrix_first(query, key, value, W_query, W_key, v):
    """In this course vectors are rows. Write `query @ W_query`: the matrix comes second and needs no
    transpose.
    """
    hidden = torch.tanh((W_query.T @ query)[:, :, None] + (W_key.T @ key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@mistake
def keys_first(query, key, value, W_query, W_key, v):
    """Your scores have the shape (batch, source, target). The axis of the queries has to come first: (batch,
    target, source).
    """
    hidden = torch.tanh((query @ W_query)[:, None] + (key @ W_key)[:, :, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@mistake
def swapped_results(query, key, value, W_query, W_key, v):
    """You return the weights first. Return the output first, and then the weights."""
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights, weights @ value
