"""Wrong answers to attention_pooling: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake
def no_minus(query, key, value, width=1.0):
    """The minus sign is missing, so your query gives the most weight to the farthest key. Put it before the
    squared distance.
    """
    scores = (query[:, None] - key[None, :]) ** 2 / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def absolute(query, key, value, width=1.0):
    """You used the absolute value of the distance (a Laplace kernel). Square the distance instead."""
    scores = -(query[:, None] - key[None, :]).abs() / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def absolute_without_half(query, key, value, width=1.0):
    """You used the absolute value of the distance (a Laplace kernel). Square the distance instead."""
    scores = -(query[:, None] - key[None, :]).abs() / width
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def signed(query, key, value, width=1.0):
    """You did not square the difference. Without the square, the query cancels in the softmax, and every
    query gets the same weights.
    """
    scores = -(query[:, None] - key[None, :]) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def no_half(query, key, value, width=1.0):
    """The factor 2 is missing. A Gaussian kernel divides the squared distance by `2 * width**2`."""
    scores = -((query[:, None] - key[None, :]) ** 2) / width**2
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def width_not_squared(query, key, value, width=1.0):
    """You did not square the width. Distance and width have the same unit, so square both."""
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def width_multiplied(query, key, value, width=1.0):
    """Divide by all of `(2 * width**2)`. Without the brackets, `/ 2 * width**2` divides by 2 and then
    multiplies.
    """
    scores = -((query[:, None] - key[None, :]) ** 2) * width**2 / 2
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def width_ignored(query, key, value, width=1.0):
    """Your kernel has the width 1, whatever the argument `width` is. Divide by `2 * width**2`."""
    scores = -((query[:, None] - key[None, :]) ** 2) / 2
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def dot_product(query, key, value, width=1.0):
    """Your score is the dot product of query and key. Here the nearest key needs the highest score: use minus
    the squared distance.
    """
    weights = torch.softmax(query[:, None] * key[None, :], dim=-1)
    return weights @ value, weights


@mistake("A1")
def over_queries(query, key, value, width=1.0):
    """Your weights sum to 1 over the queries. Each query has to choose among the keys, so the weights have to
    sum to 1 over the keys, the last axis.
    """
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=0)
    return weights @ value, weights


@mistake("A13")
def no_softmax(query, key, value, width=1.0):
    """These are scores, not weights yet. Apply a softmax to them."""
    weights = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    return weights @ value, weights


@mistake
def not_normalized(query, key, value, width=1.0):
    """Your weights do not sum to 1. Divide them by their sum over the keys."""
    weights = torch.exp(-((query[:, None] - key[None, :]) ** 2) / (2 * width**2))
    return weights @ value, weights


@mistake(mentions="(?<!soft)max")
def global_maximum(query, key, value, width=1.0):
    """You subtract the largest score of the whole table. For a query far from every key, all exponentials
    become 0, and 0/0 is NaN. Subtract from each row its own maximum: `amax(dim=-1, keepdim=True)`.
    """
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    kernel = torch.exp(scores - scores.max())
    weights = kernel / kernel.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake("A14")
def naive_softmax(query, key, value, width=1.0):
    """For a query far from every key, all your exponentials become 0, and 0/0 is NaN. Subtract the maximum of
    each row before exp, as torch.softmax does. Mathematically the weights stay the same.
    """
    kernel = torch.exp(-((query[:, None] - key[None, :]) ** 2) / (2 * width**2))
    weights = kernel / kernel.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake("A16", lacks="keepdim=")
def no_keepdim(query, key, value, width=1.0):
    """Without `keepdim=True` the sum loses its last axis, so the division no longer pairs each row with its
    own sum. Write `sum(dim=-1, keepdim=True)`.
    """
    kernel = torch.exp(-((query[:, None] - key[None, :]) ** 2) / (2 * width**2))
    weights = kernel / kernel.sum(dim=-1)
    return weights @ value, weights


@mistake(mentions=r"\bexp\(")
def exp_and_softmax(query, key, value, width=1.0):
    """You applied exp before the softmax, and the softmax applies it again. Give the scores to the softmax,
    without exp.
    """
    scores = torch.exp(-((query[:, None] - key[None, :]) ** 2) / (2 * width**2))
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(mentions=r"transpose\(|\.mT|\.T\b|permute\(|swap")
def weights_transposed(query, key, value, width=1.0):
    """Weights of shape (target, source) need no transpose. Write `weights @ value`."""
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights.T @ value, weights


@mistake
def keys_first(query, key, value, width=1.0):
    """Your table has the shape (source, target). It needs one row for each query: `query[:, None] - key[None,
    :]`.
    """
    scores = -((query[None, :] - key[:, None]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def not_summed(query, key, value, width=1.0):
    """Your prediction still has an axis for the keys. Sum the products over this axis: `weights @ value`
    multiplies and sums.
    """
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights * value, weights


@mistake
def all_summed(query, key, value, width=1.0):
    """You sum over the queries too. Sum over the keys only, to keep one number for each query: `(weights *
    value).sum(dim=-1)`, or `weights @ value`.
    """
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return (weights * value).sum(), weights


@mistake
def averages_keys(query, key, value, width=1.0):
    """You averaged the keys. The keys decide the weights, but the average is taken over the values."""
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ key, weights


@mistake
def plain_mean(query, key, value, width=1.0):
    """Your prediction is the plain mean of all values, so your weights have no effect. Average the values by
    the weights.
    """
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return value.mean().expand(len(query)), weights


@mistake
def hard(query, key, value, width=1.0):
    """You take only the value of the nearest key, which is hard attention. Average all values by their
    weights.
    """
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return value[scores.argmax(dim=-1)], weights


@mistake
def no_axes(query, key, value, width=1.0):
    """Query and key need an axis each, so that every query is compared with every key. `query[:, None] -
    key[None, :]` has the shape (target, source).
    """
    scores = -((query - key) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def swapped_results(query, key, value, width=1.0):
    """Your results are in the wrong order. Return the prediction first, then the weights."""
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights, weights @ value


@mistake
def two_squared(query, key, value, width=1.0):
    """You squared the 2 as well. Square only the width: `2 * width**2`, not `(2 * width)**2`."""
    scores = -(((query[:, None] - key[None, :]) / (2 * width)) ** 2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights
