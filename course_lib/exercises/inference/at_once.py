"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.gradients import gradients_of, parameters
from course_lib.checks.ordinary import DTYPES, built, in_turn, in_words
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
    for place, case in enumerate(
        inputs.cases(
            24,
            new=("one new word", "some new words", "many new words"),
            past=("no cache", "a short cache", "a long cache"),
            sentences=("one sentence", "some sentences"),
            padding=BY,
        ),
        1,
    ):
        new = {"one new word": 1, "some new words": inputs.integer(2, 7)}.get(
            case["new"], inputs.integer(7, 30)
        )
        past = {"no cache": 0, "a short cache": inputs.integer(1, 7)}.get(case["past"], inputs.integer(7, 40))
        rows = 1 if case["sentences"] == "one sentence" else inputs.integer(2, 6)
        args, named = given(inputs.integers(0, past + new + 1, rows), case["padding"])
        axes = "new total" if case["padding"] == "no padding" else "batch new total"
        found[f"mask {place} ({in_words(case)}): {axes}"] = chunk_mask(new, past, *args, **named)
    return found


@CachedAttention.at_once
def in_chunks(build, inputs):
    """Of rows with padding only what words get is looked at."""
    found = {}
    for label, case in in_turn(
        "layer {0}",
        inputs.cases(
            16,
            dtype=(*DTYPES,),
            heads=("heads that share keys", "heads with keys of their own"),
            sentences=("one sentence", "some sentences"),
            padding=BY,
            before=("no cache", "a cache given"),
            read=("all at once", "in two chunks"),
            mode=("training", "evaluation"),
        ),
    ):
        for (name, axes), value in one_layer(build, inputs, **case).items():
            found[f"{name} ({label}){axes}"] = value
    return found


