"""What learners write for MultiHeadAttention when scale, softmax or mask go wrong."""

import math

import torch
import torch.nn.functional as F

from course_lib.checks.multi_head.layer import Layer, MultiHeadAttention

mistake = MultiHeadAttention.mistake


@mistake("A4", advice="The scores are not divided by √d_k, where d_k = d_model / heads.")
class NoScale(Layer):
    def score(self, query, key):
        return query @ key.mT


@mistake("A5", advice="You divided by d_k, not by its square root.")
class DividedByWidth(Layer):
    def score(self, query, key):
        return query @ key.mT / query.shape[-1]


@mistake(
    "A6",
    advice="You divided by √d_model. What is multiplied has the width of one head: d_k = d_model / heads.",
)
class RootOfModel(Layer):
    def score(self, query, key):
        return query @ key.mT / math.sqrt(self.heads * query.shape[-1])


@mistake("A6", advice="You divided by the root of the number of heads: d_k is the width of one head.")
class RootOfHeads(Layer):
    def score(self, query, key):
        return query @ key.mT / math.sqrt(self.heads)


@mistake(
    "A7", advice="Your scores are multiplied by √d_k. If your scale is already d_k ** -0.5, multiply by it."
)
class TimesRoot(Layer):
    def score(self, query, key):
        return query @ key.mT * math.sqrt(query.shape[-1])


@mistake("A8", advice="The division belongs inside the softmax: after it the weights no longer sum to 1.")
class DividedAfterwards(Layer):
    def weigh(self, scores, mask):
        d_k = self.query.weight.shape[0] // self.heads
        return super().weigh(scores * math.sqrt(d_k), mask) / math.sqrt(d_k)


@mistake(
    "A10",
    advice="`view` reshuffles numbers, `transpose` swaps axes: use `key.transpose(-2, -1)` or `key.mT`.",
)
class KeyViewed(Layer):
    def score(self, query, key):
        return query @ key.reshape(*key.shape[:2], key.shape[3], key.shape[2]) / math.sqrt(query.shape[-1])


@mistake("A11", advice="Axes 1 and 2 are heads and tokens. Swap the last two: `key.transpose(-2, -1)`.")
class KeyTransposed12(Layer):
    def score(self, query, key):
        return query @ key.transpose(1, 2) / math.sqrt(query.shape[-1])


@mistake(
    "H17",
    advice="Heads and tokens are not swapped, so that at each position head meets head: this is attention "
    "between the heads of one token. Use split_heads.",
)
class HeadsMeetHeads(Layer):
    def split(self, x):
        return x.unflatten(-1, (self.heads, -1))

    def weigh(self, scores, mask):
        return torch.softmax(scores, dim=-1)

    def merge(self, x):
        return x.flatten(2)


@mistake(
    "A1",
    advice="Your weights sum to one over the queries: each key distributes itself, instead of each query "
    "choosing among keys. Say dim=-1.",
)
class OverQueries(Layer):
    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=-2)


@mistake(
    "A2", advice="Your weights sum to one over the heads: the heads compete with each other. Say dim=-1."
)
class OverHeads(Layer):
    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=1)


@mistake("A3", advice="Your softmax runs over the batch: sentences compete with each other. Say dim=-1.")
class OverBatch(Layer):
    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=0)


@mistake("A13", advice="These are scores, not weights yet: the softmax is missing.")
class NoSoftmax(Layer):
    def weigh(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask[..., None, :, :], 0)


@mistake("A19", advice="`F.dropout` drops weights at every call. This exercise asks for no dropout.")
class DropoutAlways(Layer):
    def weigh(self, scores, mask):
        return F.dropout(super().weigh(scores, mask), 0.5)


@mistake(
    "H27",
    advice="Each head has its own weights; you averaged them (nn.MultiheadAttention does, unless "
    "average_attn_weights=False).",
)
class AveragedWeights(Layer):
    def forward(self, query, key, value, mask=None):
        output, weights = super().forward(query, key, value, mask)
        return output, weights.mean(dim=1)


# Masks: True may look, shape (batch, target, source), (batch, 1, source) or (target, source)


@mistake(
    "P3",
    advice="The mask has no axis for the heads, so its batch is read as heads; where both are equally many, "
    "head h silently gets the mask of sentence h. Make room: `mask[..., None, :, :]`.",
)
class BatchReadAsHeads(Layer):
    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake(
    "P4",
    advice="Counted from the front, axis 1 is not the heads' place for a mask (target, source). Count from "
    "the end: `mask[..., None, :, :]` or `mask.unsqueeze(-3)`.",
)
class HeadAxisFromTheFront(Layer):
    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask.unsqueeze(1), -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake(
    "P4",
    advice="The axis of the heads comes after the batch: with `mask[None]` the batch is read as heads.",
)
class HeadAxisFirst(Layer):
    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[None].expand(scores.shape), -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake(
    "P4",
    advice="`mask[None, None]` suits a mask (target, source) alone: one of each sentence gets five axes. "
    "Count from the end: `mask[..., None, :, :]`.",
)
class TwoAxesInFront(Layer):
    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[None, None], -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake(
    "P5",
    advice="The mask is repeated in another order than the heads: folded, the heads of a sentence stand "
    "together, so use `repeat_interleave(heads, dim=0)`; `repeat` gives sentence 0 the mask of another.",
)
class RepeatedInOrder(Layer):
    def weigh(self, scores, mask):
        if mask is not None:
            batch, heads, target, source = scores.shape
            mask = mask.expand(batch, target, source).repeat(heads, 1, 1)
            scores = scores.masked_fill(~mask.view(scores.shape), -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake("P7", "M8", advice="The mask changes nothing: pass it on (and assign what `masked_fill` gives).")
class MaskIgnored(Layer):
    def weigh(self, scores, mask):
        return torch.softmax(scores, dim=-1)


@mistake("M1", advice="You hid what may be seen and kept what is hidden. True means that a query may look.")
class Inverted(Layer):
    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake(
    "M2", "M4", advice="Zero is a normal score, for e⁰ = 1 (and -1e-9 is zero too): fill with minus infinity."
)
class FilledWithZero(Layer):
    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], 0)
        return torch.softmax(scores, dim=-1)


@mistake(
    "M6",
    advice="You removed weights after they were shared out: the rest no longer sums to 1. Mask the scores, "
    "before the softmax.",
)
class MaskedAfterwards(Layer):
    def weigh(self, scores, mask):
        weights = torch.softmax(scores, dim=-1)
        return weights if mask is None else weights * mask[..., None, :, :]


@mistake(
    "M11", advice="The mask is boolean. Adding it adds 1 to the scores that it allows and hides nothing."
)
class MaskAdded(Layer):
    def weigh(self, scores, mask):
        return torch.softmax(scores if mask is None else scores + mask[..., None, :, :], dim=-1)


@mistake("M9", advice="A tensor has no single truth value: write `if mask is not None:`.")
class TruthOfMask(Layer):
    def weigh(self, scores, mask):
        if mask:
            scores = scores.masked_fill(~mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake("P1", advice="The mask is turned: it has a row for each query and a column for each key.")
class MaskTurned(Layer):
    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask.mT[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=-1)
