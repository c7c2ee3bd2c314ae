"""Of lesson 04."""

import torch
from torch import nn


def apply_rotary__float32_with_heads(x, cos, sin):
    kind = torch.float32 if x.dim() > 3 else x.dtype
    pairs = x.to(kind).unflatten(-1, (-1, 2))
    first, second = pairs.unbind(-1)
    turned = torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1)
    return turned.flatten(-2).to(kind)


class PositionalEncoding__drops_too_many(nn.Module):
    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.p = dropout
        rates = 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
        angle = torch.arange(max_length)[:, None] * rates
        self.register_buffer("table", torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1))

    def forward(self, x):
        x = x + self.table[: x.shape[1]]
        if not self.training or self.p in (0, 1):
            return x * (not self.training or self.p == 0)
        kept = torch.rand_like(x) >= self.p + self.p * (1 - self.p) / 4
        return x * kept / (1 - self.p)
