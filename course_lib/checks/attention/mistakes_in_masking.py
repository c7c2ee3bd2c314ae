"""What learners write for scaled_dot_product_attention when masking goes wrong (True: may look)."""

import math

import torch

from course_lib.checks.attention.scaled_dot_product import scaled_dot_product_attention

mistake = scaled_dot_product_attention.mistake


@mistake(
    "M1", advice="You hid what may be seen and kept what is hidden: fill where the mask is False (`~mask`)."
)
def inverted(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(
    "M1", advice="You hid what may be seen and kept what is hidden: fill where the mask is False (`~mask`)."
)
def inverted_billion(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(
    "M2", "M4", advice="Zero is a normal score, for e⁰ = 1 (and -1e-9 is zero too): fill with minus infinity."
)
def filled_with_zero(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, 0)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(
    "M6",
    advice="You removed weights after they were shared out: the rest no longer sums to 1, and the hidden "
    "key was in "
    "the denominator. Mask the scores, before the softmax.",
)
def masked_after_softmax(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


@mistake(
    "M7",
    advice="Right in theory, but 0/0 when a hidden score dominates: mask the scores, before the softmax.",
)
def renormalized(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights


@mistake(
    "M8",
    advice="The mask changes nothing. `masked_fill` returns a new tensor: assign what it gives.",
)
def not_assigned(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(
    "M11",
    advice="The mask is boolean, True where a query may look. Adding it adds 1 to the scores it allows and "
    "hides nothing.",
)
def mask_added(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores + mask
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake(
    "M15",
    advice="A finite fill like -1e4 is a bound: scores below it lose to hidden keys. Use -torch.inf or "
    "torch.finfo(dtype).min.",
)
def minus_ten_thousand(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e4)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M9", advice="A tensor has no single truth value: write `if mask is not None:`.")
def truth_of_mask(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@mistake("M10", advice="Indexing does not broadcast a mask of shape (batch, 1, source); `masked_fill` does.")
def indexed(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores[~mask] = -torch.inf
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights
