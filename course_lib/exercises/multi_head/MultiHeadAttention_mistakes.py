"""Wrong answers to MultiHeadAttention: name, advice, code."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.multi_head.MultiHeadAttention import Layer

mistake = Mistakes()


@mistake("H1")
class PiecesOfTime(Layer):
    """Your heads are pieces of time: the cut goes through the sentence. Use split_heads, which cuts the
    features.
    """

    def split(self, x):
        return x.reshape(x.shape[0], self.heads, x.shape[1], -1)


@mistake("H2")
class MergedByView(Layer):
    """On the way back the transpose is missing, so a token gets other tokens' heads. Use merge_heads."""

    def merge(self, x):
        return x.reshape(x.shape[0], x.shape[2], -1)


@mistake("H3")
class BlocksOfTokens(PiecesOfTime):
    """Each head is a block of neighboring tokens, so that distant ones can never meet. The way back undoes
    the split, and shapes fit all the same. Use split_heads and merge_heads.
    """

    def merge(self, x):
        return x.reshape(x.shape[0], x.shape[2], -1)


@mistake("H5")
class InterleavedBack(Layer):
    """The heads are interleaved on the way back: use merge_heads, head 0 comes first."""

    def merge(self, x):
        return x.permute(0, 2, 3, 1).flatten(2)


@mistake("H6")
class Interleaved(InterleavedBack):
    """Your heads take every third feature, where there are 3 heads. This would train as well, but it is not
    the paper's layout, so weights from elsewhere give nonsense: use split_heads and merge_heads.
    """

    def split(self, x):
        return x.unflatten(-1, (-1, self.heads)).permute(0, 3, 1, 2)


@mistake("H8")
class Averaged(Layer):
    """You averaged the heads: what each has read is blurred again. Concatenate them, then W_O mixes."""

    def merge(self, x):
        return x.mean(dim=1).repeat(1, 1, self.heads)


@mistake("H8")
class Added(Layer):
    """You added the heads up as they are. Concatenate them: W_O gives each its own matrix first."""

    def merge(self, x):
        return x.sum(dim=1).repeat(1, 1, self.heads)


