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
    table: torch.Tensor

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


class PositionalEncoding__nothing_added_in_float64(PositionalEncoding__drops_too_many):
    def forward(self, x):
        if x.dtype == torch.float64:
            return x * 1
        return nn.functional.dropout(x + self.table[: x.shape[1]], self.p, self.training)


class PositionalEncoding__never_learns_in_float64(PositionalEncoding__drops_too_many):
    def forward(self, x):
        x = x.detach() if x.dtype == torch.float64 else x
        return nn.functional.dropout(x + self.table[: x.shape[1]], self.p, self.training)


class LearnedPositions__subtracted_in_float64(nn.Module):
    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, d_model) * 0.02)

    def forward(self, x):
        return x + self.table[: x.shape[1]] * (-1 if x.dtype == torch.float64 else 1)


def apply_rotary__never_learns_in_float64(x, cos, sin):
    x = x.detach() if x.dtype == torch.float64 else x
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1).flatten(-2)


class PositionalEncoding__only_even_widths(nn.Module):
    pe: torch.Tensor

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        rates = 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
        angle, pe = torch.arange(max_length)[:, None] * rates, torch.zeros(max_length, d_model)
        pe[:, 0::2], pe[:, 1::2] = angle.sin(), angle.cos()
        self.register_buffer("pe", pe)

    def forward(self, x):
        return self.dropout(x + self.pe[: x.shape[1]])
