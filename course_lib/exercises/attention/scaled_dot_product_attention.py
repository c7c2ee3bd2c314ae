"""scaled_dot_product_attention (Vaswani et al. 2017, eq. 1), with an optional boolean mask."""

import math

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of
from course_lib.checks.inputs import as_transposed
from course_lib.checks.properties import WEIGHTS, told_of_leaks

scaled_dot_product_attention = Exercise(
    "scaled_dot_product_attention",
    points=9,
    returns=("output: batch target d_v", "weights: batch target source"),
    hints=[
        "Which shape must the scores have? Which two axes of the keys do you have to swap, so that a matrix "
        "product of queries and keys has this shape?",
        "`query @ key.mT` holds one dot product for each query and key, of shape (batch, target, source). "
        "`.mT` swaps only the last two axes. Divide by the square root of d_k, which is `query.shape[-1]`.",
        "If there is a mask, hide keys before the softmax: `scores = scores.masked_fill(~mask, -torch.inf)`.",
        "Then write `weights = torch.softmax(scores, dim=-1)` and `return weights @ value, weights`.",
    ],
    examples=[
        "scaled_dot_product_attention(torch.tensor([[[1., 0., 0., 0.]]]), "
        "torch.tensor([[[2., 0., 0., 0.], [0., 2., 0., 0.]]]), torch.tensor([[[10.], [20.]]]))",
        "scaled_dot_product_attention(torch.tensor([[[1.]]]), torch.tensor([[[1.], [2.]]]), "
        "torch.tensor([[[10.], [20.]]]), mask=torch.tensor([[[True, False]]]))",
        "scaled_dot_product_attention(torch.tensor([[[1.]]]), torch.tensor([[[1000.], [999.]]]), "
        "torch.tensor([[[10.], [20.]]]))",
        "scaled_dot_product_attention(torch.tensor([[[1.]]]), torch.tensor([[[0.], [200.]]]), "
        "torch.tensor([[[10.], [20.]]]), mask=torch.tensor([[[True, False]]]))",
        "scaled_dot_product_attention(torch.tensor([[[1., 0.]]]), torch.tensor([[[1., 2.], [3., 4.]]]), "
        "torch.tensor([[[10.], [20.]]]))",
        "scaled_dot_product_attention(torch.tensor([[[1.]]]), torch.tensor([[[-2000000.], [0.]]]), "
        "torch.tensor([[[10.], [20.]]]), mask=torch.tensor([[[True, False]]]))",
        "scaled_dot_product_attention(torch.tensor([[[1.], [2.]]]), torch.tensor([[[1.], [2.]]]), "
        "torch.tensor([[[10.], [20.]]]), mask=torch.tensor([[[True, False]]]))",
        "scaled_dot_product_attention(torch.tensor([[[1.], [-1.]]]), torch.tensor([[[1000.], [999.]]]), "
        "torch.tensor([[[10.], [20.]]]))",
        "scaled_dot_product_attention(torch.ones(1, 2, 1, 1), torch.tensor([[[[1.], [2.]], [[3.], [5.]]]]), "
        "torch.tensor([[[[10.], [20.]], [[30.], [40.]]]]))",
        "scaled_dot_product_attention(*3 * [torch.arange(8.).view(2, 2, 2, 1).transpose(1, 2)])",
    ],
    ready_made=("scaled_dot_product_attention", "multi_head_attention_forward"),
)


SUMS = WEIGHTS[:2]


