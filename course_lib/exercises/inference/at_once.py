"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import functools
from itertools import product

import torch

from course_lib.checks.gradients import gradients_of, parameters
from course_lib.checks.ordinary import DTYPES, built, in_turn
from course_lib.checks.remembered import each_call_once
from course_lib.exercises.inference.beam_step import beam_step
from course_lib.exercises.inference.blockwise_attention import blockwise_attention, sixteenths, told_of_memory
from course_lib.exercises.inference.CachedAttention import CachedAttention
from course_lib.exercises.inference.chunk_mask import chunk_mask
from course_lib.exercises.inference.generate import generate, told_calls
from course_lib.exercises.inference.stand_ins import Blocks, held, reader

FAR = 1e6  # where nobody may look there may be anything
BY = "no padding", "padding by position", "padding by name"


def given(padding, by):
    """Padding as a call gets it: positional arguments, and those by name."""
    return ((padding,), {}) if by == BY[1] else ((), {} if by == BY[0] else {"padding": padding})


@chunk_mask.at_once
def masks(chunk_mask, inputs):
    found = {}
    for label, case in in_turn(
        "call {0}",
        inputs.cases(
            24,
            new=("one new word", "some new words", "many new words"),
            past=("no cache", "a short cache", "a long cache"),
            sentences=("one sentence", "some sentences"),
            padding=BY,
            rows=("some rows are padded", "some rows are padded", "no row is padded"),
        ),
    ):
        new = {"one new word": 1, "some new words": inputs.integer(2, 7)}.get(
            case["new"], inputs.integer(7, 30)
        )
        past = {"no cache": 0, "a short cache": inputs.integer(1, 7)}.get(case["past"], inputs.integer(7, 40))
        rows = 1 if case["sentences"] == "one sentence" else inputs.integer(2, 6)
        most = 1 if case["rows"] == "no row is padded" else past + new + 1
        args, named = given(inputs.integers(0, most, rows), case["padding"])
        axes = "new total" if case["padding"] == "no padding" else "batch new total"
        found[f"mask ({label}): {axes}"] = chunk_mask(new, past, *args, **named)
    return found


@CachedAttention.at_once
def in_chunks(build, inputs):
    """Of rows with padding only what words get is looked at, and the cache is the layer's own.

    Its keys may be rotated by positions that do not count padding: the distances are the same.
    """

    @functools.cache
    def layer_of(dtype, heads):
        kv_heads, group = inputs.integers(2, 4, 2).tolist()
        count, d_k = kv_heads * (group if heads == "heads that share keys" else 1), 2 * inputs.integer(1, 3)
        return built(build, dtype, "training", d_k * count, count, kv_heads), d_k * count, kv_heads, d_k

    found = {}
    for label, case in in_turn(
        "layer {0}",
        inputs.cases(
            12,
            {("dtype", "by"): [*product(DTYPES, BY)]},
            heads=("heads that share keys", "heads with keys of their own"),
            sentences=("one sentence", "some sentences", "some sentences"),
            before=("no cache", "a cache given"),
            read=("all at once", "in two chunks"),
            mode=("training", "evaluation"),
        ),
    ):
        layer, *sizes = layer_of(case["dtype"], case["heads"])
        layer.train(case["mode"] == "training")
        some = case["sentences"] == "some sentences", case["before"] == "a cache given"
        result = of_one_layer(layer, inputs, DTYPES[case["dtype"]], case["by"], *sizes, *some, case["read"])
        found |= {f"{name} ({label}){axes}": value for (name, axes), value in result.items()}
    return found


