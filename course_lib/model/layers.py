"""The sublayers of the Transformer (Vaswani et al. 2017, section 3).

Shapes are `(batch, seq, d_model)`, heads `(batch, heads, seq, d_k)`. A mask is boolean, True where a query
may look, and broadcasts to `(batch, target, source)`; all heads share it.
"""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    causal: bool = False,
    need_weights: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """softmax(Q Kᵀ / sqrt(d_k)) V (eq. 1), and its weights `(..., target, source)`, or None if not needed.

    query `(..., target, d_k)`, key `(..., source, d_k)`, value `(..., source, d_v)`; the mask broadcasts to
    the weights, one without an axis of heads over all heads. `causal` adds `causal_mask` to it. Raises what
    `check_mask` raises.
    """
    target, source = query.shape[-2], key.shape[-2]
    if query.dim() == 4:
        mask = for_heads(mask)
    if mask is not None:
        check_mask(mask, (*query.shape[:-1], source))
    causal = causal and target > 1  # the last position may look at everything
    if causal and (mask is not None or need_weights or target != source):
        order = causal_mask(target, source, query.device)
        mask, causal = order if mask is None else mask & order, False
    if not need_weights:
        return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=causal), None
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., target, source)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


def causal_mask(target: int, source: int | None = None, device: torch.device | str | None = None) -> Tensor:
    """`(target, source)`: a query may look at its own position and those before it.

    The queries are the last `target` of `source` positions (all of them by default).
    """
    source = target if source is None else source
    return torch.ones(target, source, dtype=torch.bool, device=device).tril(source - target)


def padding_mask(ids: Tensor, pad: int = 0) -> Tensor:
    """`(batch, 1, source)` for ids `(batch, source)`: every query may look at all but the padding."""
    return (ids != pad)[..., None, :]


def for_heads(mask: Tensor | None) -> Tensor | None:
    """`(batch, target, source)` to `(batch, 1, target, source)`, the same for all heads; others unchanged."""
    return mask[:, None] if mask is not None and mask.dim() == 3 else mask


def check_mask(mask: Tensor, shape: tuple[int, ...]) -> None:
    """Raise unless `mask` is boolean (TypeError), fits `shape` and leaves each query a key (ValueError).

    Rows are looked at on the CPU only: a GPU would have to wait for the answer, and gives NaN instead.
    """
    if mask.dtype != torch.bool:
        raise TypeError(f"mask: expected torch.bool, True where a query may look, got {mask.dtype}")
    axes = zip(reversed(mask.shape), reversed(shape), strict=False)
    if mask.dim() > len(shape) or any(got not in (1, size) for got, size in axes):
        names = "(batch, heads, target, source)" if len(shape) == 4 else "(..., target, source)"
        raise ValueError(
            f"mask: expected a shape that broadcasts to {names} = {shape}, got {tuple(mask.shape)}"
        )
    if mask.device.type == "cpu" and not (seen := mask.any(dim=-1)).all():
        row = tuple((~seen).nonzero()[0].tolist())
        raise ValueError(
            f"mask: row {row} of {tuple(mask.shape)} is all False, so its query may look nowhere. True means "
            "'may look' (in nn.MultiheadAttention's masks the opposite): is it inverted, or a sequence empty?"
        )


class KeyValueCache:
    """The keys and values that an attention layer has computed so far, each `(batch, heads, seq, d_k)`."""

    def __init__(self) -> None:
        self.pair: tuple[Tensor, Tensor] | None = None  # keys and values; None before the first append

    def __len__(self) -> int:
        return 0 if self.pair is None else self.pair[0].shape[-2]

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Add positions at the end; returns all keys and all values."""
        if self.pair is not None:
            key, value = torch.cat([self.pair[0], key], dim=-2), torch.cat([self.pair[1], value], dim=-2)
        self.pair = key, value
        return self.pair

    def select(self, rows: Tensor) -> None:
        """Keep these batch rows (indices, in this order, repeats allowed)."""
        if self.pair is not None:
            self.pair = self.pair[0][rows], self.pair[1][rows]


class MultiHeadAttention(nn.Module):
    """`heads` attentions side by side, each in its own d_k = d_model / heads dimensions (section 3.2.2).

    `in_proj` holds W_Q, W_K and W_V one below the other, so that one product makes all three. `rotate(x,
    start)`, if given, turns queries and keys `(batch, heads, seq, d_k)` by the positions start, start + 1,
    ...
    """

    def __init__(
        self, d_model: int, heads: int, rotate: Callable[[Tensor, int], Tensor] | None = None
    ) -> None:
        super().__init__()
        if d_model % heads:
            raise ValueError(f"d_model must be divisible by heads, got d_model={d_model} and heads={heads}")
        self.heads = heads
        self.rotate = rotate
        self.in_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        mask: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
        cache: KeyValueCache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Queries from x `(batch, target, d_model)`, keys and values from memory `(batch, source, d_model)`
        or from x itself. Returns x's shape, and weights `(batch, heads, target, source)` or None.

        With a `cache`, x holds only the new positions, and memory is projected only at the first call.
        """
        if memory is None:
            query, key, value = self.project_self(x, cache)
        else:
            query, key, value = self.project_cross(x, memory, cache)
        output, weights = attention(query, key, value, mask, causal, need_weights)
        return self.out_proj(output.transpose(1, 2).flatten(start_dim=2)), weights

    def project_self(self, x: Tensor, cache: KeyValueCache | None) -> tuple[Tensor, Tensor, Tensor]:
        projected = self.in_proj(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        turned, value = projected.split([2, 1])  # (2, batch, heads, seq, d_k), and 1
        if self.rotate is not None:
            turned = self.rotate(turned, 0 if cache is None else len(cache))
        query, key, value = *turned.unbind(), value.squeeze(0)
        return (query, key, value) if cache is None else (query, *cache.append(key, value))

    def project_cross(
        self, x: Tensor, memory: Tensor, cache: KeyValueCache | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        sizes = [x.shape[-1], 2 * x.shape[-1]]
        weights, biases = self.in_proj.weight.split(sizes), self.in_proj.bias.split(sizes)
        query = self.split_heads(F.linear(x, weights[0], biases[0]))
        if cache is not None and cache.pair is not None:
            return query, *cache.pair
        projected = F.linear(memory, weights[1], biases[1])
        key, value = (self.split_heads(part) for part in projected.chunk(2, dim=-1))
        return (query, key, value) if cache is None else (query, *cache.append(key, value))

    def split_heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (batch, heads, seq, d_k)


class LayerNorm(nn.Module):
    """weight * (x - mean) / sqrt(variance + eps) + bias, over the features of each token (Ba et al. 2016).

    The variance is the biased one, divided by d_model.
    """

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)


class FeedForward(nn.Module):
    """Two linear maps with an activation between them, the same at every position (eq. 2)."""

    def __init__(self, d_model: int, d_ff: int, activation: str = "relu", dropout: float = 0.0) -> None:
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f'activation: expected "relu" or "gelu", got {activation!r}')
        self.activation = getattr(F, activation)
        self.dropout = nn.Dropout(dropout)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class Residual(nn.Module):
    """The "Add & Norm" around a sublayer: `leave(x, sublayer(enter(x)))`.

    Pre-norm is x + sublayer(norm(x)) (Xiong et al. 2020); post-norm is norm(x + sublayer(x)) (the paper's).
    """

    def __init__(self, d_model: int, norm_first: bool = True, dropout: float = 0.0) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)

    def enter(self, x: Tensor) -> Tensor:
        return self.norm(x) if self.norm_first else x

    def leave(self, x: Tensor, update: Tensor) -> Tensor:
        x = x + self.dropout(update)
        return x if self.norm_first else self.norm(x)
