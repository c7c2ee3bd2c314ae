"""What learners write for MultiHeadAttention when projections, heads or their mixing go wrong."""

import torch
from torch import nn

from course_lib.checks.multi_head.layer import Layer, MultiHeadAttention

mistake = MultiHeadAttention.mistake


@mistake(
    "H1",
    advice="Your heads are pieces of time: `view(batch, heads, ...)` cuts the sentence. Use split_heads, "
    "which cuts the features.",
)
class PiecesOfTime(Layer):
    def split(self, x):
        return x.reshape(x.shape[0], self.heads, x.shape[1], -1)


@mistake(
    "H2",
    advice="On the way back the transpose is missing, so a token gets other tokens' heads. Use merge_heads.",
)
class MergedByView(Layer):
    def merge(self, x):
        return x.reshape(x.shape[0], x.shape[2], -1)


@mistake(
    "H3",
    advice="You split and merge by a view alone. The two undo each other, shapes fit, and yet each head is a "
    "block of neighboring tokens: distant ones can never meet. Use split_heads and merge_heads.",
)
class BlocksOfTokens(PiecesOfTime):
    def merge(self, x):
        return x.reshape(x.shape[0], x.shape[2], -1)


@mistake("H5", advice="The heads are interleaved on the way back: use merge_heads, head 0 comes first.")
class InterleavedBack(Layer):
    def merge(self, x):
        return x.permute(0, 2, 3, 1).flatten(2)


@mistake(
    "H6",
    advice="Your heads take every third feature (with 3 heads). This would train as well, but it is not the "
    "paper's layout, so weights from elsewhere give nonsense: use split_heads and merge_heads.",
)
class Interleaved(InterleavedBack):
    def split(self, x):
        return x.unflatten(-1, (-1, self.heads)).permute(0, 3, 1, 2)


@mistake(
    "H8",
    advice="You averaged the heads: what each has read is blurred again. Concatenate them, then W_O mixes.",
)
class Averaged(Layer):
    def merge(self, x):
        return x.mean(dim=1).repeat(1, 1, self.heads)


@mistake(
    "H8", advice="You added the heads up as they are. Concatenate them: W_O gives each its own matrix first."
)
class Added(Layer):
    def merge(self, x):
        return x.sum(dim=1).repeat(1, 1, self.heads)


