"""What lessons 01 to 05 built, with the names and arguments that it has there."""

from torch import Tensor, nn

from course_lib.model.layers import FeedForward, LayerNorm, attention, causal_mask, padding_mask
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
        parts = self.query(query), self.key(key), self.value(value)
        # each (batch, heads, seq, d_k)
        q, k, v = (x.unflatten(-1, (self.heads, -1)).transpose(1, 2) for x in parts)
        output, weights = attention(q, k, v, mask, need_weights=True)
        assert weights is not None
        return self.output(output.transpose(1, 2).flatten(start_dim=2)), weights