def of_one_layer(layer, inputs, dtype, by, width, kv_heads, d_k, several, cached, read):
    rows, padded = inputs.integer(2, 5) if several else 1, by != "no padding"
    past, new = inputs.integer(1, 5) * cached, inputs.integer(3, 7)
    count = inputs.integers(1, past + new - 1, rows) * padded
    is_word = torch.arange(past + new) >= count[:, None]
    x = inputs.normal(rows, past + new, width).masked_fill(~is_word[..., None], FAR)
    leaves = {"x": x.to(dtype).requires_grad_()}
    args, named = given(count, by)
    cache = None
    if cached and padded:
        _, cache = layer(leaves["x"][:, :past], None, *args, **named)
    elif cached:
        leaves["cache"] = cache = inputs.normal(2, rows, kv_heads, past, d_k).to(dtype).requires_grad_()
    size = new if read == "all at once" else inputs.integer((new + 1) // 2, new)
    outputs = []
    for chunk in leaves["x"][:, past:].split(size, dim=1):
        output, cache = layer(chunk, cache, *args, **named)
        outputs.append(output)
    words = torch.cat(outputs, dim=1)[is_word[:, past:]]
    flows = gradients_of(words, parameters(layer) | leaves, of="output")
    kept = {} if padded else {("cache", ": pair batch kv_heads total d_k"): cache}
    output = {("output (of words)", ": word d_model"): words}
    return output | kept | {(name, ""): flow for name, flow in flows.items()}


@generate.at_once
def any_prompts(generate, inputs):
    found = {}
    generate(reader(), torch.tensor([[4, 5]]), 2)  # a check makes the first call twice
    counts = "one sentence", "some sentences", "many sentences"
    for label, case in in_turn(
        "call {0}",
        inputs.cases(
            18,
            {("sentences", "by"): [*product(counts, BY)]},
            words=("prompts of one word", "short prompts", "long prompts"),
            vocab=("few words in the vocabulary", "many words in the vocabulary"),
        ),
    ):
        calls, by = [], case["by"]
        rows = {"one sentence": 1, "some sentences": inputs.integer(2, 5)}.get(
            case["sentences"], inputs.integer(5, 13)
        )
        length = {"prompts of one word": 1, "short prompts": inputs.integer(2, 6)}.get(
            case["words"], inputs.integer(6, 25)
        )
        vocab = inputs.integer(8, 20) if case["vocab"].startswith("few") else inputs.integer(30, 400)
        prompt, steps = inputs.integers(1, vocab, rows, length), inputs.integer(1, 9)
        padding = inputs.integers(0, length, rows)
        padding[-1] = length // 2
        # Without padding, 0 is a word like any other.
        pads = padding[:, None] if by != "no padding" else (torch.arange(rows) % 2)[:, None]
        prompt = prompt.where(torch.arange(length) >= pads, 0)
        args, named = given(padding, by)
        with each_call_once():
            ids = generate(reader(inputs, calls, vocab), prompt, steps, *args, **named)
        found[f"ids ({label}): batch steps"] = ids
        told = f"sentences and words read in each call, and words in the cache ({label})"
        found[told] = told_calls(calls, steps, prompt)
    return found


@beam_step.at_once
def several_steps(beam_step, inputs):
    """From one hypothesis or some to others, and from these to others."""
    found = {}
    for label, case in in_turn(
        "call {0}",
        inputs.cases(
            12,
            begun=("one hypothesis", "some hypotheses"),
            then=("fewer beams", "as many beams", "more beams"),
            vocab=("few words", "many words"),
            logits=("logits of ordinary size", "very large logits"),
            dtype=(*DTYPES,),
            shape=("one layer", "some layers"),
        ),
    ):
        vocab = inputs.integer(7, 12) if case["vocab"] == "few words" else inputs.integer(30, 300)
        count = 1 if case["begun"] == "one hypothesis" else inputs.integer(3, 7)
        layers, heads, length, d_k = (inputs.integer(1, 4) for _ in range(4))
        layers = 1 if case["shape"] == "one layer" else layers + 1
        dtype = DTYPES[case["dtype"]]
        scores, cache = inputs.normal(count), inputs.normal(layers, 2, count, heads, length, d_k)
        scores, cache = scores.to(dtype), cache.to(dtype)
        spread = 20_000 if case["logits"] == "very large logits" else 3
        more = {"fewer beams": -1, "as many beams": 0, "more beams": inputs.integer(1, 4)}[case["then"]]
        for step in (1, 2):
            beams = max(1, len(scores) + more)
            logits = clear_logits(scores, vocab, beams, spread, inputs)
            parents, words, scores, cache = beam_step(scores, logits, cache, beams)
            where = f"{label}, " + f"step {step}"
            found |= {
                f"parents ({where}): beam": parents,
                f"words ({where}): beam": words,
                f"scores ({where}): beam": scores,
                f"cache ({where}): layer pair beam kv_heads total d_k": cache,
            }
            later = inputs.normal(layers, 2, beams, heads, 1, d_k).to(dtype)
            cache = torch.cat([cache, later], dim=-2)
    return found


def clear_logits(scores, vocab, beams, spread, inputs):
    """Of which no two of the best candidates are so near that rounding decides their order."""
    for _ in range(200):  # of scores that are NaN, or alike, none will do
        logits = spread * inputs.normal(len(scores), vocab) + 20 * inputs.normal(len(scores), 1)
        logits = logits.to(scores.dtype)
        best = (scores[:, None] + logits.log_softmax(dim=-1)).flatten().topk(beams + 1).values
        if (best[:-1] - best[1:] > 1e-3 + 1e-6 * best[1:].abs()).all():
            break
    return logits


@blockwise_attention.at_once(atol=5e-4)  # of scores of a thousand
def in_blocks(attend, inputs):
    """Axes before the last two, blocks of any sizes, scores of any size, and keys that no query may see."""
    found = {}
    for label, case in in_turn(
        "call {0}",
        inputs.cases(
            12,
            dtype=(*DTYPES,),
            axes=("one sentence", "a batch", "batch and heads"),
            start=("no start", "start by position", "start by name", "start 0"),
            blocks=("equal blocks", "blocks of other sizes", "one block", "blocks of one key"),
            scores=("scores of both signs", "scores above 0", "large scores"),
        ),
    ):
        lead = {"one sentence": "", "a batch": "batch "}.get(case["axes"], "batch heads ")
        found[f"output ({label}): {lead}target d_v"] = one_attended(attend, inputs, **case)
    memory = told_of_memory(held(attend, inputs, inputs.integer(240, 288), axes=()))
    return found | {"memory (query of 2 axes, with `start`)": memory}


def one_attended(attend, inputs, dtype, axes, start, blocks, scores):
    target, d_k, first, *sizes = inputs.integers(1, 6, 8).tolist()
    d_k = (
        d_k if scores != "large scores" else (1, 4)[d_k % 2]
    )  # a scale, and scores, that float32 has exactly
    sizes = {
        "equal blocks": [target] * 3,
        "one block": [sum(sizes)],
        "blocks of one key": [1] * sum(sizes),
    }.get(blocks, sizes)
    lead = {"one sentence": (), "a batch": (3,)}.get(axes, (2, 3))
    low, scale = (0.1 if scores == "scores above 0" else -2), 300 if scores == "large scores" else 1
    query, key, value = (
        inputs.uniform(low, 2, *lead, *size).to(DTYPES[dtype])
        for size in ((target, d_k), (sum(sizes), d_k), (sum(sizes), 7))
    )
    query, key = (sixteenths(each) if scores == "large scores" else each for each in (query, key))
    first = 0 if start == "start 0" else first
    if start != "no start":
        unseen = torch.arange(sum(sizes))[:, None] >= first + target
        value = value.masked_fill(unseen, FAR)
        key = key if scores == "large scores" else key.masked_fill(unseen, FAR)
    pairs = list(zip(key.split(sizes, dim=-2), value.split(sizes, dim=-2), strict=True))
    pairs = Blocks(key, value, target) if blocks == "equal blocks" else pairs
    if start == "no start":
        return attend(scale * query, pairs)
    return (
        attend(scale * query, pairs, start=first)
        if start == "start by name"
        else attend(scale * query, pairs, first)
    )
