"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.gradients import gradients_of, in_both_modes, parameters
from course_lib.exercises.inference.beam_step import beam_step
from course_lib.exercises.inference.blockwise_attention import blockwise_attention
from course_lib.exercises.inference.CachedAttention import CachedAttention
from course_lib.exercises.inference.chunk_mask import chunk_mask
from course_lib.exercises.inference.generate import generate, told_calls
from course_lib.exercises.inference.stand_ins import VOCAB, Blocks, reader

FAR = 1e6  # where nobody may look there may be anything


@chunk_mask.at_once
def masks(chunk_mask, inputs):
    found = {}
    for case in ("no cache", "a cache"):
        new, past = int(inputs.integers(2, 7, 1)), int(inputs.integers(2, 7, 1)) * (case == "a cache")
        padding = inputs.integers(0, past + new + 1, 6)
        found[f"mask ({case}): new total"] = chunk_mask(new, past)
        found[f"mask ({case}, padding): batch new total"] = chunk_mask(new, past, padding)
        found[f"mask ({case}, padding, one word): batch new total"] = chunk_mask(1, past + new - 1, padding)
    return found


@CachedAttention.at_once
@in_both_modes
def in_chunks(build, inputs):
    """Padding in each chunk, in another number of places of each row; only what words get is looked at."""
    kv_heads, group, half = inputs.integers(1, 4, 3).tolist()
    sizes = (2 * half * kv_heads * group, kv_heads * group, kv_heads)
    layer, count = build(*sizes), torch.cat([torch.tensor([0]), inputs.integers(1, 8, 3)])
    first, second = inputs.integers(2, 5, 2).tolist()
    is_word = torch.arange(10) >= count[:, None]
    x = inputs.normal(4, 10, sizes[0]).masked_fill(~is_word[..., None], FAR).requires_grad_()
    output, caches = read_by(layer, x, (first, second), count)
    words = output[is_word]
    wide, wide_caches = read_by(layer.double(), x.double(), (first, second), count)
    layer = build(*sizes)
    again = read_by(layer, x, (second, first), count)[0][is_word]
    return {
        "output (of words): word d_model": words,
        "output (of words, float64): word d_model": wide[is_word],
        "values in the cache: kv_heads word d_k": kept(caches[1], is_word),
        "values in the cache (float64): kv_heads word d_k": kept(wide_caches[1], is_word),
        "output (of words, in other chunks): word d_model": again,
        **gradients_of(again, parameters(layer) | {"x": x}, of="output"),
    }


def read_by(layer, x, sizes, padding):
    """The outputs of three chunks, side by side, and the last cache."""
    outputs, cache = [], None
    for chunk in x.split((*sizes, x.shape[1] - sum(sizes)), dim=1):
        output, cache = layer(chunk, cache, padding)
        outputs.append(output)
    return torch.cat(outputs, dim=1), cache


def kept(values, is_word):
    """Of (batch, kv_heads, total, d_k) those of words."""
    return values.transpose(0, 1)[:, is_word]


@generate.at_once
def padded_prompts(generate, inputs):
    found = {}
    for case in ("", ", a second model"):
        rows, length, steps = inputs.integers(3, 8, 3).tolist()
        calls, prompt = [], inputs.integers(1, VOCAB, rows, length)
        padding = inputs.integers(0, length, rows)
        prompt = torch.where(torch.arange(length) < padding[:, None], 0, prompt)
        found[f"ids (padding{case}): batch steps"] = generate(reader(inputs, calls), prompt, steps, padding)
        told = "sentences and words read in each call, and words in the cache"
        found[f"{told} (padding{case})"] = told_calls(calls, steps, length)
    return found


@beam_step.at_once
def two_steps(beam_step, inputs):
    """From one hypothesis to some, and from these to others."""
    vocab, beams, layers = int(inputs.integers(7, 12, 1)), *inputs.integers(2, 6, 2).tolist()
    scores, cache, found = inputs.normal(1), inputs.normal(layers, 2, 1, 3, 4, 2), {}
    for step in (1, 2, 3):
        logits = clear_logits(scores, vocab, beams, inputs)
        parents, words, scores, cache = beam_step(scores, logits, cache, beams)
        found |= {
            f"parents (step {step}): beam": parents,
            f"words (step {step}): beam": words,
            f"scores (step {step}): beam": scores,
            f"cache (step {step}): layer pair beam kv_heads total d_k": cache,
        }
        beams, cache = beams + 1, torch.cat([cache, inputs.normal(layers, 2, beams, 3, 1, 2)], dim=-2)
    return found


def clear_logits(scores, vocab, beams, inputs):
    """Of which no two of the best candidates are so near that rounding decides their order."""
    while True:
        logits = 3 * inputs.normal(len(scores), vocab) + 20 * inputs.normal(len(scores), 1)
        best = (scores[:, None] + logits.log_softmax(dim=-1)).flatten().topk(beams + 1).values
        if (best[:-1] - best[1:]).min() > 1e-3:
            return logits


@blockwise_attention.at_once
def in_blocks(attend, inputs):
    """Axes before the last two, blocks of any sizes, scores of any size, and keys that no query may see."""
    found = {}
    for case, scale in (("", 1.0), (", large scores", 300.0)):
        target, d_k, start, *sizes = inputs.integers(2, 6, 8).tolist()
        query, key, value = (
            inputs.normal(2, 3, size, width).double()
            for size, width in ((target, d_k), (sum(sizes), d_k), (sum(sizes), 7))
        )
        query *= scale * inputs.uniform(0.5, 1, 2, 3, 1, 1)
        unseen = torch.arange(sum(sizes))[:, None] >= start + target
        pairs = in_pairs(key.masked_fill(unseen, FAR), value.masked_fill(unseen, FAR), sizes)
        found |= {
            f"output (float64{case}): batch heads target d_v": attend(query, in_pairs(key, value, sizes)),
            f"output (float64, with start{case}): batch heads target d_v": attend(query, pairs, start),
        }
        equal = Blocks(key.float(), value.float(), target)
        label = f"output (equal blocks, with start{case}): batch heads target d_v"
        found[label] = attend(query.float() / scale, equal, start)
    return found


def in_pairs(key, value, sizes):
    return list(zip(key.split(sizes, dim=-2), value.split(sizes, dim=-2), strict=True))
