"""MultiHeadAttention (Vaswani et al. 2017, section 3.2.2), and a frame for right and wrong variants of it."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, parameters
from course_lib.checks.properties import nothing_on_masked, proper_average, rows_sum_to_one, sharpness
from course_lib.exercises.multi_head.merge_heads import merge_heads
from course_lib.exercises.multi_head.split_heads import split_heads

MultiHeadAttention = Exercise(
    "MultiHeadAttention",
    points=9,
    returns=("output: batch target d_model", "weights: batch heads target source"),
    hints=[
        "In `__init__`: keep `heads`, and make four layers `nn.Linear(d_model, d_model)` named query, key, "
        "value and output.",
        "In `forward`, project first and split then: `split_heads(self.query(query), self.heads)` has shape "
        "(batch, heads, target, d_k); the same for key and value.",
        "`scaled_dot_product_attention` takes all heads at once. The mask needs an axis of size 1 where the "
        "heads are: `mask[..., None, :, :]`.",
        "Merge the heads, then mix them: `self.output(merge_heads(...))`. Return it and the weights.",
    ],
    examples=[
        "MultiHeadAttention(2, 1)(torch.ones(1, 1, 2), torch.ones(1, 1, 2), torch.ones(1, 1, 2))",
        "MultiHeadAttention(4, 1)(torch.tensor([[[1., 0., 2., 0.]]]), torch.tensor([[[1., 0., 0., 0.], [0., "
        "1., 0., 0.]]]), torch.tensor([[[0., 0., 1., 0.], [0., 0., 0., 1.]]]))",
        "MultiHeadAttention(4, 2)(torch.tensor([[[1., 0., 2., 0.]]]), torch.tensor([[[1., 0., 0., 0.], [0., "
        "1., 0., 0.]]]), torch.tensor([[[0., 0., 1., 0.], [0., 0., 0., 1.]]]))",
        "MultiHeadAttention(2, 1)(torch.ones(1, 1, 2), torch.ones(1, 2, 2), torch.ones(1, 2, 2), "
        "torch.tensor([[[True, False]]]))",
        "MultiHeadAttention(2, 2)(torch.ones(2, 1, 2), torch.ones(2, 2, 2), torch.ones(2, 2, 2), "
        "torch.tensor([[[True, True]], [[True, False]]]))",
        "MultiHeadAttention(2, 2)(torch.ones(1, 3, 2), torch.ones(1, 3, 2), torch.ones(1, 3, 2), "
        "torch.ones(3, 3, dtype=torch.bool).tril())",
        "MultiHeadAttention(4, 2)(torch.tensor([[[1., 0., 2., 0.], [0., 1., 0., 1.], [1., 1., 0., 0.]]]), "
        "torch.tensor([[[1., 0., 0., 0.], [0., 1., 0., 0.]]]), "
        "torch.tensor([[[0., 0., 1., 0.], [0., 0., 0., 1.]]]))",
    ],
    uses=(split_heads, merge_heads),
)


WEIGHTS = (
    rows_sum_to_one("weights"),
    nothing_on_masked("weights"),
    sharpness("weights"),
    proper_average("weights"),
)


class Layer(nn.Module):
    """Right as it stands; a variant replaces one of its steps."""

    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        query, key, value = self.project(query, key, value)
        weights = self.weigh(self.score(self.split(query), self.split(key)), mask)
        return self.finish(self.merge(weights @ self.split(value))), weights

    def project(self, query, key, value):
        return self.query(query), self.key(key), self.value(value)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def score(self, query, key):
        return query @ key.mT / math.sqrt(query.shape[-1])

    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], -torch.inf)
        return torch.softmax(scores, dim=-1)

    def merge(self, x):
        return x.transpose(1, 2).flatten(2)

    def finish(self, merged):
        return self.output(merged)


MultiHeadAttention.reference(Layer)


def three(inputs, d_model=12, source=7):
    """Query, key and value, of 2 sentences, 5 and 7 tokens."""
    return (0.5 * inputs.normal(2, length, d_model) for length in (5, source, source))


@MultiHeadAttention.part("each head weighs the keys by its own features", points=2, properties=WEIGHTS)
def weights(build, inputs):
    return {"weights: batch heads target source": build(12, 3)(*three(inputs))[1]}


# Where all keys are equal every right or wrong scale gives equal weights, and only the rest is asked for.


@MultiHeadAttention.part("the output mixes what the heads have read", points=2)
def output(build, inputs):
    layer = build(12, 3)
    query, key, value = three(inputs)
    mixed, _ = layer(query, key[:, :1].repeat(1, 7, 1), value)
    again, weights = layer(query, key, value)
    read = weights @ layer.value(value).unflatten(-1, (3, 4)).transpose(1, 2)
    return {
        "output (all keys equal): batch target d_model": mixed,
        "output - what your weights should give: batch target d_model": (
            again - layer.output(read.transpose(1, 2).flatten(2))
        ),
    }


@MultiHeadAttention.part(
    "a mask of each sentence hides its keys from every head", points=2, properties=WEIGHTS
)
def masks(build, inputs):
    layer, results = build(12, 3), {}
    for sentences in (2, 3):  # with 3 sentences and 3 heads, one can be taken for the other
        query, key = inputs.normal(sentences, 5, 12), inputs.normal(sentences, 1, 12).repeat(1, 7, 1)
        for queries in (1, 5):
            mask = inputs.mask(sentences, queries, 7)
            name = f"weights (mask of shape {tuple(mask.shape)})" if results else "weights"
            results[f"{name}: batch heads target source"] = layer(query, key, key, mask)[1]
    return results


@MultiHeadAttention.part("a mask for all sentences, such as the causal one", points=1)
def mask_without_batch(build, inputs):
    x = inputs.normal(2, 1, 12).repeat(1, 5, 1)
    past = torch.ones(5, 5, dtype=torch.bool).tril()
    label = "weights (mask of shape (target, source)): batch heads target source"
    return {label: build(12, 3)(x, x, x, past)[1]}


@MultiHeadAttention.part("gradients reach all four layers", points=1)
def gradients(build, inputs):
    layer = build(12, 3)
    # a bias of the keys adds the same to all scores of a query, and the softmax removes it
    leaves = {name: leaf for name, leaf in parameters(layer).items() if name != "key.bias"}
    return gradients_of(layer(*three(inputs))[0], leaves)


# Accepted: other ways to write the same


@MultiHeadAttention.accept("PyTorch's own function")
class Functional(Layer):
    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.expand(len(query), query.shape[1], key.shape[1])
            mask = ~mask.repeat_interleave(self.heads, dim=0)  # there True hides
        names = ("query", "key", "value")
        output, weights = F.multi_head_attention_forward(
            *(x.transpose(0, 1) for x in (query, key, value)),
            embed_dim_to_check=query.shape[-1],
            num_heads=self.heads,
            in_proj_weight=None,
            in_proj_bias=torch.cat([getattr(self, name).bias for name in names]),
            bias_k=None,
            bias_v=None,
            add_zero_attn=False,
            dropout_p=0.0,
            out_proj_weight=self.output.weight,
            out_proj_bias=self.output.bias,
            attn_mask=mask,
            use_separate_proj_weight=True,
            average_attn_weights=False,
            **{f"{name[0]}_proj_weight": getattr(self, name).weight for name in names},
        )
        return output.transpose(0, 1), weights


@MultiHeadAttention.accept("einsum")
class Einsum(Layer):
    def forward(self, query, key, value, mask=None):
        query, key, value = (x.unflatten(2, (self.heads, -1)) for x in self.project(query, key, value))
        scores = torch.einsum("bthd,bshd->bhts", query, key) * query.shape[-1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(-3) == 0, -1e9)
        weights = scores.softmax(-1)
        return self.output(torch.einsum("bhts,bshd->bthd", weights, value).flatten(2)), weights


@MultiHeadAttention.accept("a loop over heads, each with its rows of the matrices")
class Loop(Layer):
    def forward(self, query, key, value, mask=None):
        d_k, results, weights = query.shape[-1] // self.heads, 0, []
        for h in range(self.heads):
            rows = slice(h * d_k, (h + 1) * d_k)
            q, k, v = (
                F.linear(x, layer.weight[rows], layer.bias[rows])
                for x, layer in ((query, self.query), (key, self.key), (value, self.value))
            )
            scores = q @ k.transpose(1, 2) / d_k**0.5
            weights.append((scores if mask is None else scores.masked_fill(~mask, -torch.inf)).softmax(-1))
            results = results + weights[-1] @ v @ self.output.weight[:, rows].T
        return results + self.output.bias, torch.stack(weights, dim=1)


@MultiHeadAttention.accept("heads folded into the batch")
class Folded(Layer):
    def forward(self, query, key, value, mask=None):
        query, key, value = (self.split(x).flatten(0, 1) for x in self.project(query, key, value))
        scores = torch.bmm(query, key.mT) / math.sqrt(query.shape[-1])
        if mask is not None:
            mask = mask.expand(len(scores) // self.heads, *scores.shape[1:])
            scores = scores.masked_fill(~mask.repeat_interleave(self.heads, dim=0), -torch.inf)
        weights = scores.softmax(dim=-1)
        merged = torch.bmm(weights, value).unflatten(0, (-1, self.heads)).transpose(1, 2).flatten(2)
        return self.output(merged), weights.unflatten(0, (-1, self.heads))


@MultiHeadAttention.accept("a mask with four axes made inside, the query scaled first")
class FourAxes(Layer):
    def score(self, query, key):
        return (query / math.sqrt(query.shape[-1])) @ key.mT

    def weigh(self, scores, mask):
        if mask is None:
            return scores.softmax(-1)
        mask = mask[None, None] if mask.dim() == 2 else mask[:, None]
        return torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(-1)
