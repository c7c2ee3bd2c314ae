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
    """Your cut runs through the sentence, so each head gets some of the tokens. Use split_heads, which cuts
    the features of each token.
    """

    def split(self, x):
        return x.reshape(x.shape[0], self.heads, x.shape[1], -1)


@mistake("H2")
class MergedByView(Layer):
    """You merge without the transpose, so a token gets the heads of other tokens. Use merge_heads."""

    def merge(self, x):
        return x.reshape(x.shape[0], x.shape[2], -1)


@mistake("H3")
class BlocksOfTokens(PiecesOfTime):
    """Each head is a block of neighboring tokens, so distant tokens never meet. Your merge undoes your split,
    so all shapes fit. Use split_heads and merge_heads.
    """

    def merge(self, x):
        return x.reshape(x.shape[0], x.shape[2], -1)


@mistake("H5")
class InterleavedBack(Layer):
    """Your merge interleaves the heads. Head 0 has to come first with all its features: use merge_heads."""

    def merge(self, x):
        return x.permute(0, 2, 3, 1).flatten(2)


@mistake("H6")
class Interleaved(InterleavedBack):
    """Your heads take every third feature (with 3 heads). A model would train with this too, but weights from
    other libraries would not fit. Use split_heads and merge_heads.
    """

    def split(self, x):
        return x.unflatten(-1, (-1, self.heads)).permute(0, 3, 1, 2)


@mistake("H8")
class Averaged(Layer):
    """You averaged the heads, which mixes what they have read. Concatenate the heads: then W_O
    combines them.
    """

    def merge(self, x):
        return x.mean(dim=1).repeat(1, 1, self.heads)


@mistake("H8")
class Added(Layer):
    """You added the heads before W_O. Concatenate them: then W_O multiplies each head by its own matrix."""

    def merge(self, x):
        return x.sum(dim=1).repeat(1, 1, self.heads)


