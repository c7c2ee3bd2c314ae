"""What lessons 01 to 05 built, with the names and arguments that it has there."""

from torch import Tensor, nn

from course_lib.model.layers import FeedForward, LayerNorm, attention, causal_mask
from course_lib.model.positions import PositionalEncoding
from course_lib.model.transformer import TokenEmbedding

__all__ = [
    "FeedForward",
    "LayerNorm",
    "MultiHeadAttention",
    "PositionalEncoding",
    "TokenEmbedding",
    "causal_mask",
    "padding_mask",
]


def padding_mask(ids: Tensor, pad: int = 0) -> Tensor:
    """`(batch, 1, seq)` for ids `(batch, seq)`: every query may look at all but the padding."""
    return (ids != pad)[:, None, :]


class MultiHeadAttention(nn.Module):
    """`heads` attentions side by side (Vaswani et al. 2017, section 3.2.2), one matrix a projection."""

    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Query `(batch, target, d_model)`, key and value `(batch, source, d_model)` -> query's shape, and
        weights `(batch, heads, target, source)`. The mask broadcasts to `(batch, target, source)`.
        """
        heads = lambda x: x.unflatten(-1, (self.heads, -1)).transpose(1, 2)  # noqa: E731
        mask = mask[:, None] if mask is not None and mask.dim() == 3 else mask  # the same for all heads
        output, weights = attention(
            heads(self.query(query)), heads(self.key(key)), heads(self.value(value)), mask, need_weights=True
        )
        return self.output(output.transpose(1, 2).flatten(start_dim=2)), weights
