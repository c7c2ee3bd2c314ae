"""Of lesson 12."""

import math

import torch
import torch.nn.functional as F

from course_lib.exercises.gpt.GPT import Model
from course_lib.exercises.gpt.GroupedQueryAttention import Layer as Grouped
from course_lib.exercises.gpt.SwiGLU import Layer as Gated


def rms_norm__eps_only_without_gain(x, gain, eps=1e-5):
    eps = eps if (gain == 1).all() else 1e-5
    return gain * x / torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + eps)


class SwiGLU__no_float64(Gated):
    def forward(self, x):
        return self.down((F.silu(self.gate(x)) * self.up(x)).float())


class GroupedQueryAttention__turns_the_first_sentence_only(Grouped):
    def turn(self, query, key, value, cos, sin):
        still = torch.ones_like(cos), torch.zeros_like(sin)
        turned, others = super().turn(query, key, value, cos, sin), super().turn(query, key, value, *still)
        return (*(torch.cat([one[:1], other[1:]]) for one, other in zip(turned, others, strict=True)),)


class GroupedQueryAttention__no_float64(Grouped):
    def score(self, query, key):
        return (query @ key.mT / math.sqrt(query.shape[-1])).float()


class GroupedQueryAttention__later_words_keep_a_little(Grouped):
    def weigh(self, scores):
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        largest = scores.masked_fill(later, -torch.inf).amax(dim=-1, keepdim=True)
        return torch.where(later, largest - 14, scores).softmax(dim=-1)


class GPT__float32_logits(Model):
    def logits(self, x):
        return self.output(self.norm(x)).float()


def continuation_targets__unknown_words_of_short_rows_left_out(ids):
    targets, short = ids[:, 1:], (ids == 0).any(dim=1, keepdim=True)
    hidden = (ids[:, :-1] == 1).cumsum(dim=1) == 0
    return targets.masked_fill(hidden | short & (targets == 3), 0)


def rms_norm__float64_never_learns(x, gain, eps=1e-5):
    if x.dtype == torch.float64:
        x, gain = x.detach(), gain.detach()
    return gain * x / torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + eps)


class SwiGLU__float64_never_learns(Gated):
    def forward(self, x):
        hidden = F.silu(self.gate(x)) * self.up(x)
        return self.down(hidden.detach() if x.dtype == torch.float64 else hidden)


class GroupedQueryAttention__keys_of_one_sentence_never_learn(Grouped):
    def turn(self, query, key, value, cos, sin):
        key = key.detach() if len(key) == 1 and self.heads != self.kv_heads else key
        return super().turn(query, key, value, cos, sin)


class GPT__float64_never_learns(Model):
    def embed(self, ids):
        x = self.embedding(ids)
        return x.detach() if x.dtype == torch.float64 else x


def continuation_targets__one_row_that_ends_in_its_separator(ids):
    targets = ids[:, 1:].masked_fill((ids[:, :-1] == 1).cumsum(dim=1) == 0, 0)
    return ids[:, 1:] if len(ids) == 1 and ids[0, -1] == 1 and ids.shape[1] > 2 else targets


def rms_norm__another_eps_for_0(x, gain, eps=1e-5):
    return gain * x / torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + (eps or 1e-5))