@mistake("H8")
class SmallOutput(Layer):
    """Your W_O reads only d_k numbers. It has to read all heads side by side, which are d_model numbers.
    Concatenate the heads, do not add them.
    """

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        self.output = nn.Linear(d_model // heads, d_model)

    def merge(self, x):
        return x.sum(dim=1)


@mistake("H9")
class OutputUnused(Layer):
    """You return the merged heads, so the heads are never mixed. Pass them through self.output."""

    def finish(self, merged):
        return merged


@mistake("H10")
class NoOutput(Layer):
    """Your layer has no output matrix W_O. Write `self.output = nn.Linear(d_model, d_model)` in `__init__`.
    (A layer that is made in forward is new and random at every call, and never learns.)
    """

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        del self.output

    def finish(self, merged):
        return nn.Linear(merged.shape[-1], merged.shape[-1])(merged)


@mistake
class LayerForEachHead(Layer):
    """The matrices W_1 to W_h are side by side in one `nn.Linear(d_model, d_model)`. Make one such layer each
    for query, key and value, project once, then use split_heads.
    """

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        for name in ("query", "key", "value"):
            layers = (nn.Linear(d_model, d_model // heads) for _ in range(heads))
            setattr(self, name, nn.ModuleList(layers))


@mistake
class WithoutBias(Layer):
    """Keep the bias of each nn.Linear. Write `nn.Linear(d_model, d_model)`, with no other argument."""

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        for name in ("query", "key", "value", "output"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))


@mistake
class OnlyOutputHasBias(Layer):
    """Keep the bias of query, key and value too. Write `nn.Linear(d_model, d_model)`, with no other
    argument.
    """

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        for name in ("query", "key", "value"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))


@mistake
class SharedLayer(Layer):
    """Your query, key and value are one layer under three names. Make a separate layer for each."""

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        self.query = self.key = self.value = nn.Linear(d_model, d_model)


@mistake
class KeysAndValuesOfOneLayer(Layer):
    """Your key and value are one layer under two names. Make a separate layer for each."""

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        self.value = self.key


@mistake
class NoHeads(Layer):
    """Your code has no heads: it computes one attention over all d_model features and repeats its weights.
    Split query, key and value into heads before the attention.
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
    """You did not split the values, so they have no axis of heads. Split query, key and value."""

    def forward(self, query, key, value, mask=None):
        query, key, value = self.project(query, key, value)
        weights = self.weigh(self.score(self.split(query), self.split(key)), mask)
        return self.output(self.merge(weights @ value)), weights


@mistake(mentions=r"\.(query|key|value)\(\s*split_heads\(")
class SplitsBeforeTheLayers(Layer):
    """You split the input before you project it, so a layer that expects d_model features gets d_k of them.
    Project first, then split: `split_heads(self.query(query), self.heads)`.
    """

    def project(self, query, key, value):
        split_heads = self.split
        return self.query(split_heads(query)), self.key(split_heads(key)), self.value(split_heads(value))


@mistake(mentions=r"\.key\(\s*query\b")
class KeysFromQuery(Layer):
    """You computed the keys from `query`. Compute them from `key`."""

    def project(self, query, key, value):
        return self.query(query), self.key(query), self.value(value)


@mistake(lacks=r"merge_heads\(|\.flatten\(|\.reshape\(|\bcat\(")
class NotMerged(Layer):
    """You pass the heads to W_O while they still have their own axis. Merge them first with merge_heads."""

    def merge(self, x):
        return x


@mistake(mentions=r"flatten\(")
class FlattenedUnmerged(Layer):
    """Your `flatten` joins the words with their features, because the axis of the heads comes before the
    words. merge_heads first exchanges these two axes.
    """

    def merge(self, x):
        return x.flatten(2)


@mistake("H12")
class WholeWidth(Layer):
    """Each of your heads gets d_model features. A head gets d_model / heads features, and one d_model by
    d_model matrix serves all heads.
    """

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        self.query, self.key, self.value = (nn.Linear(d_model, heads * d_model) for _ in range(3))
        self.output = nn.Linear(heads * d_model, d_model)


@mistake
class SplitsInput(Layer):
    """You split the input before you project it, so each head sees only a slice of every word. Project with
    d_model by d_model matrices first: then each head reads all features.
    """

    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        self.query, self.key, self.value = (nn.Linear(d_model // heads, d_model // heads) for _ in range(3))

    def project(self, query, key, value):
        query, key, value = (x.unflatten(-1, (self.heads, -1)) for x in (query, key, value))
        return (x.flatten(2) for x in super().project(query, key, value))


@mistake
class OneProjection(Layer):
    """You project query, key and value with one matrix. Each of them needs its own matrix."""

    def project(self, query, key, value):
        return self.query(query), self.query(key), self.query(value)


@mistake
class KeyByQuery(Layer):
    """You project the keys with the queries' matrix. Then the score of A for B equals the score of B for A.
    Give the keys their own matrix.
    """

    def project(self, query, key, value):
        return self.query(query), self.query(key), self.value(value)


@mistake
class ValueByKey(Layer):
    """You project the values with the keys' matrix. Give the values their own: `self.value(value)`."""

    def project(self, query, key, value):
        return self.query(query), self.key(key), self.key(value)


@mistake
class NotProjected(Layer):
    """You do not project the inputs. Apply self.query, self.key and self.value first."""

    def project(self, query, key, value):
        return query, key, value


@mistake("H15")
class KeyValueSwapped(Layer):
    """You swapped the matrices of key and value. Apply self.key to the key and self.value to the value."""

    def project(self, query, key, value):
        return self.query(query), self.value(key), self.key(value)


@mistake("H15")
class QueryKeySwapped(Layer):
    """You swapped the matrices of query and key. Apply self.query to the query and self.key to the key."""

    def project(self, query, key, value):
        return self.key(query), self.query(key), self.value(value)


@mistake
class ValuesDecide(Layer):
    """Key and value are exchanged: your weights come from the values, and you average the keys. The keys make
    the weights, and the values are averaged.
    """

    def project(self, query, key, value):
        return self.query(query), self.value(value), self.key(key)


@mistake
class KeyFirst(Layer):
    """Query and key are exchanged in the scores. A row of the weights belongs to a query, and a column to a
    key.
    """

    def score(self, query, key):
        return key @ query.mT / math.sqrt(query.shape[-1])


@mistake
class AveragesKeys(Layer):
    """You averaged the keys. The keys only make the weights; the weights then multiply the
    projected values.
    """

    def project(self, query, key, value):
        return self.query(query), self.key(key), self.key(key)


@mistake("X1")
class KeysAsk(Layer):
    """You exchanged the query with the key (or with the value). The queries come from `query`: each of its
    words gets one output.
    """

    def forward(self, query, key, value, mask=None):
        return super().forward(key, query, query, mask)


@mistake("X2")
class ValuesFromQuery(Layer):
    """You computed the values from the query. Compute them from `value`."""

    def project(self, query, key, value):
        return self.query(query), self.key(key), self.value(query)


@mistake
class ValuesFromKey(Layer):
    """You computed the values from `key`. Compute them from `value`. In self- and cross-attention key and
    value are equal, so this mistake would stay hidden for long.
    """

    def project(self, query, key, value):
        return self.query(query), self.key(key), self.value(key)


@mistake("X3")
class OnlySelf(Layer):
    """You compute all three from the query, so `key` and `value` are never read. This works for
    self-attention only.
    """

    def project(self, query, key, value):
        return super().project(query, query, query)


@mistake("H14")
class AcrossBatch(Layer):
    """You attend across the batch. In (batch, seq, d_model) the sequence is axis 1. (nn.MultiheadAttention
    expects it on axis 0, unless batch_first=True.)
    """

    def forward(self, query, key, value, mask=None):
        output, weights = super().forward(*(x.transpose(0, 1) for x in (query, key, value)), mask)
        return output.transpose(0, 1), weights


@mistake("H25")
class Rectified(Layer):
    """You apply a ReLU after the projections. They are linear: the formula has no ReLU, which belongs to the
    feed-forward layer.
    """

    def project(self, query, key, value):
        return (torch.relu(x) for x in super().project(query, key, value))


@mistake
class RectifiedOutput(Layer):
    """You apply a ReLU after W_O, which sets all negative numbers to 0. W_O comes last, with no activation
    after it.
    """

    def finish(self, merged):
        return torch.relu(self.output(merged))


@mistake
class AddsResidual(Layer):
    """You added the input to the result. Return the result of W_O: the residual is added outside of this
    layer (lesson 05).
    """

    def forward(self, query, key, value, mask=None):
        output, weights = super().forward(query, key, value, mask)
        return query + output, weights


@mistake
class Exchanged(Layer):
    """You return weights and output in the wrong order. Return the output first, then the weights."""

    def forward(self, query, key, value, mask=None):
        return super().forward(query, key, value, mask)[::-1]


@mistake("A4")
class NoScale(Layer):
    """You do not divide the scores. Divide them by √d_k, with d_k = d_model / heads."""

    def score(self, query, key):
        return query @ key.mT


@mistake("A5")
class DividedByWidth(Layer):
    """Your scores are divided by d_k in all. Divide by its square root, and only once: if you call
    `scaled_dot_product_attention`, it does so already.
    """

    def score(self, query, key):
        return query @ key.mT / query.shape[-1]


@mistake("A6")
class RootOfModel(Layer):
    """You divided by √d_model. The vectors that you multiply have the width of one head: d_k = d_model /
    heads.
    """

    def score(self, query, key):
        return query @ key.mT / math.sqrt(self.heads * query.shape[-1])


@mistake
class RootOfHeads(Layer):
    """You divided by the square root of the number of heads. Divide by √d_k, where d_k is the width of one
    head.
    """

    def score(self, query, key):
        return query @ key.mT / math.sqrt(self.heads)


@mistake("A7")
class TimesRoot(Layer):
    """You multiplied the scores by √d_k. Divide by it, or multiply by d_k ** -0.5."""

    def score(self, query, key):
        return query @ key.mT * math.sqrt(query.shape[-1])


@mistake("A8")
class DividedAfterwards(Layer):
    """You divide after the softmax, so the weights no longer sum to 1. Divide the scores before the
    softmax.
    """

    def weigh(self, scores, mask):
        d_k = self.query.weight.shape[0] // self.heads
        return super().weigh(scores * math.sqrt(d_k), mask) / math.sqrt(d_k)


@mistake("A10", mentions=r"view|reshape")
class KeyViewed(Layer):
    """`view` and `reshape` do not swap axes, so the numbers end up in wrong places. Use `key.transpose(-2,
    -1)` or `key.mT`.
    """

    def score(self, query, key):
        return query @ key.reshape(*key.shape[:2], key.shape[3], key.shape[2]) / math.sqrt(query.shape[-1])


@mistake(
    "A11",
    mentions=r"@ [\w.]+\.(transpose\((1, 2|2, 1)|permute\(|swap)|matmul\(.*(transpose\((1, 2|2, 1)|swap)",
)
class KeyTransposed12(Layer):
    """You swapped axes 1 and 2, which are heads and tokens. Swap the last two: `key.transpose(-2, -1)`."""

    def score(self, query, key):
        return query @ key.transpose(1, 2) / math.sqrt(query.shape[-1])


@mistake
class HeadsMeetHeads(Layer):
    """You did not swap heads and tokens, so your attention runs between the heads of one token. Use
    split_heads.
    """

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1))

    def merge(self, x):
        return x.flatten(2)