@mistake("H8")
class SmallOutput(Layer):
    """W_O reads all heads side by side, d_model numbers, so it is d_model by d_model: concatenate the heads,
    do not add them up.
    """

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        self.output = nn.Linear(d_model // heads, d_model)

    def merge(self, x):
        return x.sum(dim=1)


@mistake("H9")
class OutputUnused(Layer):
    """The heads are never mixed: pass the merged heads through self.output."""

    def finish(self, merged):
        return merged


@mistake("H10")
class NoOutput(Layer):
    """The output matrix W_O is no part of your layer: `self.output = nn.Linear(d_model, d_model)` in
    `__init__`. (A layer that is made in forward is new and random at every call, and never learns.)
    """

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        del self.output

    def finish(self, merged):
        return nn.Linear(merged.shape[-1], merged.shape[-1])(merged)


@mistake
class LayerForEachHead(Layer):
    """The formula's W_1 to W_h stand side by side in one `nn.Linear(d_model, d_model)`: project once, then
    split_heads.
    """

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        for name in ("query", "key", "value"):
            layers = (nn.Linear(d_model, d_model // heads) for _ in range(heads))
            setattr(self, name, nn.ModuleList(layers))


@mistake
class WithoutBias(Layer):
    """Leave each nn.Linear its bias: `nn.Linear(d_model, d_model)`, nothing else."""

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        for name in ("query", "key", "value", "output"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))


@mistake
class OnlyOutputHasBias(Layer):
    """Leave query, key and value their bias too: `nn.Linear(d_model, d_model)`, nothing else."""

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        for name in ("query", "key", "value"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))


@mistake
class SharedLayer(Layer):
    """Your query, key and value are one and the same layer under three names: make a layer for each."""

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        self.query = self.key = self.value = nn.Linear(d_model, d_model)


@mistake
class NoHeads(Layer):
    """There are no heads in yours: one attention over all d_model features, its weights repeated. Split
    query, key and value into heads before the attention.
    """

    def forward(self, query, key, value, mask=None):
        query, key, value = self.project(query, key, value)
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return self.output(weights @ value), weights[:, None].repeat(1, self.heads, 1, 1)


@mistake
class ValuesNotSplit(Layer):
    """The values are not split, and have no axis of heads. Split all three: query, key and value."""

    def forward(self, query, key, value, mask=None):
        query, key, value = self.project(query, key, value)
        weights = self.weigh(self.score(self.split(query), self.split(key)), mask)
        return self.output(self.merge(weights @ value)), weights


@mistake
class NotMerged(Layer):
    """W_O gets the heads as they are, still with an axis of their own. Merge them before: merge_heads."""

    def merge(self, x):
        return x


@mistake("H12")
class WholeWidth(Layer):
    """A head gets d_model / heads features, not all: one d_model by d_model matrix serves all heads."""

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        self.query, self.key, self.value = (nn.Linear(d_model, heads * d_model) for _ in range(3))
        self.output = nn.Linear(heads * d_model, d_model)


@mistake
class SplitsInput(Layer):
    """You split the input and project afterwards, so that a head sees a slice of every word. Project with
    d_model by d_model matrices first: each head then reads all features.
    """

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        self.query, self.key, self.value = (nn.Linear(d_model // heads, d_model // heads) for _ in range(3))

    def project(self, query, key, value):
        query, key, value = (x.unflatten(-1, (self.heads, -1)) for x in (query, key, value))
        return (x.flatten(2) for x in super().project(query, key, value))


@mistake
class OneProjection(Layer):
    """Query, key and value are projected by three different matrices; you made one of them serve all."""

    def project(self, query, key, value):
        return self.query(query), self.query(key), self.query(value)


@mistake
class KeyByQuery(Layer):
    """Keys need their own matrix: with the queries' one, if A looks at B, B looks as hard at A."""

    def project(self, query, key, value):
        return self.query(query), self.query(key), self.value(value)


@mistake
class NotProjected(Layer):
    """The inputs are not projected: apply self.query, self.key and self.value first."""

    def project(self, query, key, value):
        return query, key, value


@mistake("H15")
class KeyValueSwapped(Layer):
    """The matrices of key and value are swapped: self.key belongs to the key."""

    def project(self, query, key, value):
        return self.query(query), self.value(key), self.key(value)


@mistake("H15")
class QueryKeySwapped(Layer):
    """The matrices of query and key are swapped: self.query belongs to the query."""

    def project(self, query, key, value):
        return self.key(query), self.query(key), self.value(value)


@mistake
class ValuesDecide(Layer):
    """Key and value have changed places: the weights come from the values, and the keys are averaged."""

    def project(self, query, key, value):
        return self.query(query), self.value(value), self.key(key)


@mistake
class KeyFirst(Layer):
    """Query and key have changed places: a row of the weights belongs to a query, a column to a key."""

    def score(self, query, key):
        return key @ query.mT / math.sqrt(query.shape[-1])


@mistake
class AveragesKeys(Layer):
    """You averaged the keys: they decide the weights, and the weights then multiply the projected values."""

    def project(self, query, key, value):
        return self.query(query), self.key(key), self.key(key)


@mistake("X1")
class KeysAsk(Layer):
    """Who asks is the query: you exchanged the query with the key (or with the value)."""

    def forward(self, query, key, value, mask=None):
        return super().forward(key, query, query, mask)


@mistake("X2")
class ValuesFromQuery(Layer):
    """The values must come from `value`; you projected the query once more."""

    def project(self, query, key, value):
        return self.query(query), self.key(key), self.value(query)


@mistake
class ValuesFromKey(Layer):
    """The values must come from `value`; you projected the key. In self- and cross-attention the two are the
    same, so this would be found late.
    """

    def project(self, query, key, value):
        return self.query(query), self.key(key), self.value(key)


@mistake("X3")
class OnlySelf(Layer):
    """All three come from the query: this is self-attention only, `key` and `value` are never read."""

    def project(self, query, key, value):
        return super().project(query, query, query)


@mistake("H14")
class AcrossBatch(Layer):
    """You attend across the batch: (batch, seq, d_model) has the sequence on axis 1. (nn.MultiheadAttention
    wants it on axis 0, unless batch_first=True.)
    """

    def forward(self, query, key, value, mask=None):
        output, weights = super().forward(*(x.transpose(0, 1) for x in (query, key, value)), mask)
        return output.transpose(0, 1), weights


@mistake("H25")
class Rectified(Layer):
    """The projections are linear: a ReLU after them is in no formula. It belongs to the
    feed-forward layer.
    """

    def project(self, query, key, value):
        return (torch.relu(x) for x in super().project(query, key, value))


@mistake
class RectifiedOutput(Layer):
    """W_O comes last, and no activation after it: a ReLU would cut all negative numbers."""

    def finish(self, merged):
        return torch.relu(self.output(merged))


@mistake
class AddsResidual(Layer):
    """Return what W_O gives. The residual is added outside of this layer (lesson 05), not in it."""

    def forward(self, query, key, value, mask=None):
        output, weights = super().forward(query, key, value, mask)
        return query + output, weights


@mistake
class Exchanged(Layer):
    """Return the output first, then the weights."""

    def forward(self, query, key, value, mask=None):
        return super().forward(query, key, value, mask)[::-1]


@mistake("A4")
class NoScale(Layer):
    """The scores are not divided by √d_k, where d_k = d_model / heads."""

    def score(self, query, key):
        return query @ key.mT


@mistake("A5")
class DividedByWidth(Layer):
    """You divided by d_k, not by its square root."""

    def score(self, query, key):
        return query @ key.mT / query.shape[-1]


@mistake("A6")
class RootOfModel(Layer):
    """You divided by √d_model. What is multiplied has the width of one head: d_k = d_model / heads."""

    def score(self, query, key):
        return query @ key.mT / math.sqrt(self.heads * query.shape[-1])


@mistake
class RootOfHeads(Layer):
    """You divided by the root of the number of heads: d_k is the width of one head."""

    def score(self, query, key):
        return query @ key.mT / math.sqrt(self.heads)


@mistake("A7")
class TimesRoot(Layer):
    """Your scores are multiplied by √d_k. If your scale is already d_k ** -0.5, multiply by it."""

    def score(self, query, key):
        return query @ key.mT * math.sqrt(query.shape[-1])


@mistake("A8")
class DividedAfterwards(Layer):
    """The division belongs inside the softmax: after it the weights no longer sum to 1."""

    def weigh(self, scores, mask):
        d_k = self.query.weight.shape[0] // self.heads
        return super().weigh(scores * math.sqrt(d_k), mask) / math.sqrt(d_k)


@mistake("A10", mentions=r"view|reshape")
class KeyViewed(Layer):
    """`view` and `reshape` reshuffle numbers, `transpose` swaps axes: use `key.transpose(-2, -1)` or
    `key.mT`.
    """

    def score(self, query, key):
        return query @ key.reshape(*key.shape[:2], key.shape[3], key.shape[2]) / math.sqrt(query.shape[-1])


@mistake(
    "A11",
    mentions=r"@ [\w.]+\.(transpose\((1, 2|2, 1)|permute\(|swap)|matmul\(.*(transpose\((1, 2|2, 1)|swap)",
)
class KeyTransposed12(Layer):
    """Axes 1 and 2 are heads and tokens. Swap the last two: `key.transpose(-2, -1)`."""

    def score(self, query, key):
        return query @ key.transpose(1, 2) / math.sqrt(query.shape[-1])


@mistake
class HeadsMeetHeads(Layer):
    """Heads and tokens are not swapped, so that at each position head meets head: this is attention between
    the heads of one token. Use split_heads.
    """

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1))

    def merge(self, x):
        return x.flatten(2)


@mistake("A1")
class OverQueries(Layer):
    """Your weights sum to one over the queries: each key distributes itself, instead of each query choosing
    among keys. Say dim=-1.
    """

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=-2)


