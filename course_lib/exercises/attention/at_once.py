"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import itertools

import torch

from course_lib.checks.gradients import gradients_of
from course_lib.checks.inputs import as_transposed
from course_lib.checks.ordinary import DTYPES, SIGNS, WAYS, in_turn, in_words, passed
from course_lib.checks.properties import told_of_leaks
from course_lib.exercises.attention.additive_attention import additive_attention
from course_lib.exercises.attention.attention_pooling import attention_pooling
from course_lib.exercises.attention.causal_mask import causal_mask
from course_lib.exercises.attention.padding_mask import padding_mask
from course_lib.exercises.attention.scaled_dot_product_attention import scaled_dot_product_attention


@attention_pooling.at_once
def pooled(pooling, inputs):
    found = {}
    tensors = "3 tensors", "a query far from every key", "queries are keys", "1 tensor"
    for case in inputs.cases(
        12,
        {("way", "tensors"): [*itertools.product(WAYS, tensors)]},
        dtype=(*DTYPES,),
        queries=("1 query", "several queries"),
        numbers=SIGNS,
    ):
        found |= one_of_pooling(pooling, inputs, **case)
    return found


def one_of_pooling(pooling, inputs, way, tensors, dtype, queries, numbers):
    # Eighths, and a width that is a power of two: float32 holds all squares of them as they are.
    target, source = inputs.integers(3, 8, 2).tolist()
    key = (inputs.normal(12).argsort()[:source] - 6.5) / 4
    query = inputs.integers(-8, 9, 1 if queries == "1 query" else target) / 4
    if numbers == "numbers above 0":
        key, query = key + 2, query.abs()
    if tensors == "a query far from every key":
        query = torch.cat([query, 250 * key[:1].sign()])
    option, by_position, by_name = passed(way, width=(0.5, 2.0, 4.0)[inputs.integer(0, 3)])
    leaves = {"query": query, "key": key, "value": inputs.normal(source)}
    if tensors == "queries are keys":
        leaves.pop("query")
    if tensors == "1 tensor":
        leaves = {"key": key}
    leaves = {name: x.to(DTYPES[dtype]).requires_grad_() for name, x in leaves.items()}
    each = [leaves.get(name, leaves["key"]) for name in ("query", "key", "value")]
    prediction, weights = pooling(*each, *by_position, **by_name)
    label = f"{dtype}, {queries}, {tensors}, {numbers}, {option}"
    return {
        f"prediction ({label}): target": prediction,
        f"weights ({label}): target source": weights,
        **gradients_of(prediction, leaves, of="prediction", case=label),
    }


@additive_attention.at_once(atol=1e-4)  # of scores of a hundred
def added(attention, inputs):
    found = {}
    cases = inputs.cases(
        24,
        dtype=(*DTYPES,),
        sentences=("1 sentence", "several sentences"),
        queries=("1 query", "several queries"),
        tensors=("3 tensors", "keys are values", "1 tensor"),
        scores=("scores near 0", "scores far above 0", "scores far below 0", "scores far apart"),
        numbers=SIGNS,
    )
    for label, case in in_turn("call {0}", cases):
        found |= one_of_additive(attention, inputs, label, **case)
    return found


def one_of_additive(attention, inputs, label, dtype, sentences, queries, tensors, scores, numbers):
    batch, target, source, d_q, d_k, d_v, hidden = inputs.integers(3, 7, 7).tolist()
    batch, target = 1 if sentences == "1 sentence" else batch, 1 if queries == "1 query" else target
    sizes = {"query": (batch, target, d_q), "key": (batch, source, d_k), "value": (batch, source, d_v)}
    own = {"1 tensor": 1, "keys are values": 2}.get(tensors, 3)
    d_k = d_q if own == 1 else d_k
    sizes = dict([*sizes.items()][:own]) | {"W_query": (d_q, hidden), "W_key": (d_k, hidden), "v": (hidden,)}
    leaves = {name: inputs.normal(*size) for name, size in sizes.items()}
    if numbers == "numbers above 0":
        leaves = {name: leaf.abs() / 2 for name, leaf in leaves.items()}  # no tanh is 1 for all pairs
    if scores != "scores near 0":  # a hidden unit counts much
        leaves["W_query"][:, 0], leaves["W_key"][:, 0] = 0, 0
        leaves["v"][0] = {"scores far above 0": 100, "scores far below 0": -100}.get(scores, 500)
    if scores == "scores far apart":  # it is -1 for the first key, and 1 for the others
        words = leaves["query" if own == 1 else "key"]
        words[..., 0], words[:, 0, 0], leaves["W_key"][0, 0] = 1, -1, 400
    elif scores != "scores near 0":  # it is 1 for every pair
        leaves["query"][..., 0], leaves["W_query"][0, 0] = 2, 400
    leaves = {name: leaf.to(DTYPES[dtype]).requires_grad_() for name, leaf in leaves.items()}
    tensors, weights = [*leaves.values()][:own], [*leaves.values()][own:]
    tensors += [tensors[-1]] * (3 - own)
    output, weights = attention(*tensors, *weights)
    return {
        f"output ({label}): batch target d_v": output,
        f"weights ({label}): batch target source": weights,
        **gradients_of(output, leaves, of="output", case=label),
    }


