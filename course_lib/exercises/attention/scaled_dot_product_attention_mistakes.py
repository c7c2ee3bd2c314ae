"""Wrong answers to scaled_dot_product_attention: name, advice, code."""

import math

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("M1")
def inverted(query, key, value, mask=None):
    """You hid what may be seen and kept what is hidden: fill where the mask is False (`~mask`)."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M1")
def inverted_billion(query, key, value, mask=None):
    """You hid what may be seen and kept what is hidden: fill where the mask is False (`~mask`)."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M2", "M4")
def filled_with_zero(query, key, value, mask=None):
    """Zero is a normal score, for e⁰ = 1 (and -1e-9 is zero too): fill with minus infinity."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, 0)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M6")
def masked_after_softmax(query, key, value, mask=None):
    """You removed weights after they were shared out: the rest no longer sums to 1, and the hidden key was in
    the denominator. Mask the scores, before the softmax.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


@mistake("M7")
def renormalized(query, key, value, mask=None):
    """Right in theory, but 0/0 when a hidden score dominates: mask the scores, before the softmax."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake("M8", mentions=r"(?m)^\s*[\w.]+\.(masked_fill|where)\(")
def not_assigned(query, key, value, mask=None):
    """The mask changes nothing. `masked_fill` and `where` return a new tensor: assign what they give."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def mask_forgotten(query, key, value, mask=None):
    """The mask changes nothing: where it is False the score must become minus infinity, before the
    softmax.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M11", mentions=r"\+")
def mask_added(query, key, value, mask=None):
    """The mask is boolean, True where a query may look. Adding it adds 1 to the scores it allows and hides
    nothing.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores + mask
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M15")
def minus_ten_thousand(query, key, value, mask=None):
    """A finite fill like -1e4 is a bound: scores below it lose to hidden keys. Use -torch.inf or
    torch.finfo(dtype).min.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e4)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(mentions=r"\bnot mask\b")
def not_of_mask(query, key, value, mask=None):
    """`not` asks for a single truth value, and the mask has many. `~mask` turns each of them over."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(not mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(mentions=r"\bif mask\b(?! is)|\bmask (and|or)\b|if mask [!=]=")
def truth_of_mask(query, key, value, mask=None):
    """A tensor has no single truth value: write `if mask is not None:`."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(mentions=r"\[.*mask.*\]")
def indexed(query, key, value, mask=None):
    """Indexing does not broadcast a mask of shape (batch, 1, source); `masked_fill` does."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores[~mask] = -torch.inf
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A4")
def no_scale(query, key, value, mask=None):
    """Your scores are not divided by √d_k: at d_k = 512 the largest of 10 weights averages 0.95 without
    it.
    """
    scores = query @ key.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A5")
def divided_by_d_k(query, key, value, mask=None):
    """Your scores are divided by d_k. Divide by its square root, and only once."""
    scores = query @ key.mT / query.shape[-1]
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A6")
def root_of_d_model(query, key, value, mask=None):
    """d_k is the size of one query of one head: the last axis alone, not heads times that."""
    d_model = query.shape[-1] * (query.shape[1] if query.dim() == 4 else 1)
    scores = query @ key.mT / math.sqrt(d_model)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def root_of_source(query, key, value, mask=None):
    """d_k is the size of the last axis. You took the number of keys; divide by the root of
    `query.shape[-1]`.
    """
    scores = query @ key.mT / math.sqrt(key.shape[-2])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def root_of_target(query, key, value, mask=None):
    """d_k is the size of the last axis. You took the number of queries; divide by the root of
    `query.shape[-1]`.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-2])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def root_of_d_v(query, key, value, mask=None):
    """The scale is the root of d_k, the length of queries and keys; you took d_v, the length of
    the values.
    """
    scores = query @ key.mT / math.sqrt(value.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A7")
def multiplied_by_root(query, key, value, mask=None):
    """Your scores are multiplied by √d_k. If your scale is already an inverse (d_k ** -0.5),
    multiply by it.
    """
    scores = query @ key.mT / query.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A8")
def divided_after_softmax(query, key, value, mask=None):
    """The division belongs inside the softmax: after it the weights no longer sum to 1."""
    scores = query @ key.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1) / math.sqrt(query.shape[-1])
    return weights @ value, weights


@mistake("A8")
def divided_output(query, key, value, mask=None):
    """The division belongs inside the softmax: you scaled the output."""
    scores = query @ key.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value / math.sqrt(query.shape[-1]), weights


@mistake("A1")
def over_queries(query, key, value, mask=None):
    """Your weights sum to one over the queries: each key distributes itself, instead of each query choosing
    among keys.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-2)
    return weights @ value, weights