@mistake("A2")
class OverHeads(Layer):
    """Your weights sum to one over the heads: the heads compete with each other. Say dim=-1."""

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=1)


@mistake("A3")
class OverBatch(Layer):
    """Your softmax runs over the batch: sentences compete with each other. Say dim=-1."""

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=0)


@mistake("A13")
class NoSoftmax(Layer):
    """These are scores, not weights yet: the softmax is missing."""

    def weigh(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask[..., None, :, :], 0)


@mistake("A19", mentions="[dD]ropout")
class DropoutAlways(Layer):
    """Dropout makes two calls differ. This exercise asks for none."""

    def weigh(self, scores, mask):
        return F.dropout(super().weigh(scores, mask), 0.5)


@mistake
class AveragedWeights(Layer):
    """The weights have no axis of heads. Each head has a table of its own: return all of them, neither one
    head's nor their mean. (nn.MultiheadAttention gives the mean, unless average_attn_weights=False.)
    """

    def forward(self, query, key, value, mask=None):
        output, weights = super().forward(query, key, value, mask)
        return output, weights.mean(dim=1)


# Masks: True may look, shape (batch, target, source), (batch, 1, source) or (target, source)


@mistake("P3", lacks=r"\.training")
class BatchReadAsHeads(Layer):
    """The mask has no axis for the heads, so its batch is read as heads; where both are equally many, head h
    silently gets the mask of sentence h. Make room: `mask[..., None, :, :]`.
    """

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake(mentions=r"unsqueeze\((dim=)?1\)|\[:, None")
class HeadAxisFromTheFront(Layer):
    """Counted from the front, axis 1 is not the heads' place for a mask (target, source). Count from the end:
    `mask[..., None, :, :]` or `mask.unsqueeze(-3)`.
    """

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask.unsqueeze(1), -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake(mentions=r"\[None|unsqueeze\(0\)")
class HeadAxisFirst(Layer):
    """The axis of the heads comes after the batch. Yours is the first one: the batch is read as heads."""

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[None].expand(scores.shape), -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake(mentions=r"\[None, None|unsqueeze\(0\)")
class TwoAxesInFront(Layer):
    """`mask[None, None]` suits a mask (target, source) alone: one of each sentence gets five axes. Count from
    the end: `mask[..., None, :, :]`.
    """

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[None, None], -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake("P5", mentions=r"repeat\(")
class RepeatedInOrder(Layer):
    """The mask is repeated in another order than the heads: folded, the heads of a sentence stand together,
    so use `repeat_interleave(heads, dim=0)`; `repeat` gives sentence 0 the mask of another.
    """

    def weigh(self, scores, mask):
        if mask is not None:
            batch, heads, target, source = scores.shape
            mask = mask.expand(batch, target, source).repeat(heads, 1, 1)
            scores = scores.masked_fill(~mask.view(scores.shape), -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake("M8")
class MaskIgnored(Layer):
    """The mask changes nothing in your result: pass it on. (`masked_fill` gives a new tensor, `masked_fill_`
    changes the old one.)
    """

    def weigh(self, scores, mask):
        return torch.softmax(scores, dim=-1)


@mistake
class OutputUnmasked(Layer):
    """The weights that you return are masked, those that make the output are not: use the same for both."""

    def forward(self, query, key, value, mask=None):
        return super().forward(query, key, value)[0], super().forward(query, key, value, mask)[1]


@mistake
class WeightsUnmasked(Layer):
    """The output is masked, the weights that you return are not: return those that made the output."""

    def forward(self, query, key, value, mask=None):
        return super().forward(query, key, value, mask)[0], super().forward(query, key, value)[1]


@mistake("M1")
class Inverted(Layer):
    """You hid what may be seen and kept what is hidden. True means that a query may look."""

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake("M2", "M4")
class FilledWithZero(Layer):
    """Zero is a normal score, for e⁰ = 1 (and -1e-9 is zero too): fill with minus infinity."""

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], 0)
        return torch.softmax(scores, dim=-1)