@scaled_dot_product_attention.reference
def reference(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@scaled_dot_product_attention.part("weights", points=2, properties=WEIGHTS)
def weights(attention, inputs):
    query, key, value = inputs.normal(2, 5, 6), inputs.normal(2, 7, 6), inputs.normal(2, 7, 4)
    longer = inputs.normal(3, 1, 11), inputs.normal(3, 5, 11), inputs.normal(3, 5, 2)
    x = inputs.normal(2, 6, 6)
    return {
        "weights: batch target source": attention(query, key, value)[1],
        "weights (d_k 11, one query): batch target source": attention(*longer)[1],
        # Nothing tells its axes apart, and one tensor is queries, keys and values.
        "weights (self-attention, d_k 6, 6 words): batch target source": attention(x, x, x)[1],
    }


# With d_k = 1 every scale is 1, so a slip in the scale costs no point in the parts below.


@scaled_dot_product_attention.part("the output averages the values by the weights, in their dtype", points=1)
def output(attention, inputs):
    query, key, value = torch.zeros(2, 5, 6), inputs.normal(2, 7, 6), inputs.normal(2, 7, 4)
    averaged, weights = attention(query, key, value)
    doubles, _ = attention(query.double(), key.double(), inputs.wide(2, 7, 4).double())
    some, some_weights = attention(query, key, value, mask=inputs.mask(2, 1, 7))
    return {
        "output - weights @ value (with a mask): batch target d_v": some - some_weights @ value,
        "output (queries that are 0): batch target d_v": averaged,
        "output (queries that are 0, float64): batch target d_v": doubles,
        "output - weights @ value: batch target d_v": averaged - weights @ value,
    }


@scaled_dot_product_attention.part("masked keys get no weight", points=2, properties=WEIGHTS)
def mask(attention, inputs):
    query, key, value = inputs.normal(2, 5, 1), inputs.normal(2, 7, 1), inputs.normal(2, 7, 4)
    every_query, each_query, each_sentence = inputs.mask(2, 1, 7), inputs.mask(2, 5, 7), inputs.mask(5, 7)
    past = torch.ones(5, 5, dtype=torch.bool).tril()
    every_query[0] = each_query[1] = True  # what hides nothing in one sentence may hide something in another
    # With wide keys: what is left when hidden keys have gone is shared out as before, whatever the scale.
    wide_query, wide_key = inputs.normal(2, 5, 6), inputs.normal(2, 7, 6)
    masked = attention(wide_query, wide_key, value, mask=each_query)[1]
    left = attention(wide_query, wide_key, value)[1] * each_query
    # Where nothing is left the shares are 0, not 0/0: NaN is told only of NaN in the answer.
    change = masked / masked.sum(-1, keepdim=True) - left / left.sum(-1, keepdim=True).clamp_min(1e-30)
    return {
        "difference between your weights and those without the hidden keys (d_k 6): batch target source": (
            change
        ),
        "hidden": told_of_leaks(masked, ~each_query, "A hidden key"),
        "weights: batch target source": attention(query, key, value, mask=each_query)[1],
        "weights (mask of shape (batch, 1, source)): batch target source": attention(
            query, key, value, mask=every_query
        )[1],
        "weights (mask of shape (target, source)): batch target source": attention(
            query, key, value, mask=each_sentence
        )[1],
        "weights (mask of shape (source,)): batch target source": attention(
            query, key, value, mask=each_sentence[0]
        )[1],
        "weights (one query, with a mask): batch target source": attention(
            query[:, :1], key, value, mask=every_query
        )[1],
        "weights (5 queries, 5 keys, causal mask): batch target source": attention(
            query, key[:, :5], value[:, :5], mask=past
        )[1],
    }


@scaled_dot_product_attention.part(
    "the weights are right for large scores, seen or hidden", points=1, properties=SUMS
)
def large_scores(attention, inputs):
    # Two queries with opposite scores: what fits one row does not fit the other.
    query, value = torch.tensor([[[1.0], [-1.0]]]), inputs.normal(1, 3, 4)
    keys = {
        "weights": ([1000.0, 1000.0, 999.0], [True, True, True]),
        "weights (a large score is hidden)": ([0.0, 1.0, 200.0], [True, True, False]),
        "weights (scores far below zero)": ([-2e6, -2e6 - 1, 0.0], [True, True, False]),
    }
    found = {
        f"{name}: batch target source": attention(
            query, torch.tensor(key).view(1, 3, 1), value, mask=torch.tensor(seen).view(1, 1, 3)
        )[1]
        for name, (key, seen) in keys.items()
    }
    key = torch.tensor([[[1000.0], [1000.0], [999.0]]])
    return found | {"weights (no mask): batch target source": attention(query, key, value)[1]}


@scaled_dot_product_attention.part(
    "other axes, such as heads, may come before the sequence", points=1, properties=WEIGHTS
)
def heads(attention, inputs):
    query, key, value = inputs.normal(2, 3, 5, 1), inputs.normal(2, 3, 7, 1), inputs.normal(2, 3, 7, 4)
    wide_query, wide_key = inputs.normal(2, 3, 5, 6), inputs.normal(2, 3, 7, 6)
    everything, some = torch.ones(2, 1, 1, 7, dtype=torch.bool), inputs.mask(2, 5, 7)
    of_heads = inputs.mask(3, 5, 7)

    def together(**mask):
        return attention(wide_query, wide_key, value, **mask)[1]

    def singly(*masks):
        heads = zip(*(x.unbind(1) for x in (wide_query, wide_key, value)), *masks, strict=True)
        return torch.stack([attention(*head)[1] for head in heads], dim=1)

    given = wide_query, wide_key, value
    single, five_axes, transposed = singly(), (x[None] for x in given), map(as_transposed, given)
    return {
        "output of transposed heads - output of copies: batch heads target d_v": (
            attention(*transposed)[0] - attention(*given)[0]
        ),
        "weights: batch heads target source": attention(query, key, value)[1],
        "weights (a mask that hides nothing): batch heads target source": attention(
            query, key, value, mask=everything
        )[1],
        "log weights with heads - without: batch heads target source": torch.where(
            together() == single, 0.0, together().log() - single.log()
        ),
        "weights with heads - without (a mask): batch heads target source": together(mask=some[:, None])
        - singly([some] * 3),
        "weights with heads - without (heads have masks): batch heads target source": together(mask=of_heads)
        - singly(of_heads),
        "weights with five axes - with three: a batch heads target source": attention(*five_axes)[1] - single,
        "weights without any axis - with one: target source": attention(
            wide_query[0, 0], wide_key[0, 0], value[0, 0]
        )[1]
        - single[0, 0],
    }


@scaled_dot_product_attention.part("gradients reach query, key and value", points=1)
def gradients(attention, inputs):
    query, key, value = inputs.normal(2, 5, 1), inputs.normal(2, 7, 1), inputs.normal(2, 7, 4)
    leaves = {"query": query, "key": key, "value": value}
    averaged, _ = attention(*(leaf.requires_grad_() for leaf in leaves.values()))
    seen = inputs.mask(2, 5, 7)
    seen[:, 0] = True  # no key is hidden from every query: over the queries, too, something is left to share
    masked, _ = attention(query, key, value, mask=seen)
    with_mask = {f"{name} (with a mask)": leaf for name, leaf in leaves.items()}
    alike = inputs.normal(2, 5, 1).requires_grad_()
    words = gradients_of(attention(alike, alike, alike)[0], {"x": alike}, of="output", case="self-attention")
    found = gradients_of(averaged, leaves, of="output") | gradients_of(masked, with_mask, of="output")
    return found | words


# Accepted: other ways to write the same


@scaled_dot_product_attention.accept("loops over queries and keys")
def loops(query, key, value, mask=None):
    rows = []
    for t in range(query.shape[-2]):
        row = torch.stack([(query[..., t, :] * key[..., s, :]).sum(-1) for s in range(key.shape[-2])], dim=-1)
        rows.append(row / query.shape[-1] ** 0.5)
    scores = torch.stack(rows, dim=-2)
    if mask is not None:
        scores = torch.where(mask, scores, torch.tensor(float("-inf")))
    weights = scores.softmax(-1)
    return weights @ value, weights


@scaled_dot_product_attention.accept("einsum")
def einsum(query, key, value, mask=None):
    scores = torch.einsum("...td,...sd->...ts", query, key) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return torch.einsum("...ts,...sd->...td", weights, value), weights


@scaled_dot_product_attention.accept("the query is scaled first")
def scaled_query(query, key, value, mask=None):
    scores = (query / math.sqrt(query.shape[-1])) @ key.mT
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    return weights.matmul(value), weights


@scaled_dot_product_attention.accept("-1e9 in place of minus infinity")
def minus_billion(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-1, -2)) * query.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, -1)
    return torch.matmul(weights, value), weights


@scaled_dot_product_attention.accept("an additive mask is built inside")
def additive_mask(query, key, value, mask=None):
    bias = 0.0 if mask is None else torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)
    weights = torch.softmax(query @ key.mT / math.sqrt(key.shape[-1]) + bias, dim=-1)
    return weights @ value, weights


@scaled_dot_product_attention.accept("exp after subtracting the row maximum")
def stable_exp(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.exp(scores - scores.max(dim=-1, keepdim=True)[0])
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights
