"""The two stacks of the Transformer, over tokens that are already embedded."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from course_lib.model.config import TransformerConfig
from course_lib.model.layers import FeedForward, KeyValueCache, LayerNorm, MultiHeadAttention, Residual
from course_lib.model.positions import RotaryPositions


class AttentionTypes(NamedTuple):
    """The class that each of the three attentions is built from; an ablation gives another one."""

    encoder: type[MultiHeadAttention] = MultiHeadAttention
    decoder: type[MultiHeadAttention] = MultiHeadAttention
    cross: type[MultiHeadAttention] = MultiHeadAttention


STANDARD = AttentionTypes()


class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward layer (section 3.1). With `causal` it is a layer of a GPT."""

    def __init__(
        self,
        config: TransformerConfig,
        rotate: RotaryPositions | None = None,
        attentions: AttentionTypes = STANDARD,
    ) -> None:
        super().__init__()
        self.self_attention = attentions.encoder(config.d_model, config.heads, rotate)
        self.feed_forward = FeedForward(config.d_model, config.d_ff, config.activation, config.dropout)
        self.residual1 = Residual(config.d_model, config.norm_first, config.dropout)
        self.residual2 = Residual(config.d_model, config.norm_first, config.dropout)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, causal: bool = False, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """Returns x and the weights `(batch, heads, seq, seq)`, or None if not needed."""
        h, weights = self.self_attention(
            self.residual1.enter(x), mask=mask, causal=causal, need_weights=need_weights
        )
        x = self.residual1.leave(x, h)
        return self.residual2.leave(x, self.feed_forward(self.residual2.enter(x))), weights


class DecoderLayer(nn.Module):
    """Causal self-attention, attention to the encoder's output, then a feed-forward layer (section 3.1)."""

    def __init__(
        self,
        config: TransformerConfig,
        rotate: RotaryPositions | None = None,
        attentions: AttentionTypes = STANDARD,
    ) -> None:
        super().__init__()
        self.self_attention = attentions.decoder(config.d_model, config.heads, rotate)
        self.cross_attention = attentions.cross(config.d_model, config.heads)
        self.feed_forward = FeedForward(config.d_model, config.d_ff, config.activation, config.dropout)
        self.residual1 = Residual(config.d_model, config.norm_first, config.dropout)
        self.residual2 = Residual(config.d_model, config.norm_first, config.dropout)
        self.residual3 = Residual(config.d_model, config.norm_first, config.dropout)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        memory_mask: Tensor | None = None,
        need_weights: bool = False,
        cache: tuple[KeyValueCache, KeyValueCache] | None = None,
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """Returns x and the weights of both attentions. The caches are those of both attentions."""
        self_cache, cross_cache = cache or (None, None)
        h, self_weights = self.self_attention(
            self.residual1.enter(x), causal=True, need_weights=need_weights, cache=self_cache
        )
        x = self.residual1.leave(x, h)
        h, cross_weights = self.cross_attention(
            self.residual2.enter(x), memory, memory_mask, need_weights=need_weights, cache=cross_cache
        )
        x = self.residual2.leave(x, h)
        return (
            self.residual3.leave(x, self.feed_forward(self.residual3.enter(x))),
            self_weights,
            cross_weights,
        )


def rotation(config: TransformerConfig) -> RotaryPositions | None:
    """What turns queries and keys, shared by the layers of a stack; None without rotary positions."""
    if config.positions != "rotary":
        return None
    return RotaryPositions(config.d_model // config.heads, config.max_length)


class Encoder(nn.Module):
    """A stack of encoder layers over embedded tokens `(batch, seq, d_model)`."""

    def __init__(self, config: TransformerConfig, attentions: AttentionTypes = STANDARD) -> None:
        super().__init__()
        rotate, count = rotation(config), config.encoder_layers
        self.layers = nn.ModuleList(EncoderLayer(config, rotate, attentions) for _ in range(count))
        self.norm = LayerNorm(config.d_model) if config.ends_with_norm else nn.Identity()

    def forward(
        self, x: Tensor, mask: Tensor | None = None, causal: bool = False, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """Returns x and the weights `(layers, batch, heads, seq, seq)`, or None if not needed."""
        maps = []
        for layer in self.layers:
            x, weights = layer(x, mask, causal, need_weights)
            maps.append(weights)
        return self.norm(x), torch.stack(maps) if need_weights else None


class DecoderCache:
    """What a decoder has computed for the positions so far: a pair of caches (self, cross) for each layer."""

    def __init__(self, layers: int) -> None:
        self.layers = [(KeyValueCache(), KeyValueCache()) for _ in range(layers)]

    def __len__(self) -> int:
        """The number of target positions it holds."""
        return len(self.layers[0][0])

    def select(self, rows: Tensor) -> None:
        """Keep these batch rows (indices, in this order, repeats allowed)."""
        for pair in self.layers:
            for cache in pair:
                cache.select(rows)


class Decoder(nn.Module):
    """A stack of decoder layers over embedded tokens `(batch, target, d_model)`."""

    def __init__(self, config: TransformerConfig, attentions: AttentionTypes = STANDARD) -> None:
        super().__init__()
        rotate, count = rotation(config), config.decoder_layers
        self.layers = nn.ModuleList(DecoderLayer(config, rotate, attentions) for _ in range(count))
        self.norm = LayerNorm(config.d_model) if config.ends_with_norm else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        memory_mask: Tensor | None = None,
        need_weights: bool = False,
        cache: DecoderCache | None = None,
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """Returns x and the weights of both attentions, `(layers, batch, heads, target, ...)` or None."""
        maps = []
        caches = [None] * len(self.layers) if cache is None else cache.layers
        for layer, pair in zip(self.layers, caches, strict=True):
            x, *weights = layer(x, memory, memory_mask, need_weights, pair)
            maps.append(weights)
        decoder, cross = (torch.stack(w) for w in zip(*maps, strict=True)) if need_weights else (None, None)
        return self.norm(x), decoder, cross