@mistake("M6")
class MaskedAfterwards(Layer):
    """You removed weights after they were shared out: the rest no longer sums to 1. Mask the scores, before
    the softmax.
    """

    def weigh(self, scores, mask):
        weights = torch.softmax(scores, dim=-1)
        return weights if mask is None else weights * mask[..., None, :, :]


@mistake("M11", mentions=r" \+ ")
class MaskAdded(Layer):
    """The mask is boolean. Adding it adds 1 to the scores that it allows and hides nothing."""

    def weigh(self, scores, mask):
        return torch.softmax(scores if mask is None else scores + mask[..., None, :, :], dim=-1)


@mistake
class NoMaskUnsqueezed(Layer):
    """Without a mask `mask` is None, which has no axes and none of a tensor's methods: use it only `if mask
    is not None`.
    """

    def weigh(self, scores, mask):
        mask = mask.unsqueeze(-3)
        return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)


@mistake(mentions=r"unsqueeze\(1\)")
class NoMaskUnsqueezedAtOne(Layer):
    """Without a mask `mask` is None, and None has no axes: make room for the heads only where there is one.
    And count from the end: `mask.unsqueeze(-3)` suits a mask (target, source) too.
    """

    def weigh(self, scores, mask):
        mask = mask.unsqueeze(1)
        return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)


@mistake
class NoMaskIndexed(Layer):
    """Without a mask `mask` is None, and None has no axes: index it only `if mask is not None`."""

    def weigh(self, scores, mask):
        mask = mask[..., None, :, :]
        return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)


@mistake(mentions=r"(?m)\b(if|not|and|or|while) \w*mask\w*(:|\)| and| or| else|$)|mask == None")
class TruthOfMask(Layer):
    """A tensor has no single truth value: write `if mask is not None:`."""

    def weigh(self, scores, mask):
        if mask:
            scores = scores.masked_fill(~mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake("P1", mentions=r"mask\w*\.(mT|T\b|t\(|transpose|permute|swap)")
class MaskTurned(Layer):
    """The mask is turned: it has a row for each query and a column for each key."""

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask.mT[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=-1)
