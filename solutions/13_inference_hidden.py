"""Parts of the checks of 13_inference that run only when work is graded; not for learners."""

import torch

from course_lib.checks.exercise import Part
from course_lib.exercises.inference.generate import nothing_special, prompts_where
from course_lib.exercises.inference.stand_ins import Blocks, cache_matters, reader


def mask_sizes(chunk_mask, inputs):
    results = {}
    for new, past in ((1, 0), (7, 2), (3, 11)):
        results[f"mask ({new} new words after {past}): new total"] = chunk_mask(new, past)
    # Of padding only the columns of real words' rows, and only that what is not after them is hidden.
    padding = torch.tensor([0, 3, 1, 2])
    label = "mask (4 sentences, the last row): batch total"
    return results | {
        label: chunk_mask(2, 6, padding)[:, -1],
        "shape (no sentence has padding)": list(chunk_mask(2, 3, torch.zeros(3, dtype=torch.long)).shape),
        "shape (one sentence)": list(chunk_mask(2, 3, torch.tensor([1])).shape),
    }


def attention_sizes(build, inputs):
    results = {}
    for d_model, heads, kv_heads, batch, split in ((4, 1, 1, 1, 1), (16, 8, 2, 3, 4), (12, 3, 1, 2, 5)):
        layer, x = build(d_model, heads, kv_heads), inputs.normal(batch, 6, d_model)
        whole, cache = layer(x)
        _, first = layer(x[:, :split])
        later, both = layer(x[:, split:], first)
        results |= {
            "difference from the output of the whole sentence "
            f"(after {split} words): batch seq d_model": later - whole[:, split:],
            "difference from the cache of the whole "
            f"(after {split} words): pair batch kv_heads total d_k": both - cache,
            f"shape of the cache ({heads} heads, {kv_heads} kept)": list(cache.shape),
            f"another cache gives another output ({heads} heads)": cache_matters(layer, x[:, split:], first),
        }
    layer, x = build(8, 2, 2).double(), inputs.normal(2, 4, 8).double()
    found, count = layer(x)[0], torch.tensor([2, 0])
    padded, one = layer(x, padding=count)[0], layer(x[:1], padding=count[:1])[0]
    return results | {
        "dtype": str(found.dtype),
        "difference from the output in a batch (one sentence): seq d_model": (layer(x[:1])[0] - found[:1])[0],
        "difference from the output in a batch (one padded sentence): seq d_model": (one - padded[:1])[0, 2:],
    }


def generate_sizes(generate, inputs):
    results = {}
    for batch, length, steps in ((1, 1, 1), (4, 9, 12)):
        model = reader(inputs)
        prompts = prompts_where(nothing_special, model, inputs, batch, steps, length)
        found = generate(model, prompts, steps)
        results[f"ids ({batch} sentences, {length} words before, {steps} after): batch steps"] = found
    return results


def beam_sizes(beam_step, inputs):
    results = {}
    for hypotheses, beams, vocab in ((1, 5, 9), (3, 2, 30), (6, 6, 4)):
        scores, logits = inputs.normal(hypotheses), 3 * inputs.normal(hypotheses, vocab)
        cache = inputs.normal(3, 2, hypotheses, 1, 4, 2)
        parents, words, best, moved = beam_step(scores, logits, cache, beams)
        case = f"{hypotheses} hypotheses to {beams}"
        results |= {
            f"words ({case}): beam": words,
            f"scores ({case}): beam": best,
            f"difference from the caches of the parents ({case}): layer pair beam kv_heads total d_k": moved
            - cache[:, :, parents.long()],
        }
    # One hypothesis has all the likely words, and one of its words is far likelier than the others. Of these
    # no two are near each other: float32 has steps of 6e-5 here.
    scores, logits = inputs.normal(2), inputs.normal(2, 9).argsort(dim=-1).float()
    scores[1], logits[1, 4] = 900, 300
    cache = inputs.normal(1, 2, 2, 1, 3, 2).double()
    _, words, best, moved = beam_step(scores, logits, cache, 5)
    return results | {
        "words (2 hypotheses to 5): beam": words,
        "scores (2 hypotheses to 5): beam": best,
        "dtype of the cache": str(moved.dtype),
    }


def block_sizes(attend, inputs):
    results = {}
    for target, source, size in ((1, 1, 1), (3, 17, 5), (6, 8, 20)):
        query, key, value = inputs.normal(target, 2), inputs.normal(source, 2), inputs.normal(source, 5)
        found = attend(query.double(), Blocks(key.double(), value.double(), size))
        results[f"output ({target} queries, {source} keys in blocks of {size}): target d_v"] = found
    return results


SEEN = "sizes that you have not seen"
PARTS = {
    "chunk_mask": Part(SEEN, 1, mask_sizes, hidden=True),
    "CachedAttention": Part(SEEN, 1, attention_sizes, hidden=True),
    "generate": Part(SEEN, 1, generate_sizes, hidden=True),
    "beam_step": Part(SEEN, 1, beam_sizes, hidden=True),
    "blockwise_attention": Part(SEEN, 1, block_sizes, hidden=True),
}
