"""blockwise_attention: attention that sees keys and values block by block, with an online softmax."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.properties import apart
from course_lib.exercises.inference.stand_ins import MOST, Blocks, blocks, held, keeps_blocks

blockwise_attention = Exercise(
    "blockwise_attention",
    points=7,
    returns=("output: target d_v",),
    hints=[
        "For each query, you keep three things of the blocks before. Two of them are the largest score and "
        "the sum of the weights. What is the third?",
        "Begin with `maximum` of shape (..., target, 1), all -inf, and with `total` and `output` 0. In each "
        "block, the new maximum is the larger one of the old maximum and the block's.",
        "The weights of a block are `torch.exp(scores - new)`. What you have summed so far was divided by "
        "exp(maximum): multiply `total` and `output` by `torch.exp(maximum - new)`.",
        "Count the positions of the keys: block by block, `place` grows by `key.shape[-2]`. If there is a "
        "`start`, hide the scores of keys at positions above `start + torch.arange(target)[:, None]`.",
        "After the last block, return `output / total`.",
    ],
    examples=[
        "blockwise_attention(torch.ones(1, 1), [(torch.zeros(2, 1), torch.tensor([[3.], [1.]]))])",
        "blockwise_attention(torch.ones(1, 1), blocks(torch.tensor([[0.], [1.], [2.]]), "
        "torch.tensor([[4.], [2.], [1.]]), 1))",
        "blockwise_attention(torch.ones(1, 1), blocks(torch.tensor([[200.], [0.], [199.]]), "
        "torch.tensor([[4.], [2.], [1.]]), 2))",
        "blockwise_attention(torch.tensor([[1., 0.], [0., 1.]]), blocks(torch.eye(2), torch.tensor([[3.], "
        "[1.]]), 1))",
        "blockwise_attention(torch.ones(2, 1), blocks(torch.tensor([[0.], [1.], [2.]]), "
        "torch.tensor([[4.], [2.], [1.]]), 1), start=1)",
        "blockwise_attention(torch.ones(1, 1), blocks(torch.tensor([[0.], [1.], [2.]]), "
        "torch.tensor([[4.], [2.], [1.]]), 1), start=1)",
        "blockwise_attention(torch.zeros(2, 3, 1), blocks(torch.ones(2, 3, 1), "
        "torch.tensor([[[4.], [2.], [1.]], [[0.], [1.], [2.]]]), 2), start=0)",
        "blockwise_attention(torch.ones(3, 1), blocks(torch.tensor([[0.], [1.], [2.]]), "
        "torch.tensor([[4.], [2.], [1.]]), 2), start=0)",
        "blockwise_attention(torch.tensor([[1.], [-1.]]), blocks(torch.tensor([[300.], [-300.], [0.]]), "
        "torch.tensor([[4.], [2.], [1.]]), 1))",
        "blockwise_attention(torch.zeros(2, 1, 1), blocks(torch.ones(2, 3, 1), "
        "torch.tensor([[[4.], [2.], [1.]], [[0.], [1.], [2.]]]), 2))",
        "blockwise_attention(torch.tensor([[1.], [0.]]), [(torch.tensor([[300.], [301.]]), "
        "torch.tensor([[4.], [2.]]))])",
        "blockwise_attention(torch.ones(1, 1), [(torch.tensor([[-200.], [-201.]]), torch.tensor([[4.], "
        "[2.]]))])",
        "blockwise_attention(torch.tensor([[1.], [-1.]]), [(torch.tensor([[1000.], [1001.]]), "
        "torch.tensor([[4.], [2.]]))])",
        "keeps_blocks(blockwise_attention)",
    ],
    names={"blocks": blocks, "keeps_blocks": keeps_blocks},
    ready_made=("scaled_dot_product_attention", "multi_head_attention_forward"),
)


@blockwise_attention.reference
def reference(query, blocks, start=None):
    maximum, total, output, place = torch.tensor(-torch.inf), 0, 0, 0
    for key, value in blocks:
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        if start is not None:
            rows = start + torch.arange(query.shape[-2])[:, None]
            columns = place + torch.arange(key.shape[-2])
            scores = scores.masked_fill(columns > rows, -torch.inf)
        new = torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))
        weights, shrink = torch.exp(scores - new), torch.exp(maximum - new)
        total = total * shrink + weights.sum(dim=-1, keepdim=True)
        output = output * shrink + weights @ value
        maximum, place = new, place + key.shape[-2]
    return output / total


@blockwise_attention.part("the result is that of the softmax over all keys", points=2)
def exact(attend, inputs):
    query, key, value = inputs.normal(5, 4), inputs.normal(11, 4), inputs.wide(11, 3)
    several = [inputs.normal(2, 3, size, 6) for size in (4, 7, 7)]
    return {
        "output: target d_v": attend(query, Blocks(key, value, 4)),
        "output (a single block): target d_v": attend(query, Blocks(key, value, 11)),
        "output (batch and heads): batch heads target d_v": attend(
            several[0], Blocks(several[1], several[2], 3)
        ),
    }


def sixteenths(numbers):
    """Rounded, so that float32 keeps large scores exactly, in whatever order they are summed."""
    return (16 * numbers).round() / 16


@blockwise_attention.part("large scores do not overflow, in whichever block they are", points=1, atol=5e-4)
def large(attend, inputs):
    query = 80 * torch.eye(4) + sixteenths(inputs.uniform(0, 1, 4, 4))  # beyond 709 float64 overflows too
    query[0] /= 1024  # all its scores are small beside those of the others
    alike = torch.eye(4).repeat(2, 1) * 20 + sixteenths(0.1 * inputs.normal(8, 4))  # no scale goes unseen
    key = torch.cat([sixteenths(inputs.normal(4, 4)), alike])
    value = inputs.normal(12, 3)
    return {
        "output (scores up to 800 at the end): target d_v": attend(query, Blocks(key, value, 3)),
        "output (at the beginning): target d_v": attend(query, Blocks(key.flip(0), value, 3)),
        "output (all scores far below 0): target d_v": attend(-query.abs(), Blocks(key.abs() + 8, value, 6)),
        # further apart than the 1,454 from the smallest exponent of float64 to its largest
        "output (scores of some queries far above 0, of others far below): target d_v": attend(
            query.abs() * torch.tensor([1.0, 1.0, -1.0, -1.0])[:, None], Blocks(key.abs() + 20, value, 3)
        ),
    }


@blockwise_attention.part("with `start`, no query sees a key after its position", points=1)
def causal(attend, inputs):
    query, key, value, found = inputs.normal(4, 4), inputs.normal(7, 4), inputs.normal(7, 3), {}
    for start, target in ((0, 2), (3, 4)):
        ends = range(start + 1, start + target + 1)
        seen = [alone(attend, inputs, query[[end - start - 1]], key[:end], value[:end])[0] for end in ends]
        label = f"difference from the output for the keys up to each query (start={start}): target d_v"
        found[label] = apart(attend(query[:target], Blocks(key, value, 3), start), torch.stack(seen))
    pairs = list(zip(key.split((2, 1, 4)), value.split((2, 1, 4)), strict=True))
    label = "difference from the output for the keys up to each query"
    found[f"{label} (blocks of 2, 1 and 4): target d_v"] = apart(attend(query, pairs, 3), torch.stack(seen))
    one = apart(attend(query[:1], Blocks(key, value, 3), 3), seen[0])
    found[f"{label} (one query): target d_v"] = one
    first = alone(attend, inputs, query[[-1]], key[:1], value[:1])[0]
    found["more keys give another output"] = not torch.allclose(first, seen[-1])
    query = 128 * sixteenths(query)
    query[0] = 128 * torch.where(query[0] < 0, -1, 1)
    key = -query[:1].repeat(7, 1)  # equal scores of thousands, those of row 0 below -30,000
    below = [alone(attend, inputs, query[[i]], key[: i + 4], value[: i + 4])[0] for i in range(4)]
    # NaN is the matter of the part on large scores, and so is how exact the weights of such scores are.
    change = apart(attend(query, Blocks(key, value, 3), 3), torch.stack(below)).nan_to_num()
    found[f"{label} (scores of thousands): target d_v"] = change.masked_fill(change.abs() < 0.02, 0)
    return found | {
        "difference from the output for each sentence alone: batch target d_v": change_alone(
            attend, inputs, 3
        ),
        "difference from the output for each alone (batch and heads): batch heads target d_v": change_alone(
            attend, inputs, 2, 3
        ),
    }


def alone(attend, inputs, query, key, value, *start):
    """The output for the three turned in space, turned back: no scores change, and no row is one that an
    answer may have kept.
    """
    turn, spin = (
        torch.linalg.qr(inputs.normal(each.shape[-1], each.shape[-1]))[0] for each in (query, value)
    )
    return attend(query @ turn, Blocks(key @ turn, value @ spin, 4), *start) @ spin.T


def change_alone(attend, inputs, *axes):
    """With `start`, the output for queries with these axes less the outputs for the queries of each alone."""
    query, key, value = (inputs.normal(*axes, *sizes) for sizes in ((4, 2), (7, 2), (7, 5)))
    pairs = zip(*(each.flatten(0, -3) for each in (query, key, value)), strict=True)
    each = torch.stack([alone(attend, inputs, *one, 2) for one in pairs])
    return apart(attend(query, Blocks(key, value, 3), 2), each.view(*axes, 4, 5))


HELD = "At one time you hold {0} numbers. With blocks of 12 keys, fewer than {1} are enough: keep no block."
OTHERS = (
    "From block to block you keep more and more, also in lists or NumPy arrays. Keep only maximum, sum and "
    "output."
)
LOOPS = "You loop over `blocks` {0} times. They come once: after the first loop none is left."


@blockwise_attention.part("it never holds all keys, or all scores, at once", points=2)
def small(attend, inputs):
    found, causal = held(attend, inputs), held(attend, inputs, inputs.integer(240, 288))
    return {
        "memory": told_of_memory(found),
        "loops": LOOPS.format(found.loops) if found.loops > 1 else "",
        "output: batch target d_v": found.output,
        "memory (with `start`)": told_of_memory(causal),
        "loops (with `start`)": LOOPS.format(causal.loops) if causal.loops > 1 else "",
    }


def told_of_memory(found) -> str:
    return HELD.format(found.numbers, MOST) if found.numbers >= MOST else OTHERS * found.keeps_blocks


# Accepted: other ways to write the same


@blockwise_attention.accept("filled to begin with, in place")
def in_place(query, blocks, start=None):
    shape = (*query.shape[:-1], 1)
    maximum, total = query.new_full(shape, float("-inf")), query.new_zeros(shape)
    output, first = None, 0
    for key, value in blocks:
        scores = (query * query.shape[-1] ** -0.5) @ key.transpose(-2, -1)
        if start is not None:
            later = first + torch.arange(key.shape[-2]) > start + torch.arange(query.shape[-2]).unsqueeze(1)
            scores[later.expand_as(scores)] = -1e30
        highest = torch.max(maximum, scores.max(dim=-1, keepdim=True).values)
        shrink = (maximum - highest).exp()
        weights = (scores - highest).exp()
        if output is None:
            output = query.new_zeros(*query.shape[:-1], value.shape[-1])
        output.mul_(shrink).add_(weights @ value)
        total.mul_(shrink).add_(weights.sum(-1, keepdim=True))
        maximum, first = highest, first + key.shape[-2]
    return output / total


@blockwise_attention.accept("always divided, as the first FlashAttention")
def divided(query, blocks, start=None):
    logsum, output, place = None, None, 0
    for key, value in blocks:
        scores = query @ key.mT / query.shape[-1] ** 0.5
        if start is not None:
            rows = torch.arange(start, start + query.shape[-2]).view(-1, 1)
            scores = scores.where(torch.arange(place, place + key.shape[-2]) <= rows, float("-inf"))
        place += key.shape[-2]
        own = scores.logsumexp(-1, keepdim=True)
        part = torch.exp(scores - own.clamp(min=-1e30)) @ value
        if logsum is None:
            logsum, output = own, part
            continue
        both = torch.logaddexp(logsum, own)
        output = output * torch.exp(logsum - both) + part * torch.exp(own - both)
        logsum = both
    return output


@blockwise_attention.accept("a column of ones beside the values")
def ones_beside(query, blocks, start=None):
    highest, sums, place = torch.full_like(query[..., :1], -1e30), 0.0, 0
    for key, value in blocks:
        scores = torch.einsum("...qd,...kd->...qk", query, key) / math.sqrt(query.size(-1))
        if start is not None:
            mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(start - place)
            scores = scores.masked_fill(~mask, float("-inf"))
        new = torch.maximum(highest, scores.amax(-1, keepdim=True))
        beside = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
        sums = sums * (highest - new).exp() + (scores - new).exp() @ beside
        highest, place = new, place + key.size(-2)
    return sums[..., :-1] / sums[..., -1:]


@blockwise_attention.accept("key by key")
def key_by_key(query, blocks, start=None):
    highest, total, output, place = torch.tensor(-math.inf), torch.zeros(()), torch.zeros(()), 0
    rows = torch.arange(query.shape[-2]).unsqueeze(-1)
    for keys, values in blocks:
        for j in range(keys.shape[-2]):
            score = (query * keys[..., j : j + 1, :]).sum(-1, keepdim=True) / math.sqrt(query.shape[-1])
            if start is not None:
                score = score.masked_fill(rows + start < place, -math.inf)
            new = torch.maximum(highest, score)
            old, own = torch.exp(highest - new), torch.exp(score - new)
            total, output = total * old + own, output * old + own * values[..., j : j + 1, :]
            highest, place = new, place + 1
    return output / total
