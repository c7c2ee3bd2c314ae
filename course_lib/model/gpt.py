"""The decoder-only Transformer, as language models are built since Llama: one stack, from ids to logits.

Each field of `GPTConfig` chooses between a piece of 2017 and what replaced it. `TextModel` of
`training.pretraining` is the encoder stack of 2017, which ends in vectors; this model ends in logits, keeps a
cache, and has pieces that the encoder-decoder has not.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_lib.model.layers import FeedForward, KeyValueCache, LayerNorm, attention
from course_lib.model.positions import LearnedPositions, PositionalEncoding, RotaryPositions

CHOICES = {
    "norm": ("rms", "layer"),
    "feed_forward": ("swiglu", "relu"),
    "positions": ("rotary", "sinusoidal", "learned", "none"),
}


@dataclass(frozen=True)
class GPTConfig:
    """The shape of a GPT.

    kv_heads: how many heads of keys and values the `heads` queries share: as many as `heads` is multi-head
    attention, 1 is multi-query attention.
    d_ff: hidden units; SwiGLU with 2/3 of them has as many weights as ReLU.
    base: of the angles of rotary positions. tie: the table of tokens is the output layer too.
    """

    vocab: int
    d_model: int = 64
    layers: int = 4
    heads: int = 4
    kv_heads: int = 2
    d_ff: int = 172
    max_length: int = 128
    base: float = 10000.0
    norm: str = "rms"
    feed_forward: str = "swiglu"
    positions: str = "rotary"
    norm_first: bool = True
    tie: bool = True
    dropout: float = 0.0
    eps: float = 1e-5

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise ValueError(f"{name}: expected one of {known}, got {getattr(self, name)!r}")
        for name in ("vocab", "d_model", "layers", "heads", "kv_heads", "d_ff", "max_length"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: expected 1 or more, got {getattr(self, name)}")
        check_heads(self.d_model, self.heads, self.kv_heads)


def check_heads(d_model: int, heads: int, kv_heads: int) -> None:
    if d_model % heads:
        raise ValueError(f"d_model must be divisible by heads, got d_model={d_model} and heads={heads}")
    if heads % kv_heads:
        raise ValueError(f"heads must be divisible by kv_heads, got heads={heads} and kv_heads={kv_heads}")


class RMSNorm(nn.Module):
    """weight * x / sqrt(mean(x^2) + eps), over the features of each token (Zhang and Sennrich 2019)."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.weight.shape, self.weight, self.eps)


class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)), without biases (Shazeer 2020, eq. 6)."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.dropout(F.silu(self.gate(x)) * self.up(x)))


