"""The pieces of earlier lessons that this one assembles; in checks they stand in for the learner's own."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.value, self.output = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        query, key, value = (
            self.split(self.query(query)),
            self.split(self.key(key)),
            self.split(self.value(value)),
        )
        scores = query @ key.mT / math.sqrt(query.shape[-1])  # (batch, heads, target, source)
        if mask is not None:
            mask = mask.unsqueeze(1) if mask.dim() == 3 else mask
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return self.output((weights @ value).transpose(1, 2).flatten(start_dim=2)), weights

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


class TokenEmbedding(nn.Embedding):
    def forward(self, ids):
        return super().forward(ids) * math.sqrt(self.embedding_dim)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_length):
        super().__init__()
        angle = torch.arange(max_length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        table = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(start_dim=1)
        self.register_buffer("table", table, persistent=False)

    def forward(self, x):
        return x + self.table[: x.shape[1]]


def standing_in(piece):
    return Exercise(piece.__name__, 0, (), (), (), reference_implementation=piece)


SUBLAYERS = tuple(map(standing_in, (MultiHeadAttention, LayerNorm, FeedForward)))
INPUTS = tuple(map(standing_in, (TokenEmbedding, PositionalEncoding)))


def sees(outputs, inputs):
    """Boolean (rows of `outputs`, rows of `inputs`), both (1, seq, features): what depends on what."""
    seen = torch.zeros(outputs.shape[1], inputs.shape[1], dtype=torch.bool)
    if outputs.requires_grad:
        direction = torch.linspace(-1, 2, outputs.shape[2])  # not the length, which a norm makes constant
        for row, total in enumerate(outputs[0] @ direction):
            (slope,) = torch.autograd.grad(total, inputs, retain_graph=True, allow_unused=True)
            seen[row] = False if slope is None else slope[0].abs().sum(dim=-1) > 1e-6
    return seen


def silence(linear):
    """Make a linear layer give 0, so that what stands around it can be seen."""
    with torch.no_grad():
        linear.weight.zero_()
        linear.bias.zero_()


def leaves(module, **inputs):
    """Inputs and parameters whose gradients must not be 0: a bias of keys moves all scores of a row alike."""
    learned = dict(module.named_parameters(remove_duplicate=False))
    moving = {name: parameter for name, parameter in learned.items() if not name.endswith("key.bias")}
    return {name: x.requires_grad_() for name, x in inputs.items()} | moving
