"""Wrong answers to scaled_dot_product_attention: name, advice, code."""

import math

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("M1")
def inverted(query, key, value, mask=None):
    """You hid the keys that may be seen and kept the hidden ones. Fill the scores where the mask is False:
    `~mask`.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M1")
def inverted_billion(query, key, value, mask=None):
    """You hid the keys that may be seen and kept the hidden ones. Fill the scores where the mask is False:
    `~mask`.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M1", mentions=r"\*")
def billion_where_seen(query, key, value, mask=None):
    """You add a large negative number where the mask is True, which hides the keys that may be seen. Hide
    the others: fill the scores where the mask is False, `~mask`.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores + mask * -1e9
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def one_query_unmasked(query, key, value, mask=None):
    """You leave the mask out if there is a single query. It hides keys, and a single query must not see
    padding either: use the mask for any number of queries.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None and query.shape[-2] > 1:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M2", "M4")
def filled_with_zero(query, key, value, mask=None):
    """You filled hidden scores with 0 (or nearly 0, like -1e-9). This is a score like any other, because e⁰ =
    1. Fill with minus infinity.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, 0)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M6")
def masked_after_softmax(query, key, value, mask=None):
    """You removed weights after the softmax. The other weights no longer sum to 1, because the hidden key is
    still in the denominator. Mask the scores before the softmax.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


@mistake("M7")
def renormalized(query, key, value, mask=None):
    """You mask after the softmax and divide again. In theory this is right, but it gives 0/0 when a hidden
    score is much larger than the others. Mask the scores before the softmax.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake("M8", mentions=r"(?m)^\s*[\w.]+\.(masked_fill|where)\(")
def not_assigned(query, key, value, mask=None):
    """Your mask changes nothing. `masked_fill` and `where` return a new tensor, so write `scores =
    scores.masked_fill(...)`.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def mask_forgotten(query, key, value, mask=None):
    """Your mask changes nothing. Where it is False, the score has to become minus infinity before the
    softmax.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M11", mentions=r"\+")
def mask_added(query, key, value, mask=None):
    """You added the mask to the scores. It is boolean, so this adds 1 to the scores of keys that may be seen,
    and it hides nothing. Use `masked_fill`.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores + mask
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M15")
def minus_ten_thousand(query, key, value, mask=None):
    """You filled hidden scores with a finite number such as -1e4. A real score below this number gets less
    weight than a hidden key. Use -torch.inf or torch.finfo(dtype).min.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e4)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(mentions=r"\bnot mask\b")
def not_of_mask(query, key, value, mask=None):
    """`not` needs a single truth value, and the mask has many. `~mask` inverts each of them."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(not mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(mentions=r"\bif mask\b(?! is)|\bmask (and|or)\b|if mask [!=]=")
def truth_of_mask(query, key, value, mask=None):
    """A tensor has no single truth value, so `if` cannot test it. Write `if mask is not None:`."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(mentions=r"\[.*mask.*\]")
def indexed(query, key, value, mask=None):
    """Indexing does not broadcast a mask of shape (batch, 1, source). Use `masked_fill`, which does."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores[~mask] = -torch.inf
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A4")
def no_scale(query, key, value, mask=None):
    """Your scores are not divided by √d_k. Without the division, at d_k = 512 the largest of 10 weights is
    0.95 on average.
    """
    scores = query @ key.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A5")
def divided_by_d_k(query, key, value, mask=None):
    """You divided the scores by d_k. Divide them by its square root, and only once."""
    scores = query @ key.mT / query.shape[-1]
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A6")
def root_of_d_model(query, key, value, mask=None):
    """You used the size of all heads together as d_k. d_k is the size of the last axis: divide by the square
    root of `query.shape[-1]`.
    """
    d_model = query.shape[-1] * (query.shape[1] if query.dim() == 4 else 1)
    scores = query @ key.mT / math.sqrt(d_model)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def root_of_source(query, key, value, mask=None):
    """You used the number of keys as d_k. d_k is the size of the last axis: divide by the square root of
    `query.shape[-1]`.
    """
    scores = query @ key.mT / math.sqrt(key.shape[-2])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def root_of_target(query, key, value, mask=None):
    """You used the number of queries as d_k. d_k is the size of the last axis: divide by the square root of
    `query.shape[-1]`.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-2])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def root_of_d_v(query, key, value, mask=None):
    """You divided by the square root of d_v, the size of the values. Divide by the square root of d_k, the
    size of queries and keys.
    """
    scores = query @ key.mT / math.sqrt(value.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A7")
def multiplied_by_root(query, key, value, mask=None):
    """Your scores are multiplied by √d_k instead of divided by it. If your scale is already the inverse (d_k
    ** -0.5), multiply by it.
    """
    scores = query @ key.mT / query.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A8")
def divided_after_softmax(query, key, value, mask=None):
    """You divided the weights after the softmax, so they no longer sum to 1. Divide the scores before the
    softmax.
    """
    scores = query @ key.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1) / math.sqrt(query.shape[-1])
    return weights @ value, weights


@mistake("A8")
def divided_output(query, key, value, mask=None):
    """You divided the output. Divide the scores before the softmax."""
    scores = query @ key.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value / math.sqrt(query.shape[-1]), weights


@mistake("A1")
def over_queries(query, key, value, mask=None):
    """Your weights sum to 1 over the queries. Each query has to choose among the keys, so the weights have to
    sum to 1 over the keys, the last axis.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-2)
    return weights @ value, weights


