"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.gradients import gradients_of, in_both_modes, parameters
from course_lib.exercises.multi_head.attention_cost import attention_cost
from course_lib.exercises.multi_head.merge_heads import merge_heads
from course_lib.exercises.multi_head.MultiHeadAttention import GIVEN, MultiHeadAttention, moving, three
from course_lib.exercises.multi_head.split_heads import split_heads
from course_lib.exercises.start_here.softmax import told_of_leaks


@split_heads.at_once
def split_in_heads(split, inputs):
    batch, heads, seq, d_k = inputs.integers(2, 7, 4).tolist()
    x = inputs.normal(batch, seq, heads * d_k).requires_grad_()
    pieces, other = split(x, heads), split(x.detach().double().mT.contiguous().mT[1:], d_k)
    return {
        "split: batch heads seq d_k": pieces,
        "split (other heads, float64): batch heads seq d_k": other,
        **gradients_of(pieces, {"x": x}),
    }


@merge_heads.at_once
def merged_heads(merge, inputs):
    x = inputs.normal(*inputs.integers(2, 7, 4).tolist()).requires_grad_()
    merged, other = merge(x), merge(x.detach().double().transpose(1, 2))
    return {
        "merged: batch seq d_model": merged,
        "merged (heads made by a transpose, float64): batch seq d_model": other,
        **gradients_of(merged, {"x": x}),
    }


@MultiHeadAttention.at_once
@in_both_modes
def several_heads(build, inputs):
    heads, d_k, target, source = inputs.integers(2, 6, 4).tolist()
    layer = build(heads * d_k, heads)
    query, key, value = three(inputs, heads * d_k, source, target, sentences=4)
    mask = inputs.mask(4, target, source)
    given = {name: x.requires_grad_() for name, x in zip(GIVEN, (query, key, value), strict=True)}
    output, weights = layer(**given, mask=mask)
    # What no query of a sentence sees may be anything; then self-attention, with one mask for all.
    far = [torch.where(mask[:, :1].mT, x, 1e6 * x.sign()).detach() for x in (key, value)]
    unseen, alike = layer(query, *far, mask[:, :1]), layer(*3 * [query[1:]], inputs.mask(target, target))
    leaves = moving(parameters(layer)) | given
    return {
        "output: batch target d_model": output,
        "weights: batch heads target source": weights,
        "output (one mask a sentence): batch target d_model": unseen[0],
        "weights (one mask a sentence): batch heads target source": unseen[1],
        "output (self-attention, mask of shape (target, source)): batch target d_model": alike[0],
        "weights (self-attention, mask of shape (target, source)): batch heads target source": alike[1],
        "hidden": told_of_leaks(weights, ~mask[:, None], "A hidden key"),
        **gradients_of(output, leaves, of="output"),
    }


@attention_cost.at_once
def cost_of_all(cost, inputs):
    heads, d_k, target, source = inputs.integers(2, 40, 4).tolist()
    sizes = heads * d_k, heads, target, source
    return {f"cost of {sizes}": [int(number) for number in cost(*sizes)]}
