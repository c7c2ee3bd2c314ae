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
    found = {}
    for case in inputs.cases(
        24,
        dtype=(torch.float32, torch.float64),
        axes=((1,), (3,), (2, 3)),
        mask=("none", "target, source", "source", "of each sentence", "of each query", "causal"),
        given=("3 tensors", "1 tensor"),
        low=(-2, 0.5),
        by=("position", "name"),
    ):
        label = ", ".join(map(str, case.values()))
        found |= {
            f"{name} ({label}){axes}": x for (name, axes), x in one_of(attention, inputs, **case).items()
        }
    return found


def one_of(attention, inputs, dtype, axes, mask, given, low, by):
    target, source, d_k = inputs.integers(2, 7, 3).tolist()
    target = source if given == "1 tensor" else target
    query, key, value = (
        inputs.uniform(low, 2, *axes, *size).to(dtype) for size in ((target, d_k), (source, d_k), (source, 4))
    )
    allowed = {
        "target, source": lambda: inputs.mask(target, source),
        "source": lambda: inputs.mask(source),
        "of each sentence": lambda: inputs.mask(axes[0], *[1] * len(axes), source),
        "of each query": lambda: inputs.mask(*axes, target, source),
        "causal": lambda: torch.ones(target, source, dtype=torch.bool).tril(),
    }.get(mask, lambda: None)()
    if allowed is not None:  # what no query of a sentence sees may be anything
        seen = allowed.expand(*axes, target, source).any(dim=-2)
        value = value.where(seen[..., None], 1e6)
    query, key, value = (x if len(axes) == 1 else as_transposed(x) for x in (query, key, value))
    leaves = {"query": query.requires_grad_()}
    if given != "1 tensor":
        leaves |= {"key": key.requires_grad_(), "value": value.requires_grad_()}
    tensors = [*leaves.values()] if given != "1 tensor" else 3 * [query]
    output, weights = attention(*tensors, allowed) if by == "position" else attention(*tensors, mask=allowed)
    lead = "batch" if len(axes) == 1 else "batch heads"
    leaks = "" if allowed is None else told_of_leaks(weights, ~allowed, "A hidden key")
    return {
        ("output", f": {lead} target d_v"): output,
        ("weights", f": {lead} target source"): weights,
        ("hidden", ""): leaks,
        **{(name, ""): flow for name, flow in gradients_of(output, leaves, of="output").items()},
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