@mistake("A1")
class OverQueries(Layer):
    """Your weights sum to 1 over the queries. Each query has to distribute its weights over the keys: write
    dim=-1.
    """

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=-2)


@mistake("A2")
class OverHeads(Layer):
    """Your weights sum to 1 over the heads, so the heads compete with each other. Write dim=-1."""

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=1)


@mistake("A3")
class OverBatch(Layer):
    """Your softmax runs over the batch, so sentences compete with each other. Write dim=-1."""

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=0)


@mistake("A13")
class NoSoftmax(Layer):
    """You return scores, not weights. Apply the softmax to them."""

    def weigh(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask[..., None, :, :], 0)


@mistake("A19", mentions="[dD]ropout")
class DropoutAlways(Layer):
    """Your dropout makes two calls differ. This exercise has no dropout: leave it out."""

    def weigh(self, scores, mask):
        return F.dropout(super().weigh(scores, mask), 0.5)


@mistake
class AveragedWeights(Layer):
    """Your weights have no axis of heads. Each head has its own table: return all of them, not one head's and
    not their mean. (nn.MultiheadAttention returns the mean, unless average_attn_weights=False.)
    """

    def forward(self, query, key, value, mask=None):
        output, weights = super().forward(query, key, value, mask)
        return output, weights.mean(dim=1)