@mistake("A2", lacks="dim=")
def softmax_without_dim(query, key, value, mask=None):
    """Without `dim` PyTorch picks an axis itself: the batch here, the heads with four axes. Say dim=-1."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.nn.Softmax()(scores)
    return weights @ value, weights


@mistake("A3")
def over_batch(query, key, value, mask=None):
    """Your softmax runs over the batch: sentences compete with each other. Say dim=-1."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=0)
    return weights @ value, weights


@mistake("A1", mentions=r"\b2\b")
def fixed_dim(query, key, value, mask=None):
    """dim=2 is the source axis only while there are three axes. Count from the end: dim=-1."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=2)
    return weights @ value, weights


@mistake("A10", mentions="view|reshape")
def key_viewed(query, key, value, mask=None):
    """`view` reshuffles numbers, `transpose` swaps axes: use `key.transpose(-2, -1)` or `key.mT`."""
    scores = query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2]) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A11", mentions="1, 2|2, 1")
def key_transposed_1_2(query, key, value, mask=None):
    """Axes 1 and 2 are heads and sequence once there are heads. Swap the last two: `key.mT`."""
    scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A11", mentions=r"\.T\b|permute")
def key_reversed(query, key, value, mask=None):
    """You reverse all axes of the key, the batch too, as `.T` does. Swap the last two only: `key.mT`."""
    scores = query @ key.T / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def key_not_transposed(query, key, value, mask=None):
    """The key is not transposed: `key.mT` brings its features beside those of the query."""
    scores = query @ key / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A13")
def no_softmax(query, key, value, mask=None):
    """These are scores, not weights yet: the softmax is missing."""
    weights = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    return weights @ value, weights


@mistake("A13")
def no_softmax_infinite(query, key, value, mask=None):
    """The softmax is missing: these are scores, and minus infinity times a value is no average."""
    weights = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        weights = weights.masked_fill(~mask, -torch.inf)
    return weights @ value, weights


@mistake("A13")
def values_by_scores(query, key, value, mask=None):
    """The values are averaged by scores: multiply them by the weights that the softmax gives."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -torch.inf), dim=-1)
    return scores @ value, weights


@mistake(mentions="(?<!soft)max")
def global_maximum(query, key, value, mask=None):
    """You subtract the largest score of all. In a row far below it every exponential becomes 0, and 0/0 is
    NaN. Each row needs its own maximum: `amax(dim=-1, keepdim=True)`.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.exp(scores - scores.max())
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake
def keys_first(query, key, value, mask=None):
    """Your scores are (batch, source, target). The queries come first: `query @ key.mT`."""
    scores = key @ query.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def averages_keys(query, key, value, mask=None):
    """You averaged the keys: the keys decide the weights, what is averaged are the values."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ key, weights


@mistake
def value_first(query, key, value, mask=None):
    """The weights stand on the left: `weights @ value`, (target, source) times (source, d_v)."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return value @ weights, weights


@mistake(mentions=r"\*\* ?1 / 2")
def half_of_d_k(query, key, value, mask=None):
    """`**` comes before `/`: `d_k**1/2` is d_k / 2. Use math.sqrt, or `** 0.5`."""
    scores = query @ key.mT / query.shape[-1] ** 1 / 2
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(mentions=r"(?<!\*)\*(?!\*)|\bmul\(")
def elementwise(query, key, value, mask=None):
    """`*` multiplies number by number. A matrix product gives one dot product for each pair:
    `query @ key.mT`.
    """
    scores = query * key / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A14")
def naive_softmax(query, key, value, mask=None):
    """exp of a large score is infinity, and infinity over infinity is NaN. Subtract the row maximum first:
    mathematically it changes nothing (torch.softmax does it).
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake("A16", lacks="(?s)keepdim=.*keepdim=")
def no_keepdim(query, key, value, mask=None):
    """`keepdim=True` keeps the sum next to its row; without it the division goes astray."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.exp(scores - scores.amax(-1, keepdim=True))
    weights = weights / weights.sum(-1)
    return weights @ value, weights


@mistake("A20")
def in_place(query, key, value, mask=None):
    """The caller still needs its query: `query = query / ...` makes a new tensor."""
    query /= math.sqrt(query.shape[-1])
    scores = query @ key.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A19", mentions="dropout")
def dropout_always(query, key, value, mask=None):
    """`F.dropout` does not know about eval(): it drops weights at every call. This function needs
    no dropout.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = F.dropout(torch.softmax(scores, dim=-1), 0.5)
    return weights @ value, weights


@mistake
def softmax_twice(query, key, value, mask=None):
    """You apply the softmax twice: what goes into it are scores, not weights."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(torch.softmax(scores, dim=-1), dim=-1)
    return weights @ value, weights
