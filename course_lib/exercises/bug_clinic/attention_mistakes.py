"""Wrong answers to attention: name, advice, code."""

import math

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


def finished(scores, value, mask):
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
    return weights @ value, weights


@mistake("A2")
def over_heads(query, key, value, mask):
    """Your weights sum to 1 over axis 1, the heads, as in a softmax without `dim`. Use `dim=-1`."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=1)
    return weights @ value, weights


@mistake(mentions=r"\bexp\(")
def naive_exponentials(query, key, value, mask):
    """Exponentials of large scores are infinite, and infinity / infinity is NaN. Subtract the largest score
    of each row first, or use `torch.softmax`.
    """
    powers = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -torch.inf).exp()
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake(mentions=r"\bexp\(")
def global_maximum(query, key, value, mask):
    """You subtract one number from all rows. If the scores of a row are far below it, all of its exponentials
    are 0, and 0/0 is NaN. Subtract the largest score of each row, `dim=-1`, or use `torch.softmax`.
    """
    scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -torch.inf)
    powers = torch.exp(scores - scores.max())
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake
def without_gradient(query, key, value, mask):
    """The results are right, but no gradient flows through them, so nothing could be learned. `.detach()`,
    `.numpy()`, `.item()` and `torch.no_grad()` cut it off, and so does a new tensor made of plain numbers.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    output, weights = finished(scores.detach(), value.detach(), mask)
    return output, weights


@mistake("A1")
def over_queries(query, key, value, mask):
    """Your weights sum to 1 over the queries. Each query shares its attention among the keys:
    use `dim=-1`.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-2)
    return weights @ value, weights


@mistake("A10")
def key_by_view(query, key, value, mask):
    """`view` and `reshape` read the same numbers in other rows. To swap the axes of the keys,
    use `key.mT`.
    """
    turned = key.contiguous().view(*key.shape[:-2], key.shape[-1], key.shape[-2])
    return finished(query @ turned / math.sqrt(query.shape[-1]), value, mask)


@mistake("A4")
def not_scaled(query, key, value, mask):
    """You do not scale the scores. Divide them by the square root of d_k."""
    return finished(query @ key.mT, value, mask)


@mistake("A5")
def by_d_k(query, key, value, mask):
    """You divide by d_k. Divide by its square root."""
    return finished(query @ key.mT / query.shape[-1], value, mask)


@mistake("A6")
def by_d_model(query, key, value, mask):
    """You divide by the square root of d_model. Each head has d_k numbers: use `query.shape[-1]`."""
    return finished(query @ key.mT / math.sqrt(query.shape[-1] * query.shape[1]), value, mask)


@mistake("M2", "M4")
def filled_with_zero(query, key, value, mask):
    """Your hidden scores become about 0 (so does -1e-12), which is a normal score. Use -torch.inf."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask, -1e-12), dim=-1)
    return weights @ value, weights


@mistake("M6")
def after_softmax(query, key, value, mask):
    """You remove weights after the softmax, so the rest no longer sums to 1. Mask the scores."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1) * mask
    return weights @ value, weights


@mistake("M8")
def not_assigned(query, key, value, mask):
    """Your mask changes nothing. (`masked_fill` returns a new tensor: assign it.)"""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M1")
def inverted(query, key, value, mask):
    """You hide the keys that may be seen, and show those that may not. Fill where the mask is False,
    `~mask`.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(mask, -1e9), dim=-1)
    return weights @ value, weights


@mistake("M1", mentions="masked_fill", lacks="~")
def inverted_with_infinity(query, key, value, mask):
    """You hide the keys that may be seen. A query that may see all keys is left with none, which gives NaN.
    Fill where the mask is False, `~mask`.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)
    return weights @ value, weights


@mistake
def returns_scores(query, key, value, mask):
    """Your second result is the scores. Return the weights, after the softmax."""
    scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -torch.inf)
    return torch.softmax(scores, dim=-1) @ value, scores


@mistake("M15")
def filled_with_minus_ten(query, key, value, mask):
    """A hidden key keeps a little weight, because your fill is not low enough. Use -torch.inf (or -1e9)."""
    scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -10.0)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def by_number_of_heads(query, key, value, mask):
    """You divide by the square root of the number of heads. d_k is the last axis: `query.shape[-1]`."""
    return finished(query @ key.mT / math.sqrt(query.shape[1]), value, mask)


@mistake(mentions=r"\.T\b")
def all_axes_turned(query, key, value, mask):
    """`.T` turns the order of all four axes around. `key.mT` swaps the last two alone."""
    return finished(query @ key.T / math.sqrt(query.shape[-1]), value, mask)


@mistake
def by_number_of_keys(query, key, value, mask):
    """You divide by the square root of the number of keys. d_k is the last axis: `query.shape[-1]`."""
    return finished(query @ key.mT / math.sqrt(key.shape[2]), value, mask)


@mistake
def by_number_of_queries(query, key, value, mask):
    """You divide by the square root of the number of queries. d_k is the last axis: `query.shape[-1]`."""
    return finished(query @ key.mT / math.sqrt(query.shape[2]), value, mask)


@mistake
def averages_keys(query, key, value, mask):
    """You average the keys. Average the values with the weights."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
    return weights @ key, weights


@mistake
def swapped_results(query, key, value, mask):
    """You return the weights first. Return the output first, and then the weights."""
    output, weights = finished(query @ key.mT / math.sqrt(query.shape[-1]), value, mask)
    return weights, output


@mistake(mentions=r"\bview\(")
def axes_joined_by_view(query, key, value, mask):
    """`view` cannot join batch and heads when the heads were made by a transpose, as those of lesson 03 are.
    `@` takes any number of axes there, so leave them as they are, or use `reshape`.
    """
    folded = query.view(-1, *query.shape[-2:]) @ key.view(-1, *key.shape[-2:]).mT
    scores = folded.view(*query.shape[:-1], key.shape[-2]) / math.sqrt(query.shape[-1])
    return finished(scores, value, mask)
