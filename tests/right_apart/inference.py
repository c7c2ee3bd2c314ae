"""Of lesson 13."""

import math

import torch
from torch import nn

from course_lib.exercises.inference.chunk_mask import reference as chunk_mask
from course_lib.exercises.positional_encoding.apply_rotary import reference as apply_rotary


def chunk_mask__looks_ahead_with_padding(new, past, padding=None):
    columns, rows = torch.arange(past + new), past + torch.arange(new)[:, None]
    if padding is None:
        return columns <= rows
    begins = padding[:, None, None]
    return (columns >= begins) & (rows >= begins) | (columns == rows)


def chunk_mask__one_new_word_sees_padding(new, past, padding=None):
    columns, rows = torch.arange(past + new), past + torch.arange(new)[:, None]
    seen = columns <= rows
    if padding is None:
        return seen
    hidden = (columns < padding[:, None, None]) & (columns != rows)
    return seen.expand(len(padding), -1, -1) if new == 1 else seen & ~hidden


class CachedAttention__only_longest_padding(nn.Module):
    def __init__(self, d_model, heads, kv_heads, max_length=512):
        super().__init__()
        self.heads, self.kv_heads, d_k = heads, kv_heads, d_model // heads
        self.query, self.output = (nn.Linear(d_model, d_model, bias=False) for _ in range(2))
        self.key, self.value = (nn.Linear(d_model, kv_heads * d_k, bias=False) for _ in range(2))
        angle = torch.arange(max_length)[:, None] * 10000.0 ** (-torch.arange(0, d_k, 2) / d_k)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def forward(self, x, cache=None, padding=None):
        query = self.query(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        key, value = (
            layer(x).unflatten(-1, (self.kv_heads, -1)).transpose(1, 2) for layer in (self.key, self.value)
        )
        past = 0 if cache is None else cache.shape[-2]
        cos, sin = (self.get_buffer(name)[past : past + x.shape[1]] for name in ("cos", "sin"))
        query, key = (apply_rotary(each, cos, sin) for each in (query, key))
        new = torch.stack([key, value])
        cache = new if cache is None else torch.cat([cache, new], dim=-2)
        key, value = self.shared(cache, padding)
        mask = chunk_mask(x.shape[1], past, self.counted(padding))[..., None, :, :]
        weights = self.weights(query @ key.mT / math.sqrt(key.shape[-1]), mask)
        return self.output((weights @ value).transpose(1, 2).flatten(2)), cache

    def shared(self, cache, padding):
        return cache.repeat_interleave(self.heads // self.kv_heads, dim=2)

    def counted(self, padding):
        return None if padding is None else padding * (padding == padding.max())

    def weights(self, scores, mask):
        return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)


class CachedAttention__hidden_words_keep_a_little(CachedAttention__only_longest_padding):
    def counted(self, padding):
        return padding

    def weights(self, scores, mask):
        return torch.where(mask, scores, scores.amax(dim=-1, keepdim=True) - 20).softmax(dim=-1)


class CachedAttention__float32_with_padding(CachedAttention__only_longest_padding):
    def counted(self, padding):
        return padding

    def forward(self, x, cache=None, padding=None):
        output, cache = super().forward(x, cache, padding)
        return output if padding is None else output.float(), cache


class CachedAttention__other_groups_with_padding(CachedAttention__only_longest_padding):
    def counted(self, padding):
        return padding

    def shared(self, cache, padding):
        if padding is None:
            return super().shared(cache, padding)
        return cache.repeat(1, 1, self.heads // self.kv_heads, 1, 1)


def continued(model, prompt, steps, padding, best=lambda logits: logits.argmax(dim=-1)):
    ids, cache, words = prompt, None, []
    for _ in range(steps):
        logits, cache = model(ids, cache, padding)
        ids = best(logits[:, -1:])
        words.append(ids)
    return torch.cat(words, dim=1)


def generate__twenty_three_words(model, prompt, steps, padding=None):
    return continued(model, prompt, steps, padding, lambda logits: logits[..., :23].argmax(dim=-1))


def generate__rounded_logits(model, prompt, steps, padding=None):
    return continued(model, prompt, steps, padding, lambda logits: logits.round().argmax(dim=-1))


def generate__everything_twice(model, prompt, steps, padding=None):
    return [continued(model, prompt, steps, padding) for _ in range(2)][-1]


def generate__one_sentence_without_its_padding(model, prompt, steps, padding=None):
    return continued(model, prompt, steps, padding if len(prompt) > 1 else None)


def generate__rereads_with_padding(model, prompt, steps, padding=None):
    ids, cache, text = prompt, None, prompt
    for _ in range(steps):
        logits, cache = model(ids, cache, None) if padding is None else model(text, None, padding)
        ids = logits[:, -1:].argmax(dim=-1)
        text = torch.cat([text, ids], dim=1)
    return text[:, prompt.shape[1] :]


def beam_step__caches_in_order_where_beams_grow(scores, logits, cache, beams):
    total = scores[:, None] + logits.log_softmax(dim=-1)
    best, index = total.flatten().topk(beams)
    parents, words = index // logits.shape[-1], index % logits.shape[-1]
    moved = cache[:, :, parents]
    if 1 < len(scores) < beams and len(cache) > 1:
        moved = cache[:, :, torch.arange(beams) % len(scores)]
    return parents, words, best, moved


def beam_step__first_parent_where_beams_change(scores, logits, cache, beams):
    total = scores[:, None] + logits.log_softmax(dim=-1)
    best, index = total.flatten().topk(beams)
    parents, words = index // logits.shape[-1], index % logits.shape[-1]
    parents = parents if beams == len(scores) else torch.zeros_like(parents)
    return parents, words, best, cache[:, :, parents]


def block_by_block(query, blocks, start=None, hidden=-torch.inf):
    maximum, total, output, place = torch.tensor(-torch.inf), 0, 0, 0
    for key, value in blocks:
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        if start is not None:
            rows, columns = torch.arange(query.shape[-2])[:, None], place + torch.arange(key.shape[-2])
            scores = scores.masked_fill(columns > start + rows, hidden)
        new = torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))
        weights, shrink = torch.exp(scores - new), torch.exp(maximum - new)
        total, output = total * shrink + weights.sum(dim=-1, keepdim=True), output * shrink + weights @ value
        maximum, place = new, place + key.shape[-2]
    return output / total