@mistake("A2", lacks="dim=")
def softmax_without_dim(query, key, value, mask=None):
    """Your softmax has no `dim`, so PyTorch chooses an axis: the batch here, the heads if there are four
    axes. Write dim=-1.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.nn.Softmax()(scores)
    return weights @ value, weights


@mistake("A3")
def over_batch(query, key, value, mask=None):
    """Your softmax runs over the batch, so the sentences compete with each other. Write dim=-1, the axis of
    the keys.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=0)
    return weights @ value, weights


@mistake("A1", mentions=r"\b2\b")
def fixed_dim(query, key, value, mask=None):
    """dim=2 is the axis of the keys only if there are three axes. Count from the end: dim=-1."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=2)
    return weights @ value, weights


@mistake("A10", mentions="view|reshape")
def key_viewed(query, key, value, mask=None):
    """`view` and `reshape` put the numbers into other rows; they do not swap axes. Use `key.transpose(-2,
    -1)` or `key.mT`.
    """
    scores = query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2]) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A11", mentions="1, 2|2, 1")
def key_transposed_1_2(query, key, value, mask=None):
    """Axes 1 and 2 are heads and sequence as soon as there are heads. Swap the last two axes: `key.mT`."""
    scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A11", mentions=r"\.T\b|permute")
def key_reversed(query, key, value, mask=None):
    """You reversed all axes of the key, the batch too, as `.T` does. Swap only the last two: `key.mT`."""
    scores = query @ key.T / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def key_not_transposed(query, key, value, mask=None):
    """The key is not transposed. `query @ key.mT` multiplies every query by every key."""
    scores = query @ key / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A13")
def no_softmax(query, key, value, mask=None):
    """These are scores, not weights yet. Apply a softmax to them."""
    weights = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    return weights @ value, weights


@mistake("A13")
def no_softmax_infinite(query, key, value, mask=None):
    """The softmax is missing. Your values are averaged by scores, and minus infinity times a value is no
    average.
    """
    weights = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        weights = weights.masked_fill(~mask, -torch.inf)
    return weights @ value, weights


@mistake("A13")
def values_by_scores(query, key, value, mask=None):
    """You multiplied the values by the scores. Multiply them by the weights, the result of the softmax."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -torch.inf), dim=-1)
    return scores @ value, weights


@mistake(mentions="(?<!soft)max")
def global_maximum(query, key, value, mask=None):
    """You subtract the largest score of all. In a row far below it, every exponential becomes 0, and 0/0 is
    NaN. Subtract from each row its own maximum: `amax(dim=-1, keepdim=True)`.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.exp(scores - scores.max())
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake
def keys_first(query, key, value, mask=None):
    """Your scores have the shape (batch, source, target). The axis of the queries has to come first: `query @
    key.mT`.
    """
    scores = key @ query.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake
def averages_keys(query, key, value, mask=None):
    """You averaged the keys. The keys decide the weights, but the average is taken over the values."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ key, weights


@mistake
def value_first(query, key, value, mask=None):
    """The weights have to come first. `weights @ value` multiplies (target, source) by (source, d_v)."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return value @ weights, weights


@mistake(mentions=r"\*\* ?1 / 2")
def half_of_d_k(query, key, value, mask=None):
    """Python computes `**` before `/`, so `d_k**1/2` is d_k / 2. Use math.sqrt, or `** 0.5`."""
    scores = query @ key.mT / query.shape[-1] ** 1 / 2
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(mentions=r"(?<!\*)\*(?!\*)|\bmul\(")
def elementwise(query, key, value, mask=None):
    """`*` multiplies number by number. You need the dot product of every query with every key: `query @
    key.mT`.
    """
    scores = query * key / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A14")
def naive_softmax(query, key, value, mask=None):
    """The exponential of a large score is infinity, and infinity divided by infinity is NaN. Subtract the
    maximum of each row first, as torch.softmax does. Mathematically the weights stay the same.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake("A16", lacks="(?s)keepdim=.*keepdim=")
def no_keepdim(query, key, value, mask=None):
    """Without `keepdim=True` the sum loses its last axis, so the division no longer pairs each row with its
    own sum. Write `sum(dim=-1, keepdim=True)`.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.exp(scores - scores.amax(-1, keepdim=True))
    weights = weights / weights.sum(-1)
    return weights @ value, weights


@mistake("A20")
def in_place(query, key, value, mask=None):
    """You changed the query in place, but the caller still needs it. `query = query / ...` makes a new
    tensor.
    """
    query /= math.sqrt(query.shape[-1])
    scores = query @ key.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("A19", mentions="dropout")
def dropout_always(query, key, value, mask=None):
    """You used `F.dropout`, which ignores eval() and drops weights at every call. This function needs no
    dropout.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = F.dropout(torch.softmax(scores, dim=-1), 0.5)
    return weights @ value, weights


@mistake
def softmax_twice(query, key, value, mask=None):
    """You applied the softmax twice. It needs scores, not weights, so apply it once."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(torch.softmax(scores, dim=-1), dim=-1)
    return weights @ value, weights


@mistake
def swapped_results(query, key, value, mask=None):
    """You return the weights first. Return the output first, and then the weights."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights, weights @ value


@mistake(mentions=r"\bview\(")
def axes_joined_by_view(query, key, value, mask=None):
    """`view` cannot join the axes before the sequence when the heads were made by a transpose, as in lesson
    03. `@` takes any number of axes there, so leave them as they are, or use `reshape`.
    """
    scores = query.view(-1, *query.shape[-2:]) @ key.view(-1, *key.shape[-2:]).mT / math.sqrt(query.shape[-1])
    scores = scores.view(*query.shape[:-1], key.shape[-2])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights
