"""Wrong answers to attention_pooling: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake
def no_minus(query, key, value, width=1.0):
    """The minus sign is missing: your query attends most to the farthest key."""
    scores = (query[:, None] - key[None, :]) ** 2 / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def absolute(query, key, value, width=1.0):
    """Square the distance: you used its absolute value (a Laplace kernel)."""
    scores = -(query[:, None] - key[None, :]).abs() / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def absolute_without_half(query, key, value, width=1.0):
    """Square the distance: you used its absolute value (a Laplace kernel)."""
    scores = -(query[:, None] - key[None, :]).abs() / width
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def signed(query, key, value, width=1.0):
    """Square the difference. As it is the query cancels in the softmax: every query gets the same weights."""
    scores = -(query[:, None] - key[None, :]) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def no_half(query, key, value, width=1.0):
    """The 2 is missing: a Gaussian has the squared distance over 2 width²."""
    scores = -((query[:, None] - key[None, :]) ** 2) / width**2
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def width_not_squared(query, key, value, width=1.0):
    """Square the width too: distance and width are in the same units."""
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def width_multiplied(query, key, value, width=1.0):
    """Divide by all of `(2 * width**2)`: `/ 2 * width**2` divides by 2 and then multiplies."""
    scores = -((query[:, None] - key[None, :]) ** 2) * width**2 / 2
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def width_ignored(query, key, value, width=1.0):
    """Your kernel has the width 1, whatever the argument `width` says."""
    scores = -((query[:, None] - key[None, :]) ** 2) / 2
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def dot_product(query, key, value, width=1.0):
    """This is a dot product. Here a key counts as far as it is near the query."""
    weights = torch.softmax(query[:, None] * key[None, :], dim=-1)
    return weights @ value, weights


@mistake("A1")
def over_queries(query, key, value, width=1.0):
    """Your weights sum to one over the queries: each key distributes itself, instead of each query choosing
    among keys.
    """
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=0)
    return weights @ value, weights


@mistake("A13")
def no_softmax(query, key, value, width=1.0):
    """These are scores, not weights yet: the softmax is missing."""
    weights = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    return weights @ value, weights


@mistake
def not_normalized(query, key, value, width=1.0):
    """Divide by the sum over the keys, so that the weights sum to one."""
    weights = torch.exp(-((query[:, None] - key[None, :]) ** 2) / (2 * width**2))
    return weights @ value, weights


@mistake(mentions="(?<!soft)max")
def global_maximum(query, key, value, width=1.0):
    """You subtract the largest score of the whole table. For a query far from every key all exponentials
    become 0, and 0/0 is NaN. Each row needs its own maximum: `amax(dim=-1, keepdim=True)`.
    """
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    kernel = torch.exp(scores - scores.max())
    weights = kernel / kernel.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake("A14")
def naive_softmax(query, key, value, width=1.0):
    """Far from every key all of your exponentials become 0, and 0/0 is NaN. Subtract the row maximum first
    (torch.softmax does): mathematically it changes nothing.
    """
    kernel = torch.exp(-((query[:, None] - key[None, :]) ** 2) / (2 * width**2))
    weights = kernel / kernel.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake("A16", lacks="keepdim=")
def no_keepdim(query, key, value, width=1.0):
    """`keepdim=True` keeps the sum next to its row; without it the division goes astray."""
    kernel = torch.exp(-((query[:, None] - key[None, :]) ** 2) / (2 * width**2))
    weights = kernel / kernel.sum(dim=-1)
    return weights @ value, weights


@mistake(mentions=r"\bexp\(")
def exp_and_softmax(query, key, value, width=1.0):
    """The softmax takes exp itself: give it the scores, without exp."""
    scores = torch.exp(-((query[:, None] - key[None, :]) ** 2) / (2 * width**2))
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(mentions=r"transpose\(|\.mT|\.T\b|permute\(|swap")
def weights_transposed(query, key, value, width=1.0):
    """Weights of shape (target, source) need no transpose: `weights @ value`."""
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights.T @ value, weights


@mistake
def keys_first(query, key, value, width=1.0):
    """Your table is (source, target). The queries come first: `query[:, None] - key[None, :]` has one row for
    each query.
    """
    scores = -((query[None, :] - key[:, None]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def not_summed(query, key, value, width=1.0):
    """Your prediction still has an axis for the keys: sum the products over them. `weights @ value`
    multiplies and sums.
    """
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights * value, weights


@mistake
def all_summed(query, key, value, width=1.0):
    """You sum over the queries too: `(weights * value).sum(dim=-1)`, or `weights @ value`, keeps one number
    for each query.
    """
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return (weights * value).sum(), weights


@mistake
def averages_keys(query, key, value, width=1.0):
    """You averaged the keys. The keys decide the weights; what is averaged are the values."""
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ key, weights


@mistake
def plain_mean(query, key, value, width=1.0):
    """This is the plain mean of all values: your weights are not used."""
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return value.mean().expand(len(query)), weights


@mistake
def hard(query, key, value, width=1.0):
    """You take the value of the nearest key only: hard attention. Average all values by their weights."""
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return value[scores.argmax(dim=-1)], weights


@mistake
def no_axes(query, key, value, width=1.0):
    """Query and key need an axis each, so that every query meets every key: `query[:, None] - key[None, :]`
    has shape (target, source).
    """
    scores = -((query - key) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def swapped_results(query, key, value, width=1.0):
    """Return the prediction first, then the weights."""
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights, weights @ value


@mistake
def two_squared(query, key, value, width=1.0):
    """Only the width is squared times 2: `2 * width**2`, not `(2 * width)**2`."""
    scores = -(((query[:, None] - key[None, :]) / (2 * width)) ** 2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights
