"""Three ways to tell a Transformer the position of a token: sinusoidal, learned and rotary positions."""

import torch
from torch import Tensor, nn


def angles(length: int, dims: int, base: float = 10000.0) -> Tensor:
    """`(length, dims / 2)` in float64: position / base^(2i / dims) for the pair of dimensions i."""
    if dims % 2:
        raise ValueError(f"positions turn pairs of dimensions: expected an even number of them, got {dims}")
    rates = base ** (-torch.arange(0, dims, 2, dtype=torch.float64) / dims)
    return torch.arange(length, dtype=torch.float64)[:, None] * rates


def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    """`(length, d_model)`: sine on even dimensions, cosine on odd ones (Vaswani et al. 2017, section 3.5)."""
    angle = angles(length, d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(start_dim=1).float()


def apply_rotary(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair of neighboring dimensions of x `(..., seq, d_k)` by its angle (Su et al. 2021, eq. 34).

    cos and sin are `(seq, d_k / 2)`. Scores of turned queries and keys depend on their distance alone.
    """
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))  # to multiply by cos + i sin is to turn
    return torch.view_as_real(pairs * torch.complex(cos, sin)).flatten(start_dim=-2)


def check_length(start: int, length: int, limit: int) -> None:
    if start + length > limit:
        raise ValueError(
            f"sequence too long: expected at most max_length={limit} positions, got {start + length}"
        )


class PositionalEncoding(nn.Module):
    """Adds the sinusoidal encoding to x `(batch, seq, d_model)`, whose first position is `start`."""

    table: Tensor

    def __init__(self, d_model: int, max_length: int) -> None:
        super().__init__()
        self.register_buffer("table", sinusoidal_encoding(max_length, d_model), persistent=False)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        check_length(start, x.shape[1], len(self.table))
        return x + self.table[start : start + x.shape[1]]


class LearnedPositions(nn.Module):
    """Adds a learned vector per position, as BERT and GPT-2 do; positions never trained on stay random."""

    def __init__(self, d_model: int, max_length: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, d_model) * 0.02)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        check_length(start, x.shape[1], len(self.table))
        return x + self.table[start : start + x.shape[1]]


class RotaryPositions(nn.Module):
    """Turns queries and keys `(batch, heads, seq, d_k)`, whose first position is `start`."""

    cos: Tensor
    sin: Tensor

    def __init__(self, d_k: int, max_length: int, base: float = 10000.0) -> None:
        super().__init__()
        angle = angles(max_length, d_k, base)
        self.register_buffer("cos", angle.cos().float(), persistent=False)
        self.register_buffer("sin", angle.sin().float(), persistent=False)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        seq = slice(start, start + x.shape[-2])
        check_length(start, x.shape[-2], len(self.cos))
        return apply_rotary(x, self.cos[seq], self.sin[seq])