def one_layer(build, inputs, dtype, heads, sentences, padding, before, read, mode):
    kv_heads, group = inputs.integer(1, 4), inputs.integer(2, 4) if heads == "heads that share keys" else 1
    kv_heads += group == 1
    d_k, rows = 2 * inputs.integer(1, 3), 1 if sentences == "one sentence" else inputs.integer(2, 5)
    past, new = inputs.integer(1, 5) * (before == "a cache given"), inputs.integer(3, 7)
    width = d_k * kv_heads * group
    layer = built(build, dtype, mode, width, kv_heads * group, kv_heads)
    count = inputs.integers(1, past + new - 1, rows) * (padding != "no padding")
    is_word = torch.arange(past + new) >= count[:, None]
    x = inputs.normal(rows, new, width).masked_fill(~is_word[:, past:, None], FAR)
    leaves = {"x": x.to(DTYPES[dtype]).requires_grad_()}
    cache = inputs.normal(2, rows, kv_heads, past, d_k).masked_fill(~is_word[:, None, :past, None], FAR)
    cache = cache.to(DTYPES[dtype]).requires_grad_() if past else None
    size = new if read == "all at once" else inputs.integer((new + 1) // 2, new)
    args, named = given(count, padding)
    leaves |= {"cache": cache} if cache is not None else {}
    outputs, kept = [], cache
    for chunk in leaves["x"].split(size, dim=1):
        output, kept = layer(chunk, kept, *args, **named)
        outputs.append(output)
    words = torch.cat(outputs, dim=1)[is_word[:, past:]]
    flows = gradients_of(words, parameters(layer) | leaves, of="output")
    return {
        ("output (of words)", ": word d_model"): words,
        ("cache (of words)", ": pair kv_heads word d_k"): kept.transpose(1, 2)[:, :, is_word],
        **{(name, ""): flow for name, flow in flows.items()},
    }


@generate.at_once
def any_prompts(generate, inputs):
    found = {}
    generate(reader(), torch.tensor([[4, 5]]), 2)  # a check makes the first call twice
    for place, case in enumerate(
        inputs.cases(
            16,
            sentences=("one sentence", "some sentences", "many sentences"),
            words=("prompts of one word", "short prompts", "long prompts"),
            padding=BY,
            vocab=("few words in the vocabulary", "many words in the vocabulary"),
        ),
        1,
    ):
        label, calls = in_words(case), []
        rows = {"one sentence": 1, "some sentences": inputs.integer(2, 5)}.get(
            case["sentences"], inputs.integer(5, 13)
        )
        length = {"prompts of one word": 1, "short prompts": inputs.integer(2, 6)}.get(
            case["words"], inputs.integer(6, 25)
        )
        vocab = inputs.integer(8, 20) if case["vocab"].startswith("few") else inputs.integer(30, 400)
        prompt, steps = inputs.integers(1, vocab, rows, length), inputs.integer(1, 9)
        padding = inputs.integers(0, length, rows)
        if case["padding"] != "no padding":
            prompt = prompt.where(torch.arange(length) >= padding[:, None], 0)
        args, named = given(padding, case["padding"])
        with each_call_once():
            ids = generate(reader(inputs, calls, vocab), prompt, steps, *args, **named)
        found[f"ids (call {place}, {label}): batch steps"] = ids
        told = f"sentences and words read in each call, and words in the cache (call {place}, {label})"
        found[told] = told_calls(calls, steps, prompt)
    return found


@beam_step.at_once
def several_steps(beam_step, inputs):
    """From one hypothesis or some to others, and from these to others."""
    found = {}
    for place, case in enumerate(
        inputs.cases(
            12,
            begun=("one hypothesis", "some hypotheses"),
            then=("fewer", "as many", "more"),
            vocab=("few words", "many words"),
            cache=(*DTYPES,),
            shape=("one layer", "some layers"),
        ),
        1,
    ):
        vocab = inputs.integer(7, 12) if case["vocab"] == "few words" else inputs.integer(30, 300)
        count = 1 if case["begun"] == "one hypothesis" else inputs.integer(3, 7)
        layers, heads, length, d_k = (inputs.integer(1, 4) for _ in range(4))
        layers = 1 if case["shape"] == "one layer" else layers + 1
        dtype = DTYPES[case["cache"]]
        scores, cache = inputs.normal(count), inputs.normal(layers, 2, count, heads, length, d_k).to(dtype)
        more = {"fewer": -1, "as many": 0, "more": inputs.integer(1, 4)}[case["then"]]
        for step in (1, 2):
            beams = max(1, len(scores) + more)
            logits = clear_logits(scores, vocab, beams, inputs)
            parents, words, scores, cache = beam_step(scores, logits, cache, beams)
            label = f"search {place}, step {step}, {in_words(case)}"
            found |= {
                f"parents ({label}): beam": parents,
                f"words ({label}): beam": words,
                f"scores ({label}): beam": scores,
                f"cache ({label}): layer pair beam kv_heads total d_k": cache,
            }
            later = inputs.normal(layers, 2, beams, heads, 1, d_k).to(dtype)
            cache = torch.cat([cache, later], dim=-2)
    return found


def clear_logits(scores, vocab, beams, inputs):
    """Of which no two of the best candidates are so near that rounding decides their order."""
    while True:
        logits = 3 * inputs.normal(len(scores), vocab) + 20 * inputs.normal(len(scores), 1)
        best = (scores[:, None] + logits.log_softmax(dim=-1)).flatten().topk(beams + 1).values
        if (best[:-1] - best[1:]).min() > 1e-3:
            return logits


@blockwise_attention.at_once(atol=5e-4)  # of scores of a thousand
def in_blocks(attend, inputs):
    """Axes before the last two, blocks of any sizes, scores of any size, and keys that no query may see."""
    found = {}
    for label, case in in_turn(
        "call {0}",
        inputs.cases(
            24,
            dtype=(*DTYPES,),
            axes=("one sentence", "a batch", "batch and heads"),
            start=("no start", "start by position", "start by name", "start 0"),
            blocks=("equal blocks", "blocks of other sizes", "one block", "blocks of one key"),
            scores=("scores of both signs", "scores above 0", "large scores"),
        ),
    ):
        lead = {"one sentence": "", "a batch": "batch "}.get(case["axes"], "batch heads ")
        found[f"output ({label}): {lead}target d_v"] = one_attended(attend, inputs, **case)
    for axes, start in (((8, 8), (inputs.integer(240, 288),)), ((), ())):
        case = f"query of {2 + len(axes)} axes, {'with' if start else 'without'} `start`"
        found[f"memory ({case})"] = told_of_memory(held(attend, inputs, *start, axes=axes))
    return found


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
