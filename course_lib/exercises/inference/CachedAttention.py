"""CachedAttention: causal attention that keeps its keys and values, and a frame for variants of it."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, in_both_modes, parameters
from course_lib.checks.properties import apart
from course_lib.exercises.inference.chunk_mask import chunk_mask
from course_lib.exercises.inference.chunk_mask import reference as mask_of
from course_lib.exercises.inference.stand_ins import cache_matters
from course_lib.exercises.positional_encoding.apply_rotary import apply_rotary
from course_lib.exercises.positional_encoding.apply_rotary import reference as rotate

CachedAttention = Exercise(
    "CachedAttention",
    points=10,
    returns=("output: batch seq d_model", "cache: pair batch kv_heads total d_k"),
    uses=(apply_rotary, chunk_mask),
    hints=[
        "How many words are in the cache, and at which position is the first word of x? What would change in "
        "the scores if x began at position 0 again?",
        "`past = 0 if cache is None else cache.shape[-2]`. Query and key rotate by the rows `past` to `past "
        "+ seq` of `self.cos` and `self.sin`. Values do not rotate.",
        "`new = torch.stack([key, value])` has the shape of a cache. If there is a cache, put `new` after "
        "it: `torch.cat([cache, new], dim=-2)`.",
        "All keys and values are now in the cache: `key, value = cache`. Each has kv_heads heads, and "
        "`repeat_interleave(self.heads // self.kv_heads, dim=1)` gives each query head its own.",
        "Mask the scores with `chunk_mask(x.shape[1], past, padding)[..., None, :, :]`. At the end come the "
        "softmax, the values, `transpose(1, 2).flatten(2)` and `self.output`. Return the cache too.",
    ],
    examples=[
        "CachedAttention(2, 1, 1)(torch.tensor([[[1., 0.], [0., 1.], [1., 2.]]]))",
        "CachedAttention(2, 1, 1)(torch.tensor([[[1., 2.]]]), "
        "torch.tensor([[[[[1., 0.]]]], [[[[0., 3.]]]]]))",
        "CachedAttention(2, 1, 1)(torch.tensor([[[1., 2.], [0., 1.]]]), "
        "torch.tensor([[[[[1., 0.]]]], [[[[0., 3.]]]]]))",
        "CachedAttention(8, 4, 2)(torch.eye(8)[None, :2])",
        "CachedAttention(8, 4, 2)(torch.eye(8)[:4].view(2, 2, 8), padding=torch.tensor([1, 0]))",
        "CachedAttention(2, 1, 1)(torch.tensor([[[1., 2.], [0., 1.]]]), padding=torch.tensor([1]))",
        "CachedAttention(2, 1, 1)(torch.tensor([[[1., 2.]]]), "
        "torch.tensor([[[[[1., 0.], [5., 5.]]]], [[[[0., 3.], [2., 1.]]]]]), torch.tensor([1]))",
        "[x.requires_grad for x in CachedAttention(2, 1, 1)(torch.ones(1, 1, 2))]",
    ],
)


class Layer(nn.Module):
    """Right as it is; a variant replaces one of its steps."""

    def __init__(self, d_model, heads, kv_heads, max_length=512):
        super().__init__()
        self.heads, self.kv_heads, d_k = heads, kv_heads, d_model // heads
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, kv_heads * d_k, bias=False)
        self.value = nn.Linear(d_model, kv_heads * d_k, bias=False)
        self.output = nn.Linear(d_model, d_model, bias=False)
        rates = 10000.0 ** (-torch.arange(0, d_k, 2) / d_k)
        angle = torch.arange(max_length)[:, None] * rates
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def forward(self, x, cache=None, padding=None):
        query, key, value = self.project(x)
        past = self.count(cache)
        query, key = self.turn(query, past), self.turn(key, past)
        cache = self.extend(cache, torch.stack([key, value]))
        return self.read(query, *cache, self.mask(x.shape[1], past, padding)), cache

    def project(self, x):
        return (
            layer(x).unflatten(-1, (heads, -1)).transpose(1, 2)
            for layer, heads in (
                (self.query, self.heads),
                (self.key, self.kv_heads),
                (self.value, self.kv_heads),
            )
        )

    def count(self, cache):
        return 0 if cache is None else cache.shape[-2]

    def turn(self, x, start):
        seq = slice(start, start + x.shape[-2])
        return rotate(x, self.cos[seq], self.sin[seq])

    def extend(self, cache, new):
        return new if cache is None else torch.cat([cache, new], dim=-2)

    def mask(self, new, past, padding):
        return mask_of(new, past, padding)[..., None, :, :]

    def share(self, x):
        return x.repeat_interleave(self.heads // self.kv_heads, dim=1)

    def score(self, query, key):
        return query @ key.mT / math.sqrt(query.shape[-1])

    def read(self, query, key, value, mask):
        scores = self.score(query, self.share(key)).masked_fill(~mask, -torch.inf)
        return self.finish((scores.softmax(dim=-1) @ self.share(value)).transpose(1, 2).flatten(2))

    def finish(self, merged):
        return self.output(merged)


CachedAttention.reference(Layer)


# Each part but two compares an answer with itself, so that one slip costs the points of its own part.


@CachedAttention.part("without a cache it is causal attention with rotated queries and keys", points=2)
def without_cache(build, inputs):
    label = "output (6 query heads, 2 for keys and values): batch seq d_model"
    return {label: build(24, 6, 2)(inputs.normal(3, 5, 24))[0]}


@CachedAttention.part("the cache holds the rotated keys and the values, in the order of the words", points=2)
def kept(build, inputs):
    layer, x = build(24, 4, 2), inputs.normal(3, 2, 24)
    cache = inputs.normal(2, 3, 2, 5, 6)
    return {
        "cache (of the first words): pair batch kv_heads total d_k": layer(x)[1],
        "cache (5 words in it before): pair batch kv_heads total d_k": layer(x, cache)[1],
    }


@CachedAttention.part("one word after a cache gives what the whole sentence gives", points=2)
def one_by_one(build, inputs):
    layer, x = build(24, 4, 2), inputs.normal(3, 2, 24)
    cache, steps = None, []
    for word in x.split(1, dim=1):
        output, cache = layer(word, cache)
        steps.append(output)
    given = inputs.normal(2, 3, 2, 5, 6)  # a cache that no answer has made, so that it has to be read
    return {
        "difference from the output of the whole sentence (word by word): batch seq d_model": apart(
            torch.cat(steps, dim=1), layer(x)[0]
        ),
        "output (5 words in the cache): batch seq d_model": layer(x[:, :1], given)[0],
    }


@CachedAttention.part("several new words after a cache do not look ahead", points=1)
def chunks(build, inputs):
    layer, x = build(12, 2, 1), inputs.normal(2, 7, 12)
    first, cache = layer(x[:, :3])
    second, _ = layer(x[:, 3:], cache)
    chunked = torch.cat([first, second], dim=1)
    large = 20 * inputs.normal(8, 7, 12)  # scores of about a thousand, of both signs
    change = apart(layer(large[:, :1])[0] / 20, layer(large)[0][:, :1] / 20)
    return {
        "difference from the output of the first word alone (large scores): batch seq d_model": change,
        "difference from the output of the whole sentence (in chunks): batch seq d_model": apart(
            chunked, layer(x)[0]
        ),
        "another cache gives another output": cache_matters(layer, x[:, 3:], cache),
    }


@CachedAttention.part("padding on the left changes nothing for the words", points=1)
def padded(build, inputs):
    layer, rows, count = build(12, 2, 2), inputs.normal(3, 9, 12), torch.tensor([0, 3, 2])
    new = build(12, 2, 2)
    rows[1, 3:] = rows[0, :6]  # the first row has no padding, as where the longest sentence comes first
    begun, cache = layer(rows[:, :5], padding=count)
    chunk, cache = layer(rows[:, 5:8], cache, count)
    last, _ = layer(rows[:, 8:], cache, count)
    matters = cache_matters(layer, rows[:, 8:], cache, count)
    unpadded = apart(layer(rows[:, 8:], cache)[0], new(rows[:, 8:], cache)[0])
    plain, padded = torch.cat([begun, chunk, last], dim=1)[:2]
    return {
        "difference from the output without padding: seq d_model": apart(padded[3:], plain[:6]),
        "difference from the output without the argument (a row that has no padding): seq d_model": apart(
            begun[0], layer(rows[:1, :5])[0][0]
        ),
        "difference from the output of a new layer (after calls with padding): batch seq d_model": unpadded,
        "numbers that are NaN": int(begun.isnan().sum()),
        "another cache gives another output": matters,
    }


@CachedAttention.part("gradients reach x and all four layers", points=1)
@in_both_modes
def gradients(build, inputs):
    layer, x = build(12, 2, 1), inputs.normal(2, 4, 12).requires_grad_()
    output, cache = layer(x)
    found = gradients_of(output, parameters(layer) | {"x": x}, of="output")
    later, _ = layer(inputs.normal(2, 1, 12), cache)
    return found | gradients_of(later, {"x": x}, of="later output", case="through the cache")


# Accepted: other ways to write the same


@CachedAttention.accept("PyTorch's attention")
class Functional(Layer):
    def forward(self, x, cache=None, padding=None):
        batch, seq, _ = x.shape
        query = self.query(x).view(batch, seq, self.heads, -1).transpose(1, 2)
        key = self.key(x).view(batch, seq, self.kv_heads, -1).transpose(1, 2)
        value = self.value(x).view(batch, seq, self.kv_heads, -1).transpose(1, 2)
        past = cache.size(3) if cache is not None else 0
        cos, sin = self.cos[past : past + seq], self.sin[past : past + seq]
        query, key = rotate(query, cos, sin), rotate(key, cos, sin)
        if cache is not None:
            key, value = torch.cat([cache[0], key], 2), torch.cat([cache[1], value], 2)
        mask = mask_of(seq, past, padding)
        mask = mask if padding is None else mask[:, None]
        read = F.scaled_dot_product_attention(query, self.share(key), self.share(value), mask)
        return self.output(read.transpose(1, 2).reshape(batch, seq, -1)), torch.stack([key, value])


@CachedAttention.accept("groups of query heads, by broadcasting")
class Grouped(Layer):
    def read(self, query, key, value, mask):
        query = query.unflatten(1, (self.kv_heads, -1))  # (batch, kv_heads, group, seq, d_k)
        scores = query @ key[:, :, None].transpose(-1, -2) / query.shape[-1] ** 0.5
        mask = mask if mask.dim() == 3 else mask[:, :, None]
        weights = torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(-1)
        merged = (weights @ value[:, :, None]).flatten(1, 2)
        return self.output(merged.transpose(1, 2).flatten(2))


@CachedAttention.accept("einsum, expanded heads, a score of -1e9")
class Einsum(Layer):
    def share(self, x):
        group = self.heads // self.kv_heads
        return x[:, :, None].expand(-1, -1, group, -1, -1).flatten(1, 2)

    def read(self, query, key, value, mask):
        scores = torch.einsum("bhqd,bhkd->bhqk", query, self.share(key)) / query.size(-1) ** 0.5
        weights = torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1)
        merged = torch.einsum("bhqk,bhkd->bqhd", weights, self.share(value))
        return self.output(merged.flatten(start_dim=2))


@CachedAttention.accept("an empty cache to begin with, written into a new tensor")
class Written(Layer):
    def extend(self, cache, new):
        if cache is None:
            cache = new[..., :0, :]
        past = cache.shape[-2]
        whole = new.new_empty(*new.shape[:-2], past + new.shape[-2], new.shape[-1])
        whole[..., :past, :] = cache
        whole[..., past:, :] = new
        return whole


@CachedAttention.accept("a loop over heads")
class Loop(Layer):
    def read(self, query, key, value, mask):
        mask = mask if mask.dim() == 3 else mask[:, 0]
        results = []
        for head in range(self.heads):
            own = head // (self.heads // self.kv_heads)
            scores = query[:, head] @ key[:, own].mT / math.sqrt(query.shape[-1])
            results.append(scores.masked_fill(~mask, float("-inf")).softmax(-1) @ value[:, own])
        return self.output(torch.cat(results, dim=-1))


@CachedAttention.accept("positions that do not count padding, as in Hugging Face's models")
class Counted(Layer):
    def forward(self, x, cache=None, padding=None):
        query, key, value = self.project(x)
        past = self.count(cache)
        places = past + torch.arange(x.shape[1])
        if padding is not None:
            places = (places - padding[:, None]).clamp(min=0)[:, None]
        query, key = (rotate(each, self.cos[places], self.sin[places]) for each in (query, key))
        cache = self.extend(cache, torch.stack([key, value]))
        return self.read(query, *cache, self.mask(x.shape[1], past, padding)), cache
