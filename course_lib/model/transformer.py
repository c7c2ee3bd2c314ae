"""The encoder-decoder Transformer (Vaswani et al. 2017), from token ids to logits."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import Tensor, nn

from course_lib.model.config import TransformerConfig
from course_lib.model.layers import padding_mask
from course_lib.model.positions import LearnedPositions, PositionalEncoding
from course_lib.model.stacks import STANDARD, AttentionTypes, Decoder, DecoderCache, Encoder

PAD = 0


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """No dropout and no gradients inside the `with` block; the model's mode comes back after it."""
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(training)


def visible(source: Tensor) -> Tensor | None:
    """The padding mask; None on the CPU if nothing is padded, for a mask that hides nothing costs time."""
    mask = padding_mask(source, PAD)
    return None if mask.device.type == "cpu" and mask.all() else mask


class AttentionMaps(NamedTuple):
    """Weights of one forward pass: `maps.cross[layer]` is `(batch, heads, target, source)`."""

    encoder: Tensor  # (layers, batch, heads, source, source)
    decoder: Tensor  # (layers, batch, heads, target, target)
    cross: Tensor  # (layers, batch, heads, target, source)


class TokenEmbedding(nn.Embedding):
    """Ids `(batch, seq)` to vectors times sqrt(d_model), `(batch, seq, d_model)` (section 3.4).

    Their entries begin with standard deviation `init`. Half the usual 1 lets added positions weigh more
    beside the words, and training is faster.
    """

    def __init__(self, vocab: int, d_model: int, init: float = 0.5) -> None:
        self.init = init
        super().__init__(vocab, d_model, padding_idx=PAD)

    def reset_parameters(self) -> None:
        nn.init.normal_(self.weight, std=self.init * self.embedding_dim**-0.5)
        self._fill_padding_idx_with_zero()

    def forward(self, ids: Tensor) -> Tensor:
        if ids.dtype not in (torch.int64, torch.int32):
            raise TypeError(f"token ids: expected torch.int64, got {ids.dtype}")
        if ids.dim() != 2 or ids.shape[1] == 0:
            raise ValueError(f"token ids: expected (batch, seq) with seq >= 1, got {tuple(ids.shape)}")
        try:
            return super().forward(ids) * math.sqrt(self.embedding_dim)
        except IndexError:
            raise IndexError(
                f"token ids: expected 0 ... {self.num_embeddings - 1}, got {ids.min()} ... {ids.max()}"
            ) from None


class Embedding(nn.Module):
    """Token vectors with their positions added, ids `(batch, seq)` to `(batch, seq, d_model)`."""

    def __init__(self, config: TransformerConfig, vocab: int) -> None:
        super().__init__()
        self.tokens = TokenEmbedding(vocab, config.d_model, config.token_init)
        added = {"sinusoidal": PositionalEncoding, "learned": LearnedPositions}.get(config.positions)
        self.positions = added(config.d_model, config.max_length) if added else None
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        """`start` is the position of the first id."""
        x = self.tokens(ids)
        return self.dropout(x if self.positions is None else self.positions(x, start))


class Transformer(nn.Module):
    """Ids `(batch, source)` and `(batch, target)` to logits `(batch, target, target_vocab)`.

    Sequences are padded on the right with id 0. Targets need no padding mask: the causal order already hides
    what comes after a token.
    """

    def __init__(self, config: TransformerConfig, attentions: AttentionTypes = STANDARD) -> None:
        super().__init__()
        self.config = config
        self.source_embedding = Embedding(config, config.source_vocab)
        self.target_embedding = Embedding(config, config.target_vocab)
        self.encoder = Encoder(config, attentions)
        self.decoder = Decoder(config, attentions)
        self.output = nn.Linear(config.d_model, config.target_vocab, bias=False)
        self.reset_parameters()
        self.tie_weights()

    def reset_parameters(self) -> None:
        """Xavier weights, as nn.Transformer draws them; zero biases."""
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif parameter.dim() == 2 and "embedding" not in name:
                nn.init.xavier_uniform_(parameter)

    def tie_weights(self) -> None:
        """Make the tables that `config.tie` names one and the same parameter (section 3.4)."""
        if self.config.tie != "none":
            self.output.weight = self.target_embedding.tokens.weight
        if self.config.tie == "all":
            self.source_embedding.tokens.weight = self.target_embedding.tokens.weight

    def forward(
        self, source: Tensor, target: Tensor, source_mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, AttentionMaps]:
        """Logits, and with `need_weights` the `AttentionMaps` of the same pass."""
        source_mask = visible(source) if source_mask is None else source_mask
        memory, encoder = self.encode(source, source_mask, need_weights)
        logits, decoder, cross = self.decode(target, memory, source_mask, need_weights)
        if encoder is None or decoder is None or cross is None:  # not needed
            return logits
        return logits, AttentionMaps(encoder, decoder, cross)

    def encode(
        self, source: Tensor, source_mask: Tensor | None = None, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """The memory `(batch, source, d_model)`, weights `(layers, batch, heads, source, source)` or None."""
        return self.encoder(self.source_embedding(source), source_mask, need_weights=need_weights)

    def decode(
        self,
        target: Tensor,
        memory: Tensor,
        source_mask: Tensor | None = None,
        need_weights: bool = False,
        cache: DecoderCache | None = None,
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """Logits and the weights of both attentions. With a `cache`, target holds only the new tokens."""
        x = self.target_embedding(target, start=0 if cache is None else len(cache))
        x, decoder, cross = self.decoder(x, memory, source_mask, need_weights, cache)
        return self.output(x), decoder, cross