# Masks: True may look, shape (batch, target, source), (batch, 1, source) or (target, source)


@mistake("P3", lacks=r"\.training")
class BatchReadAsHeads(Layer):
    """Your mask has no axis for the heads, so its batch axis meets the heads. With as many sentences as heads
    there is no error, and head h gets the mask of sentence h. Insert the axis: `mask[..., None, :, :]`.
    """

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake(mentions=r"unsqueeze\((dim=)?1\)|\[:, None")
class HeadAxisFromTheFront(Layer):
    """You insert the heads' axis at place 1 from the front, which is wrong for a mask (target, source). Count
    from the end: `mask[..., None, :, :]` or `mask.unsqueeze(-3)`.
    """

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask.unsqueeze(1), -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake(mentions=r"\[None|unsqueeze\(0\)")
class HeadAxisFirst(Layer):
    """You put the heads' axis first, so the mask's batch axis meets the heads. The axis of the heads comes
    after the batch: `mask[..., None, :, :]`.
    """

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[None].expand(scores.shape), -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake(mentions=r"\[None, None|unsqueeze\(0\)")
class TwoAxesInFront(Layer):
    """`mask[None, None]` fits only a mask (target, source). A mask with a batch axis gets five axes. Count
    from the end: `mask[..., None, :, :]`.
    """

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[None, None], -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake("P5", mentions=r"repeat\(")
class RepeatedInOrder(Layer):
    """You repeat the mask in another order than the heads. When heads are folded into the batch, the heads of
    one sentence are neighbors. Use `repeat_interleave(heads, dim=0)`, because `repeat` gives sentence 0 the
    mask of another one.
    """

    def weigh(self, scores, mask):
        if mask is not None:
            batch, heads, target, source = scores.shape
            mask = mask.expand(batch, target, source).repeat(heads, 1, 1)
            scores = scores.masked_fill(~mask.view(scores.shape), -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake("M8")
class MaskIgnored(Layer):
    """The mask does not change your result. Apply it to the scores. (`masked_fill` returns a new tensor,
    `masked_fill_` changes the old one.)
    """

    def weigh(self, scores, mask):
        return torch.softmax(scores, dim=-1)


@mistake
class OneQueryUnmasked(Layer):
    """You leave the mask out if there is a single query. It hides keys, and a single query must not see
    padding either: use the mask for any number of queries.
    """

    def weigh(self, scores, mask):
        return super().weigh(scores, None if scores.shape[-2] == 1 else mask)


@mistake
class OutputUnmasked(Layer):
    """You return masked weights, but the output is made with unmasked ones. Use the masked weights
    for both.
    """

    def forward(self, query, key, value, mask=None):
        return super().forward(query, key, value)[0], super().forward(query, key, value, mask)[1]


@mistake
class WeightsUnmasked(Layer):
    """Your output is masked, but the weights that you return are not. Return the weights that made the
    output.
    """

    def forward(self, query, key, value, mask=None):
        return super().forward(query, key, value, mask)[0], super().forward(query, key, value)[1]


@mistake("M1")
class Inverted(Layer):
    """You hide what a query may see, and show what it may not. True means that a query may look."""

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake("M2", "M4")
class FilledWithZero(Layer):
    """Zero is a normal score: e⁰ = 1, so the key still gets a weight (and -1e-9 is nearly zero). Fill with
    minus infinity.
    """

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], 0)
        return torch.softmax(scores, dim=-1)