@scaled_dot_product_attention.at_once
def scaled(attention, inputs):
    found = {}
    masks = "no mask", "mask (target, source)", "mask (source)", *OF_EACH, "causal mask"
    for case in inputs.cases(
        28,
        {("axes", "mask"): [*itertools.product(AXES, masks)]},
        dtype=(*DTYPES,),
        given=("3 tensors", "self-attention"),
        numbers=SIGNS,
        by=("by position", "by name"),
    ):
        label = in_words(case)
        found |= {
            f"{name} ({label}){axes}": x for (name, axes), x in one_of(attention, inputs, **case).items()
        }
    return found


OF_EACH = "mask of each sentence", "expanded mask of each sentence", "mask of each query"
AXES = {"no batch": (), "1 sentence": (1,), "several sentences": (3,), "several heads": (2, 3)}


def one_of(attention, inputs, dtype, axes, mask, given, numbers, by):
    axes, low = AXES[axes], 0.5 if numbers == "numbers above 0" else -2
    target, source, d_k = (inputs.integers(2, 7, 3) + torch.tensor([0, 1, 0])).tolist()
    target = source if given == "self-attention" else target
    query, key, value = (
        inputs.uniform(low, 2, *axes, *size).to(DTYPES[dtype])
        for size in ((target, d_k), (source, d_k), (source, 4))
    )
    allowed = {
        "mask (target, source)": lambda: inputs.mask(target, source),
        "mask (source)": lambda: inputs.mask(source),
        "mask of each sentence": lambda: inputs.mask(*axes[:1], *[1] * len(axes), source),
        "expanded mask of each sentence": lambda: inputs.mask(*axes[:1], *[1] * len(axes), source).expand(
            *axes, target, source
        ),
        "mask of each query": lambda: inputs.mask(*axes, target, source),
        # one for all sentences and heads
        "causal mask": lambda: torch.ones(*[1] * len(axes), target, source, dtype=torch.bool).tril(),
    }.get(mask, lambda: None)()
    if allowed is not None:  # what no query of a sentence sees may be anything
        if mask != "causal mask":  # of a single key that is seen no gradient flows
            allowed = allowed.logical_or(inputs.normal(source).argsort() < 2)
        seen = allowed.expand(*axes, target, source).any(dim=-2)
        key, value = (each.where(seen[..., None], 1e6) for each in (key, value))
    query, key, value = (x if len(axes) < 2 else as_transposed(x) for x in (query, key, value))
    leaves = {"query": query.requires_grad_()}
    if given == "3 tensors":
        leaves |= {"key": key.requires_grad_(), "value": value.requires_grad_()}
    tensors = (leaves.get(name, query) for name in ("query", "key", "value"))
    by_position, by_name = ([allowed], {}) if by == "by position" else ([], {"mask": allowed})
    output, weights = attention(*tensors, *by_position, **by_name)
    lead = " ".join(("batch", "heads")[: len(axes)])
    leaks = "" if allowed is None else told_of_leaks(weights, ~allowed, "A hidden key")
    return {
        ("output", f": {lead} target d_v"): output,
        ("weights", f": {lead} target source"): weights,
        ("hidden", ""): leaks,
        **{(name, ""): flow for name, flow in gradients_of(output, leaves, of="output").items()},
    }


@padding_mask.at_once
def any_padding(mask, inputs):
    found = {}
    end, beginning, anywhere = "padding at the end", "padding at the beginning", "padding anywhere"
    paddings = "no padding", end, beginning, anywhere, "a sentence of padding alone"
    kinds = {("way", "padding"): [*itertools.product(WAYS, paddings)]}
    for case in inputs.cases(15, kinds, sentences=("1 sentence", "several sentences")):
        way, padding = case["way"], case["padding"]
        batch, source, pad = inputs.integers(2, 9, 3).tolist()
        option, by_position, by_name = passed(way, pad=pad)
        hidden = 0 if way == "not given" else pad
        ids = inputs.integers(0, 9, 1 if case["sentences"] == "1 sentence" else batch, source)
        ids += ids >= hidden
        places = {
            end: torch.arange(source) >= inputs.integers(1, source, len(ids), 1),
            beginning: torch.arange(source) < inputs.integers(1, source, len(ids), 1),
            anywhere: ~inputs.mask(len(ids), source),
            "a sentence of padding alone": torch.arange(len(ids))[:, None] == 0,
        }.get(padding, torch.zeros(1, dtype=torch.bool))
        label = f"{padding}, {option}, ids of shape {tuple(ids.shape)}"
        found[f"mask ({label}): batch query source"] = mask(
            ids.masked_fill(places, hidden), *by_position, **by_name
        )
    return found


@causal_mask.at_once
def any_size(mask, inputs):
    sizes = inputs.integers(3, 60, 4).tolist()
    return {f"mask (size {size}): target source": mask(size) for size in sizes}