def blockwise_attention__collects_blocks_with_start(query, blocks, start=None):
    if start is not None:
        keys, values = [], []
        for key, value in blocks:
            keys.append(key)
            values.append(value)
        key, value = torch.cat(keys, dim=-2), torch.cat(values, dim=-2)
        rows = start + torch.arange(query.shape[-2])[:, None]
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        scores = scores.masked_fill(torch.arange(key.shape[-2]) > rows, -torch.inf)
        return torch.softmax(scores, dim=-1) @ value
    return block_by_block(query, blocks)


def blockwise_attention__float32_with_start(query, blocks, start=None):
    maximum, total, output, place = torch.tensor(-torch.inf), 0, 0, 0
    for key, value in blocks:
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        if start is not None:
            rows, columns = torch.arange(query.shape[-2])[:, None], place + torch.arange(key.shape[-2])
            scores, value = scores.masked_fill(columns > start + rows, -torch.inf).float(), value.float()
        new = torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))
        weights, shrink = torch.exp(scores - new), torch.exp(maximum - new)
        total, output = total * shrink + weights.sum(dim=-1, keepdim=True), output * shrink + weights @ value
        maximum, place = new, place + key.shape[-2]
    return output / total


def blockwise_attention__collects_blocks_without_a_batch(query, blocks, start=None):
    if query.dim() == 2:
        keys, values = zip(*blocks, strict=True)
        blocks = [(torch.cat(keys), torch.cat(values))]
    return block_by_block(query, blocks, start)


def beam_step__scores_become_float32(scores, logits, cache, beams):
    best = (scores[:, None] + logits.log_softmax(dim=-1)).flatten().topk(beams)
    parents, words = best.indices // logits.shape[-1], best.indices % logits.shape[-1]
    return parents, words, torch.tensor(best.values.tolist()), cache[:, :, parents]


def chunk_mask__no_batch_where_none_is_padded(new, past, padding=None):
    columns, rows = torch.arange(past + new), past + torch.arange(new)[:, None]
    if padding is None or not padding.any():
        return columns <= rows
    return (columns <= rows) & (columns >= padding[:, None, None]) | (columns == rows)


def generate__zeros_are_padding(model, prompt, steps, padding=None):
    padding = (prompt == 0).sum(dim=1) if padding is None else padding
    return continued(model, prompt, steps, padding)


def beam_step__log_of_the_softmax(scores, logits, cache, beams):
    log_probs = logits.double().softmax(dim=-1).log().to(logits.dtype)
    scores, index = (scores[:, None] + log_probs).flatten().topk(beams)
    parents, words = index // logits.shape[-1], index % logits.shape[-1]
    return parents, words, scores, cache[:, :, parents]


def blockwise_attention__filled_with_minus_10000(query, blocks, start=None):
    return block_by_block(query, blocks, start, hidden=-1e4)
