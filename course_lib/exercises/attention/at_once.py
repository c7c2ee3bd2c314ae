"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.gradients import gradients_of
from course_lib.checks.inputs import as_transposed
from course_lib.exercises.attention.additive_attention import additive_attention
from course_lib.exercises.attention.attention_pooling import attention_pooling
from course_lib.exercises.attention.causal_mask import causal_mask
from course_lib.exercises.attention.padding_mask import padding_mask
from course_lib.exercises.attention.scaled_dot_product_attention import scaled_dot_product_attention
from course_lib.exercises.start_here.softmax import told_of_leaks


@attention_pooling.at_once
def pooled(pooling, inputs):
    target, source = inputs.integers(3, 9, 2).tolist()
    # Quarters, and a width that is a power of two: float32 holds all squares of them as they are.
    query, key = (inputs.integers(-12, 13, size) / 4 for size in (target, source))
    query[:2] = torch.tensor([250, -250]) - query[:2]  # far from every key
    width = 2.0 ** int(inputs.integers(0, 4, 1)) / 4
    width = 4.0 if width == 1 else width
    leaves = {"query": query, "key": key, "value": inputs.normal(source)}
    prediction, weights = pooling(*(leaf.requires_grad_() for leaf in leaves.values()), width=width)
    wide = [leaf.detach().double() for leaf in leaves.values()]
    other = pooling(wide[0] + 0.1, wide[1], wide[2], width=0.7 * width)
    return {
        f"prediction (width={width}): target": prediction,
        f"weights (width={width}): target source": weights,
        "prediction (another width, float64): target": other[0],
        "weights (another width, float64): target source": other[1],
        **gradients_of(prediction, leaves, of="prediction"),
    }


@additive_attention.at_once
def added(attention, inputs):
    batch, target, source, d_q, d_k, d_v, hidden = inputs.integers(2, 9, 7).tolist()
    leaves = {
        "query": inputs.normal(batch, target, d_q),
        "key": inputs.normal(batch, source, d_k),
        "value": inputs.normal(batch, source, d_v),
        "W_query": inputs.normal(d_q, hidden),
        "W_key": inputs.normal(d_k, hidden),
        "v": inputs.normal(hidden),
    }
    output, weights = attention(*(leaf.requires_grad_() for leaf in leaves.values()))
    *wide, v = (leaf.detach().double() for leaf in leaves.values())
    large = attention(*wide, 100 * v)
    return {
        "output: batch target d_v": output,
        "weights: batch target source": weights,
        "output (large scores, float64): batch target d_v": large[0],
        "weights (large scores, float64): batch target source": large[1],
        **gradients_of(output, leaves, of="output"),
    }


@scaled_dot_product_attention.at_once
def scaled(attention, inputs):
    target, source, d_k = inputs.integers(2, 9, 3).tolist()
    query, key, value = (
        inputs.normal(3, size, width).requires_grad_()
        for size, width in ((target, d_k), (source, d_k), (source, 4))
    )
    mask = inputs.mask(3, target, source)
    output, weights = attention(query, key, value, mask=mask)
    hidden = ~mask[:, :1].mT
    far = torch.where(hidden, 1e6, value.detach())  # what no query of a sentence sees may be anything
    unseen = attention(query.double(), key.double(), far.double(), mask=mask[:, :1])
    heads = [as_transposed(torch.stack([x.detach(), -x.detach().flip(0)], dim=1)) for x in (query, key, far)]
    several = attention(*heads, mask=mask[:, None, :1])
    return {
        "output: batch target d_v": output,
        "weights: batch target source": weights,
        "output (one mask a sentence, float64): batch target d_v": unseen[0],
        "weights (one mask a sentence, float64): batch target source": unseen[1],
        "output (2 heads, one mask a sentence): batch heads target d_v": several[0],
        "weights (2 heads, one mask a sentence): batch heads target source": several[1],
        "hidden": told_of_leaks(weights, ~mask, "A hidden key"),
        **gradients_of(output, {"query": query, "key": key, "value": value}),
    }


@padding_mask.at_once
def any_padding(mask, inputs):
    batch, source, pad = inputs.integers(2, 9, 3).tolist()
    ids = inputs.integers(0, 9, batch, source)
    return {
        f"mask (pad={pad}): batch query source": mask(ids, pad=pad),
        "mask: batch query source": mask(ids),
    }


@causal_mask.at_once
def any_size(mask, inputs):
    return {"mask: target source": mask(int(inputs.integers(3, 60, 1)))}