@mistake(
    "H8",
    advice="W_O reads all heads side by side, d_model numbers, so it is d_model by d_model: concatenate the "
    "heads, do not add them up.",
)
class SmallOutput(Layer):
    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        self.output = nn.Linear(d_model // heads, d_model)

    def merge(self, x):
        return x.sum(dim=1)


@mistake(
    "H9",
    advice="The heads are never mixed: pass the merged heads through self.output.",
)
class OutputUnused(Layer):
    def finish(self, merged):
        return merged


@mistake(
    "H9",
    advice="Make the output matrix W_O once, in `__init__` (a layer made in forward is new and random "
    "at every call, and never learns): `self.output = nn.Linear(d_model, d_model)`.",
)
class NoOutput(Layer):
    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        del self.output

    def finish(self, merged):
        return nn.Linear(merged.shape[-1], merged.shape[-1])(merged)


@mistake(
    "H29",
    advice="The formula's W_1 to W_h stand side by side in one `nn.Linear(d_model, d_model)`: project once, "
    "then split_heads.",
)
class LayerForEachHead(Layer):
    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        for name in ("query", "key", "value"):
            layers = (nn.Linear(d_model, d_model // heads) for _ in range(heads))
            setattr(self, name, nn.ModuleList(layers))


@mistake("H30", advice="Leave each nn.Linear its bias: `nn.Linear(d_model, d_model)`, nothing else.")
class WithoutBias(Layer):
    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        for name in ("query", "key", "value", "output"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))


@mistake("H12", advice="Each head gets d_model / heads features: one d_model by d_model matrix serves all.")
class WholeWidth(Layer):
    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        self.query, self.key, self.value = (nn.Linear(d_model, heads * d_model) for _ in range(3))
        self.output = nn.Linear(heads * d_model, d_model)


@mistake(
    "H11",
    advice="You split the input and project afterwards, so that a head sees a slice of every word. Project "
    "with d_model by d_model matrices first: each head then reads all features.",
)
class SplitsInput(Layer):
    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        self.query, self.key, self.value = (nn.Linear(d_model // heads, d_model // heads) for _ in range(3))

    def project(self, query, key, value):
        query, key, value = (x.unflatten(-1, (self.heads, -1)) for x in (query, key, value))
        return (x.flatten(2) for x in super().project(query, key, value))


@mistake(
    "H24",
    advice="Query, key and value are projected by three different matrices; you made one of them serve all.",
)
class OneProjection(Layer):
    def project(self, query, key, value):
        return self.query(query), self.query(key), self.query(value)


@mistake(
    "H24",
    advice="Keys need their own matrix: with the queries' one, if A looks at B, B looks as hard at A.",
)
class KeyByQuery(Layer):
    def project(self, query, key, value):
        return self.query(query), self.query(key), self.value(value)


@mistake("H24", advice="The inputs are not projected: apply self.query, self.key and self.value first.")
class NotProjected(Layer):
    def project(self, query, key, value):
        return query, key, value


@mistake("H15", advice="The matrices of key and value are swapped: self.key belongs to the key.")
class KeyValueSwapped(Layer):
    def project(self, query, key, value):
        return self.query(query), self.value(key), self.key(value)


@mistake("H15", advice="The matrices of query and key are swapped: self.query belongs to the query.")
class QueryKeySwapped(Layer):
    def project(self, query, key, value):
        return self.key(query), self.query(key), self.value(value)


@mistake(
    "H15",
    advice="You averaged the keys: they decide the weights, and the weights then multiply the projected "
    "values.",
)
class AveragesKeys(Layer):
    def project(self, query, key, value):
        return self.query(query), self.key(key), self.key(key)


@mistake("X1", advice="Who asks is the query: you exchanged the query with the key (or with the value).")
class KeysAsk(Layer):
    def forward(self, query, key, value, mask=None):
        return super().forward(key, query, query, mask)


@mistake("X2", advice="The values must come from `value`; you projected the query once more.")
class ValuesFromQuery(Layer):
    def project(self, query, key, value):
        return self.query(query), self.key(key), self.value(query)


@mistake(
    "X2",
    advice="The values must come from `value`; you projected the key. In self- and cross-attention the two "
    "are the same, so this would be found late.",
)
class ValuesFromKey(Layer):
    def project(self, query, key, value):
        return self.query(query), self.key(key), self.value(key)


@mistake(
    "X3",
    advice="All three come from the query: this is self-attention only, `key` and `value` are never read.",
)
class OnlySelf(Layer):
    def project(self, query, key, value):
        return super().project(query, query, query)


@mistake(
    "H14",
    advice="You attend across the batch: (batch, seq, d_model) has the sequence on axis 1. "
    "(nn.MultiheadAttention wants it on axis 0, unless batch_first=True.)",
)
class AcrossBatch(Layer):
    def forward(self, query, key, value, mask=None):
        output, weights = super().forward(*(x.transpose(0, 1) for x in (query, key, value)), mask)
        return output.transpose(0, 1), weights


@mistake(
    "H25",
    advice="The projections are linear: a ReLU after them is in no formula. It belongs to the feed-forward "
    "layer.",
)
class Rectified(Layer):
    def project(self, query, key, value):
        return (torch.relu(x) for x in super().project(query, key, value))


@mistake("H25", advice="W_O comes last, and no activation after it: a ReLU would cut all negative numbers.")
class RectifiedOutput(Layer):
    def finish(self, merged):
        return torch.relu(self.output(merged))


@mistake(
    "R1", advice="Return what W_O gives. The residual is added outside of this layer (lesson 05), not in it."
)
class AddsResidual(Layer):
    def forward(self, query, key, value, mask=None):
        output, weights = super().forward(query, key, value, mask)
        return query + output, weights


@mistake("H26", advice="Return the output first, then the weights.")
class Exchanged(Layer):
    def forward(self, query, key, value, mask=None):
        return super().forward(query, key, value, mask)[::-1]