class GroupedQueryAttention(nn.Module):
    """Causal self-attention in which heads / kv_heads queries share each key and value (Ainslie et al. 2023).

    Queries 0 ... heads / kv_heads - 1 read the first head of keys and values, and so on. `in_proj` holds W_Q,
    W_K and W_V one below the other. `rotary`, if given, turns queries and keys; there are no biases.
    """

    def __init__(
        self, d_model: int, heads: int, kv_heads: int, rotary: RotaryPositions | None = None
    ) -> None:
        super().__init__()
        if d_model % heads:
            raise ValueError(f"d_model must be divisible by heads, got d_model={d_model} and heads={heads}")
        if heads % kv_heads:
            raise ValueError(
                f"heads must be divisible by kv_heads, got heads={heads} and kv_heads={kv_heads}"
            )
        self.heads, self.kv_heads, self.rotary = heads, kv_heads, rotary
        d_k = d_model // heads
        self.in_proj = nn.Linear(d_model, (heads + 2 * kv_heads) * d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        need_weights: bool = False,
        cache: KeyValueCache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """x `(batch, seq, d_model)` to the same shape, and weights `(batch, heads, seq, source)` or None.

        A mask `(batch, seq, source)` hides more than the causal order does. With a `cache`, x holds only the
        new positions, and the cache keeps `kv_heads` heads: source counts all positions so far.
        """
        start = 0 if cache is None else len(cache)
        query, key, value = self.project(x, start)
        if cache is not None:
            key, value = cache.append(key, value)
        group = self.heads // self.kv_heads
        if group > 1:
            key, value = (shared.repeat_interleave(group, dim=1) for shared in (key, value))
        output, weights = attention(query, key, value, mask, causal=True, need_weights=need_weights)
        return self.out_proj(output.transpose(1, 2).flatten(start_dim=2)), weights

    def project(self, x: Tensor, start: int) -> tuple[Tensor, Tensor, Tensor]:
        """Queries `(batch, heads, seq, d_k)`, keys and values `(batch, kv_heads, seq, d_k)`."""
        d_k = x.shape[-1] // self.heads
        projected = self.in_proj(x).unflatten(-1, (-1, d_k)).transpose(1, 2)
        turned, value = projected.split([self.heads + self.kv_heads, self.kv_heads], dim=1)
        if self.rotary is not None:
            turned = self.rotary(turned, start)
        query, key = turned.split([self.heads, self.kv_heads], dim=1)
        return query, key, value


class GPTLayer(nn.Module):
    """Self-attention, then a feed-forward layer, each with a residual connection and a norm."""

    def __init__(self, config: GPTConfig, rotary: RotaryPositions | None = None) -> None:
        super().__init__()
        self.norm_first = config.norm_first
        self.attention = GroupedQueryAttention(config.d_model, config.heads, config.kv_heads, rotary)
        kind = SwiGLU if config.feed_forward == "swiglu" else FeedForward
        self.feed_forward = kind(config.d_model, config.d_ff, dropout=config.dropout)
        self.norm1, self.norm2 = make_norm(config), make_norm(config)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        need_weights: bool = False,
        cache: KeyValueCache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        h, weights = self.attention(self.norm1(x) if self.norm_first else x, mask, need_weights, cache)
        x = self.leave(x, h, self.norm1)
        return self.leave(x, self.feed_forward(self.norm2(x) if self.norm_first else x), self.norm2), weights

    def leave(self, x: Tensor, update: Tensor, norm: nn.Module) -> Tensor:
        x = x + self.dropout(update)
        return x if self.norm_first else norm(x)


def make_norm(config: GPTConfig) -> nn.Module:
    return (RMSNorm if config.norm == "rms" else LayerNorm)(config.d_model, config.eps)


class GPTCache:
    """The keys and values of all layers for the positions so far."""

    def __init__(self, layers: int) -> None:
        self.layers = [KeyValueCache() for _ in range(layers)]

    def __len__(self) -> int:
        """The number of positions it holds."""
        return len(self.layers[0])

    def select(self, rows: Tensor) -> None:
        """Keep these batch rows (indices, in this order, repeats allowed)."""
        for cache in self.layers:
            cache.select(rows)


class GPT(nn.Module):
    """Ids `(batch, seq)` to logits `(batch, seq, vocab)`: at each position, of the token that follows.

    Padding on the right needs no mask, because the causal order hides it; its logits mean nothing.
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab, config.d_model)
        added = {"sinusoidal": PositionalEncoding, "learned": LearnedPositions}.get(config.positions)
        self.positions = added(config.d_model, config.max_length) if added else None
        self.dropout = nn.Dropout(config.dropout)
        rotary = None  # the layers share it
        if config.positions == "rotary":
            rotary = RotaryPositions(config.d_model // config.heads, config.max_length, config.base)
        self.layers = nn.ModuleList(GPTLayer(config, rotary) for _ in range(config.layers))
        self.norm = make_norm(config) if config.norm_first else nn.Identity()
        self.output = nn.Linear(config.d_model, config.vocab, bias=False)
        self.reset_parameters()
        if config.tie:
            self.output.weight = self.embedding.weight

    def reset_parameters(self) -> None:
        """Xavier weights and zero biases; token vectors begin with a length of about 1."""
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif name in ("embedding.weight", "output.weight"):
                nn.init.normal_(parameter, std=self.config.d_model**-0.5)
            elif parameter.dim() == 2 and name != "positions.table":
                nn.init.xavier_uniform_(parameter)

    def embed(self, ids: Tensor, start: int = 0) -> Tensor:
        """Token vectors; positions that are added find them sqrt(d_model) times as long (section 3.4)."""
        x = self.embedding(ids)
        if self.positions is not None:
            x = self.positions(x * math.sqrt(self.config.d_model), start)
        return self.dropout(x)

    def forward(
        self,
        ids: Tensor,
        mask: Tensor | None = None,
        need_weights: bool = False,
        cache: GPTCache | None = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Logits, and with `need_weights` the weights `(layers, batch, heads, seq, source)` of the same pass.

        With a `cache` (`model.new_cache()`), ids holds only the new tokens.
        """
        x, maps = self.embed(ids, 0 if cache is None else len(cache)), []
        caches = [None] * len(self.layers) if cache is None else cache.layers
        for layer, pair in zip(self.layers, caches, strict=True):
            x, weights = layer(x, mask, need_weights, pair)
            maps.append(weights)
        logits = self.output(self.norm(x))
        return (logits, torch.stack(maps)) if need_weights else logits

    def new_cache(self) -> GPTCache:
        """An empty cache for one batch of sequences."""
        return GPTCache(self.config.layers)