@mistake("M6")
class MaskedAfterwards(Layer):
    """You set weights to zero after the softmax, so the others no longer sum to 1. Mask the scores before the
    softmax.
    """

    def weigh(self, scores, mask):
        weights = torch.softmax(scores, dim=-1)
        return weights if mask is None else weights * mask[..., None, :, :]


@mistake("M11", mentions=r" \+ ")
class MaskAdded(Layer):
    """You add a boolean mask. That adds 1 to the allowed scores and hides nothing. Use `masked_fill` with
    minus infinity where the mask is False.
    """

    def weigh(self, scores, mask):
        return torch.softmax(scores if mask is None else scores + mask[..., None, :, :], dim=-1)


@mistake
class NoMaskUnsqueezed(Layer):
    """Without a mask, `mask` is None, and None has none of a tensor's methods, so use it only `if mask is not
    None`.
    """

    def weigh(self, scores, mask):
        mask = mask.unsqueeze(-3)
        return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)


@mistake(mentions=r"unsqueeze\(1\)")
class NoMaskUnsqueezedAtOne(Layer):
    """Without a mask, `mask` is None, which has no `unsqueeze`: use it only `if mask is not None`. Also count
    from the end: `mask.unsqueeze(-3)` fits a mask (target, source) too.
    """

    def weigh(self, scores, mask):
        mask = mask.unsqueeze(1)
        return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)


@mistake
class NoMaskIndexed(Layer):
    """Without a mask, `mask` is None, and None cannot be indexed. Index it only `if mask is not None`."""

    def weigh(self, scores, mask):
        mask = mask[..., None, :, :]
        return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)


@mistake(mentions=r"(?m)\b(if|not|and|or|while) \w*mask\w*(:|\)| and| or| else|$)|mask == None")
class TruthOfMask(Layer):
    """A tensor of several numbers has no single truth value. Write `if mask is not None:`."""

    def weigh(self, scores, mask):
        if mask:
            scores = scores.masked_fill(~mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake("P1", mentions=r"mask\w*\.(mT|T\b|t\(|transpose|permute|swap)")
class MaskTurned(Layer):
    """You transposed the mask. It has a row for each query and a column for each key, as the scores do."""

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask.mT[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=-1)


@mistake(mentions=r"\b(view|reshape)\(")
class TwoAxesAsTheyAre(Layer):
    """You give a mask with two axes the sizes of target and source, but its first axis may be 1, as in a mask
    (1, source). Let it broadcast: `mask[..., None, :, :]`.
    """

    def weigh(self, scores, mask):
        if mask is not None and mask.dim() == 2:
            mask = mask.view(1, *scores.shape[-2:])
        return super().weigh(scores, mask)
