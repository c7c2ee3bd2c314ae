"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import functools
import itertools

import torch

from course_lib.checks.gradients import parameters
from course_lib.checks.ordinary import DTYPES, SENTENCES, built, in_words
from course_lib.exercises.gpt.continuation_targets import UNK, continuation_targets, sequences
from course_lib.exercises.gpt.GPT import GPT, with_tied_numbers
from course_lib.exercises.gpt.GroupedQueryAttention import GroupedQueryAttention
from course_lib.exercises.gpt.rms_norm import rms_norm
from course_lib.exercises.gpt.SwiGLU import SwiGLU
from course_lib.exercises.layer_norm.cases import (
    MODES,
    NUMBERS,
    WORDS,
    each_position,
    normalized,
    numbers,
    told,
)
from course_lib.exercises.positional_encoding.apply_rotary import turns

HEADS = "one key head", "a key head for each head", "heads in groups"


rms_norm.at_once(normalized("gain"))
SwiGLU.at_once(each_position(NUMBERS))


def sizes_of_heads(inputs, kind):
    """d_model, heads, kv_heads."""
    (shared, group), half = inputs.integers(2, 4, 2).tolist(), inputs.integer(1, 3)
    shared = 1 if kind == "one key head" else shared
    heads = shared if kind == "a key head for each head" else shared * group
    return 2 * half * heads, heads, shared


def without_scores(leaves, words):
    """The leaves that learn: no score moves the weight of a single word."""
    still = ("query.weight", "key.weight") if words == 1 else ()
    return {name: leaf for name, leaf in leaves.items() if not name.endswith(still)}


@GroupedQueryAttention.at_once
def attended(build, inputs):
    @functools.cache
    def layer_of(dtype, mode, heads):
        sizes = sizes_of_heads(inputs, heads)
        return sizes, built(build, dtype, mode, *sizes)

    found = {}
    for case in inputs.cases(
        16,
        dtype=(*DTYPES,),
        mode=MODES,
        heads=HEADS,
        batch=(*SENTENCES,),
        x=NUMBERS,
        text=("one word", "several words", "a large last word"),
        places=("from place 0", "from a later place", "at any places"),
    ):
        (d_model, heads, _), layer = layer_of(case["dtype"], case["mode"], case["heads"])
        dtype = DTYPES[case["dtype"]]
        seq, first = inputs.integers(3, 7, 2).tolist()
        seq, first = (1 if case["text"] == "one word" else seq), first * ("later" in case["places"])
        places = torch.arange(first, first + seq)
        if case["places"] == "at any places":
            places = torch.randperm(20, generator=inputs.generator)[:seq].sort().values
        cos, sin = (table[places].to(dtype) for table in turns(20, d_model // heads))
        x = numbers(inputs, case["x"], SENTENCES[case["batch"]], seq, d_model)
        read = seq - 1 if case["text"] == "a large last word" else seq
        x[:, read:] *= 1e6  # no other word reads it
        x = x.to(dtype).requires_grad_()
        output, weights = layer(x, cos, sin)
        leaves = {"x": x} | without_scores(parameters(layer), read)
        found |= told("output", WORDS, output[:, :read], leaves, case)
        found[f"weights ({in_words(case)}): batch heads seq seq"] = weights[:, :, :read]
    return found


@GPT.at_once
def written(build, inputs):
    found = {}
    for case in inputs.cases(
        12,
        dtype=(*DTYPES,),
        mode=MODES,
        heads=HEADS,
        batch=(*SENTENCES,),
        text=("one word", "several words", "several words", "longer texts"),
        blocks=("1 block", "2 blocks", "3 blocks"),
    ):
        vocab, d_ff = inputs.integers(6, 13, 2).tolist()
        sizes = vocab, *sizes_of_heads(inputs, case["heads"]), d_ff, int(case["blocks"][0])
        model = with_tied_numbers(built(build, case["dtype"], case["mode"], *sizes))
        words = {"one word": 1, "longer texts": 12}.get(case["text"], inputs.integer(2, 8))
        logits = model(inputs.integers(0, vocab, SENTENCES[case["batch"]], words))
        leaves = without_scores(parameters(model), words)
        found |= told("logits", "batch seq vocab", logits, leaves, case)
    return found


CUT = "rows that end in the separator"


@continuation_targets.at_once
def targets_of_a_batch(targets, inputs):
    found = {}
    for batch, lengths, words, end in itertools.product(
        ("1 row", "2 rows", "5 rows"),
        ("rows of one length", "rows of other lengths"),
        ("all words known", "some words unknown", "words that come again"),
        ("whole rows", CUT),
    ):
        rows, other = int(batch[0]), lengths == "rows of other lengths"
        sizes = inputs.integers(1, 9, rows, 2) if other else inputs.integers(1, 9, 1, 2).expand(rows, 2)
        ids = sequences(inputs, sizes.tolist(), high=6 if words == "words that come again" else 30)
        if words == "some words unknown":
            ids = ids.masked_fill((ids > UNK) & (inputs.uniform(0, 1, *ids.shape) < 0.4), UNK)
        if end == CUT:  # what a model continues
            ids = ids.masked_fill((ids == 1).cumsum(dim=1) - (ids == 1).int() > 0, 0)
            ids = ids[:, : int((ids != 0).sum(dim=1).max())]
        found[f"targets ({batch}, {lengths}, {words}, {end}): batch seq"] = targets(ids)
    return found
