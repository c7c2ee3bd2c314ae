"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.gradients import gradients_of
from course_lib.exercises.attention.scaled_dot_product_attention import scaled_dot_product_attention


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
    return {
        "output: batch target d_v": output,
        "weights: batch target source": weights,
        "output (one mask a sentence, float64): batch target d_v": unseen[0],
        "weights (one mask a sentence, float64): batch target source": unseen[1],
        **gradients_of(output, {"query": query, "key": key, "value": value}),
    }
