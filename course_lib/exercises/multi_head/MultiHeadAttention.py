"""MultiHeadAttention (Vaswani et al. 2017, section 3.2.2), and a frame for right and wrong variants of it."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import excused, gradients_of, in_both_modes, parameters, told_of_second_names
from course_lib.checks.model_parts import linear
from course_lib.checks.precision import told_of_float64
from course_lib.checks.properties import WEIGHTS, apart, differ, told_of_leaks
from course_lib.exercises.attention.scaled_dot_product_attention import reference as attention
from course_lib.exercises.multi_head.merge_heads import merge_heads, merge_reference
from course_lib.exercises.multi_head.split_heads import split_heads, split_reference

MultiHeadAttention = Exercise(
    "MultiHeadAttention",
    points=9,
    returns=("output: batch target d_model", "weights: batch heads target source"),
    hints=[
        "Which four matrices does the formula have, and what happens between the first three and the last? "
        "The steps are: project, split, attend, merge, mix.",
        "In `__init__`: keep `heads`, and make four layers `nn.Linear(d_model, d_model)` named query, key, "
        "value and output.",
        "In `forward`, project first, then split: `split_heads(self.query(query), self.heads)` has shape "
        "(batch, heads, target, d_k). Do the same for key and value.",
        "`scaled_dot_product_attention` computes all heads at once. The mask needs an axis of size 1 where "
        "the scores have the heads: `mask[..., None, :, :]`.",
        "Merge the heads, then mix them: `self.output(merge_heads(...))`. Return that and the weights.",
    ],
    examples=[
        "MultiHeadAttention(2, 1)(torch.ones(1, 1, 2), torch.ones(1, 1, 2), torch.ones(1, 1, 2))",
        "MultiHeadAttention(4, 1)(torch.tensor([[[1., 0., 2., 0.]]]), torch.tensor([[[1., 0., 0., 0.], [0., "
        "1., 0., 0.]]]), torch.tensor([[[0., 0., 1., 0.], [0., 0., 0., 1.]]]))",
        "MultiHeadAttention(4, 2)(torch.tensor([[[1., 0., 2., 0.]]]), torch.tensor([[[1., 0., 0., 0.], [0., "
        "1., 0., 0.]]]), torch.tensor([[[0., 0., 1., 0.], [0., 0., 0., 1.]]]))",
        "MultiHeadAttention(2, 1)(torch.ones(1, 1, 2), torch.ones(1, 2, 2), torch.eye(2)[None], "
        "torch.tensor([[[True, False]]]))",
        "MultiHeadAttention(2, 1)(torch.ones(1, 2, 2), torch.ones(1, 2, 2), torch.eye(2)[None], "
        "torch.tensor([[True, False]]))",
        "MultiHeadAttention(2, 2)(torch.ones(2, 1, 2), torch.ones(2, 2, 2), torch.ones(2, 2, 2), "
        "torch.tensor([[[True, True]], [[True, False]]]))",
        "MultiHeadAttention(2, 2)(torch.ones(1, 3, 2), torch.ones(1, 3, 2), torch.ones(1, 3, 2), "
        "torch.ones(3, 3, dtype=torch.bool).tril())",
        "MultiHeadAttention(4, 2)(torch.tensor([[[1., 0., 2., 0.], [0., 1., 0., 1.], [1., 1., 0., 0.]]]), "
        "torch.tensor([[[1., 0., 0., 0.], [0., 1., 0., 0.]]]), "
        "torch.tensor([[[0., 0., 1., 0.], [0., 0., 0., 1.]]]))",
    ],
    uses=(split_heads, merge_heads),
    ready_made=("multi_head_attention_forward",),
)


GIVEN = ("query", "key", "value")


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


def three(inputs, d_model=12, source=7, target=5, sentences=2):
    """Query, key and value, of 2 sentences, 5 and 7 tokens."""
    return (0.5 * inputs.normal(sentences, length, d_model) for length in (target, source, source))


@MultiHeadAttention.part("each head computes its weights from its own features", points=2, properties=WEIGHTS)
def weights(build, inputs):
    large = [4 * x for x in three(inputs, d_model=10, source=11)]  # for what cuts off large scores
    first, second = build(12, 3), build(10, 2)  # the first is called when the second is there
    return {
        "weights: batch heads target source": first(*three(inputs))[1],
        "weights (2 heads of 5, 11 keys): batch heads target source": second(*large)[1],
        "weights (1 head): batch heads target source": build(6, 1)(*three(inputs, 6, source=5))[1],
        "weights (1 query, 70 keys): batch heads target source": build(8, 2)(*three(inputs, 8, 70, 1, 1))[1],
        "layers": told_of_second_names(first, "query", "key"),
    }


# Where all keys are equal every right or wrong scale gives equal weights, and only the rest is asked for.


@MultiHeadAttention.part("the output is W_O times the merged heads", points=2)
def output(build, inputs):
    layer, other = build(12, 3), build(10, 2)
    narrowed = told_of_float64(other, *three(inputs, 10), inputs.mask(2, 5, 7))
    query, key, value = three(inputs)
    mixed, _ = layer(query, key[:, :1].repeat(1, 7, 1), value)
    again, weights = layer(query, key, value)
    read = weights @ linear(layer.value, value).unflatten(-1, (3, 4)).transpose(1, 2)
    return {
        "output (all keys equal): batch target d_model": mixed,
        "difference between your output and that of your weights: batch target d_model": apart(
            again, linear(layer.output, read.transpose(1, 2).flatten(2))
        ),
        "output - output for copies (self-attention): batch target d_model": apart(
            layer(value, value, value)[0], layer(value, value.clone(), value.clone())[0]
        ),
        "dtype": narrowed,
    }


@MultiHeadAttention.part(
    "a mask for each sentence hides its keys from every head", points=2, properties=WEIGHTS
)
def masks(build, inputs):
    layer, other, results = build(12, 3), build(10, 2), {}
    # With 3 sentences and 3 heads, one can be taken for the other; their scores are millions, of both signs.
    for sentences, size in ((2, 1), (3, 2000)):
        query, key = (size * inputs.normal(sentences, length, 12) for length in (5, 1))
        key = key.repeat(1, 7, 1)
        for queries in (1, 5):
            mask = inputs.mask(sentences, queries, 7)
            name = f"weights (mask of shape {tuple(mask.shape)})" if results else "weights"
            output, weights = layer(query, key, key, mask)
            results[f"{name}: batch heads target source"] = weights
            results[f"hidden {tuple(mask.shape)}"] = told_of_leaks(weights, ~mask[:, None], "A hidden key")
            if queries == 1:  # what stands at hidden places must not change the output either
                others = torch.where(mask.mT, key, key + 1)
                label = f"output - output with other values at hidden keys ({sentences} sentences)"
                results[f"{label}: batch target d_model"] = apart(output, layer(query, key, others, mask)[0])
                label = f"weights (one query, mask of shape {tuple(mask.shape)})"
                results[f"{label}: batch heads target source"] = layer(query[:, :1], key, key, mask)[1]
    results["weights (no mask, after calls with one): batch heads target source"] = layer(query, key, key)[1]
    return results | left_out(other, inputs, 1, 1, 7) | left_out(other, inputs, 2, 5, 7)


def left_out(layer, inputs, *shape):
    """Hidden keys might as well not be there, whatever the scale is and however heads are merged."""
    given = {name: x.requires_grad_() for name, x in zip(GIVEN, three(inputs, 10), strict=True)}
    output, weights = layer(**given, mask=(torch.arange(7) < 4).expand(shape))
    seen = layer(given["query"], given["key"][:, :4], given["value"][:, :4])
    case = f"without the hidden keys (mask of shape {shape})"
    leaves = moving(layer.filled) | given
    # What is cut off without a mask too is the matter of another part.
    flows = excused(*(gradients_of(result, leaves, of="output") for result in (output, seen[0])))
    return {
        f"output - output {case}: batch target d_model": apart(output, seen[0]),
        f"weights - weights {case}: batch heads target source": weights[..., :4] - seen[1],
        f"another query has other weights {case}": differ(seen[1], seen[1].flip(-2)),
    } | {f"{name} (mask of shape {shape})": flow for name, flow in flows.items()}


def moving(leaves):
    """All but the bias of the keys: it adds the same to all scores of a query, and the softmax removes it."""
    return {name: leaf for name, leaf in leaves.items() if name != "key.bias"}


@MultiHeadAttention.part("a mask for all sentences, such as the causal mask, works too", points=1)
def mask_without_batch(build, inputs):
    x = inputs.normal(2, 1, 12).repeat(1, 5, 1)
    past = torch.ones(5, 5, dtype=torch.bool).tril()
    label = "weights (mask of shape (target, source)): batch heads target source"
    layer = build(12, 3)
    other = "weights (another mask of shape (target, source)): batch heads target source"
    found = {label: layer(x, x, x, past)[1], other: layer(x, x, x, inputs.mask(5, 5))[1]}
    label = "weights (mask of shape (1, source)): batch heads target source"
    found[label] = layer(x, x, x, inputs.mask(1, 5))[1]
    x = inputs.normal(5, 1, 12).repeat(1, 5, 1)
    label = "weights (mask of shape (target, source), and as many sentences as words)"
    found[f"{label}: batch heads target source"] = layer(x, x, x, past)[1]
    return found | left_out(build(10, 2), inputs, 5, 7)


@MultiHeadAttention.part("gradients reach all four layers, query, key and value", points=1)
@in_both_modes
def gradients(build, inputs):
    layer = build(12, 3)
    given = {name: x.requires_grad_() for name, x in zip(GIVEN, three(inputs), strict=True)}
    found = gradients_of(layer(**given)[0], moving(parameters(layer)) | given, of="output")
    x, memory = (leaf.requires_grad_() for leaf in list(three(inputs))[:2])
    words = gradients_of(layer(x, x, x)[0], {"x": x}, of="output", case="self-attention")
    read = layer(x.detach(), memory, memory)[0]
    return found | words | gradients_of(read, {"memory": memory}, of="output", case="keys and values")


# Accepted: other ways to write the same


@MultiHeadAttention.accept("PyTorch's attention for the output, its weights beside it")
class Functional(Layer):
    def forward(self, query, key, value, mask=None):
        query, key, value = (self.split(x) for x in self.project(query, key, value))
        mask = None if mask is None else mask.unsqueeze(-3)
        read = F.scaled_dot_product_attention(query, key, value, mask)
        identity = torch.eye(key.shape[-2], dtype=key.dtype).expand(*key.shape[:2], -1, -1)
        return self.output(self.merge(read)), F.scaled_dot_product_attention(query, key, identity, mask)


@MultiHeadAttention.accept("the lesson's three functions")
class ByLesson(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        query = split_reference(self.query(query), self.heads)
        key, value = (
            split_reference(self.key(key), self.heads),
            split_reference(self.value(value), self.heads),
        )
        mask = None if mask is None else mask[..., None, :, :]
        read, weights = attention(query, key, value, mask)
        return self.output(merge_reference(read)), weights


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
