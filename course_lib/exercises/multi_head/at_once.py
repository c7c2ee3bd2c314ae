"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import functools
import itertools

import torch

from course_lib.checks.gradients import gradients_of, parameters
from course_lib.checks.inputs import as_transposed
from course_lib.checks.ordinary import DTYPES, SIGNS, built, in_turn, in_words
from course_lib.checks.properties import told_of_leaks
from course_lib.exercises.multi_head.attention_cost import attention_cost
from course_lib.exercises.multi_head.first_steps import told_of_first_steps
from course_lib.exercises.multi_head.merge_heads import merge_heads
from course_lib.exercises.multi_head.MultiHeadAttention import GIVEN, MultiHeadAttention, moving
from course_lib.exercises.multi_head.split_heads import split_heads

TENSORS = {
    "dtype": (*DTYPES,),
    "sentences": ("1 sentence", "several sentences"),
    "words": ("1 word", "several words"),
    "heads": ("1 head", "several heads"),
    "numbers": SIGNS,
    "memory": ("in order", "made by a transpose"),
}


def a_tensor(inputs, dtype, sentences, words, heads, numbers, memory):
    """A tensor (batch, heads, seq, d_k) for these conditions: some sizes are 1."""
    drawn = inputs.integers(2, 6, 4)
    drawn[:3] -= (drawn[:3] - 1) * torch.tensor(["1 " in said for said in (sentences, heads, words)])
    x = inputs.normal(*drawn.tolist()).to(DTYPES[dtype])
    return x.abs() + 0.1 if numbers == "numbers above 0" else x


@split_heads.at_once
def split_in_heads(split, inputs):
    found = {}
    for label, case in in_turn("call {0}", inputs.cases(16, **TENSORS)):
        x = a_tensor(inputs, **case)
        heads, label = x.shape[1], f"{label}, d_k {x.shape[3]}"
        x = x.transpose(1, 2).flatten(2)
        x = (as_transposed(x) if case["memory"] == "made by a transpose" else x).requires_grad_()
        pieces = split(x, heads)
        found[f"split ({label}): batch heads seq d_k"] = pieces
        found |= gradients_of(pieces, {"x": x}, of="split", case=label)
    return found


@merge_heads.at_once
def merged_heads(merge, inputs):
    found = {}
    for label, case in in_turn("call {0}", inputs.cases(16, **TENSORS)):
        x = a_tensor(inputs, **case)
        x = (as_transposed(x) if case["memory"] == "made by a transpose" else x).requires_grad_()
        merged, label = merge(x), f"{label}, d_k {x.shape[3]}"
        found[f"merged ({label}): batch seq d_model"] = merged
        found |= gradients_of(merged, {"x": x}, of="merged", case=label)
    return found


MASKS = ("no mask", "causal mask", "mask (1, source)", "mask of each sentence", "mask of each query")


@MultiHeadAttention.at_once
def layers(build, inputs):
    @functools.cache
    def layer_of(kind, dtype):
        heads, d_k = inputs.integers(2, 5, 2).tolist()
        heads = 1 if kind == "1 head" else heads
        return built(build, dtype, "training", heads * d_k, heads), heads * d_k

    words = inputs.normal(3, 5, 4)
    found = {"first steps": told_of_first_steps(build.fresh(4, 2), inputs, *3 * [words], spared="key.bias")}
    tensors, first = ("3 tensors", "keys are values", "self-attention"), inputs.integer(0, 2)
    kinds = [  # each mask beside each way to give tensors, and of one sentence and of several
        (tensors[i], MASKS[j], ("1 sentence", "several sentences")[(i + j + first) % 2])
        for i, j in itertools.product(range(3), range(5))
    ]
    for case in inputs.cases(
        15,
        {("tensors", "mask", "sentences"): kinds},
        dtype=(*DTYPES,),
        heads=("1 head", "several heads"),
        mode=("in training mode", "in evaluation mode", "in evaluation mode"),
        numbers=SIGNS,
        by=("by position", "by name"),
    ):
        label, layer = in_words(case), layer_of(case.pop("heads"), case["dtype"])
        found |= of_a_layer(*layer, inputs, label, **case)
    return found


def of_a_layer(layer, d_model, inputs, label, dtype, mode, sentences, mask, tensors, numbers, by):
    layer.train(mode == "in training mode")
    batch, target, source = inputs.integers(2, 5, 3).tolist()
    batch, source = 1 if sentences == "1 sentence" else batch, source + 2  # with one key no gradient flows
    target = source if tensors == "self-attention" else target
    query, key, value = (inputs.normal(batch, length, d_model) / 2 for length in (target, source, source))
    if numbers == "numbers above 0":
        query, key, value = query.abs(), key.abs(), value.abs()
    past = torch.ones(target, source, dtype=torch.bool).tril()
    shape = {"mask of each sentence": (batch, 1, source), "mask of each query": (batch, target, source)}
    past = past[None] if sentences == "several sentences" else past  # one for all sentences
    seen = {"no mask": None, "causal mask": past}.get(mask, inputs.mask(*shape.get(mask, (1, source))))
    if mask.startswith("mask"):
        seen[..., inputs.normal(source).argsort()[:2]] = True
    if seen is not None and tensors != "self-attention":
        unseen = ~seen.expand(batch, target, source).any(dim=1)[..., None]  # may be anything
        key, value = key.masked_fill(unseen, 1e6), value.masked_fill(unseen, -1e6)
    own = {"self-attention": 1, "keys are values": 2}.get(tensors, 3)
    leaves = [x.to(DTYPES[dtype]).requires_grad_() for x in (query, key, value)[:own]]
    given = (leaves + 2 * leaves[-1:])[:3]
    call = layer if mode == "in training mode" else layer.forward  # which is not called again
    output, weights = call(*given, seen) if "position" in by else call(*given, mask=seen)
    leaves = moving(parameters(layer)) | dict(zip(GIVEN, leaves, strict=False))
    label = f"{label}, d_model {d_model}, {target} queries, {source} keys"
    leaks = "" if seen is None else told_of_leaks(weights, ~seen[..., None, :, :], "A hidden key")
    return {
        f"output ({label}): batch target d_model": output,
        f"weights ({label}): batch heads target source": weights,
        f"hidden ({label})": leaks,
        **gradients_of(output, leaves, of="output", case=label),
    }


@attention_cost.at_once
def costs(cost, inputs):
    found = {}
    for case in inputs.cases(12, heads=("1", "several"), target=("1", "several"), source=("1", "several")):
        heads, target, source = (1 if many == "1" else inputs.integer(2, 40) for many in case.values())
        sizes = heads * inputs.integer(1, 20), heads, target, source
        found[f"cost of {sizes}"] = [int(number) for number in cost(*sizes)]
    return found
