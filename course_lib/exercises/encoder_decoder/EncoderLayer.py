"""EncoderLayer: self-attention, then a feed-forward layer, each added to its input and normalized."""

import torch
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, in_both_modes
from course_lib.checks.instances import sharpen
from course_lib.checks.precision import told_of_float64
from course_lib.checks.properties import apart
from course_lib.exercises.encoder_decoder.parts import (
    SUBLAYERS,
    FeedForward,
    LayerNorm,
    MultiHeadAttention,
    batch_and_alone,
    leaves,
    neighbors,
    reads,
    sees,
    silence,
    with_and_without_batch,
)

TWO_WORDS = "torch.eye(2, 4)[None]"


EncoderLayer = Exercise(
    "EncoderLayer",
    points=6,
    returns=("x: batch seq d_model",),
    hints=[
        "Which parts have weights? `__init__` makes four: one MultiHeadAttention, one FeedForward and two "
        "LayerNorms, one for each sublayer.",
        "Where do query, key and value of self-attention come from? All three are x. It returns two things, "
        "and you need the first: `attended, _ = self.self_attention(x, x, x, mask)`.",
        "After each sublayer, add its input and normalize the sum: `x = self.norm1(x + attended)`.",
        "The second sublayer starts from the new x: `return self.norm2(x + self.feed_forward(x))`.",
    ],
    examples=[
        f"EncoderLayer(4, 2, 3)({TWO_WORDS})",
        f"EncoderLayer(4, 2, 3)({TWO_WORDS}, mask=torch.tensor([[[True, False]]]))",
    ],
    uses=SUBLAYERS,
    ready_made=("TransformerEncoderLayer",),
)


class Layer(nn.Module):
    """What the right and most of the wrong encoder layers are made of."""

    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)

    def attend(self, x, mask):
        return self.self_attention(x, x, x, mask)[0]


@EncoderLayer.reference
class EncoderReference(Layer):
    def forward(self, x, mask=None):
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed_forward(x))


@EncoderLayer.part("self-attention, added to its input and normalized", points=2)
def attention(build, inputs):
    layer, other = build(6, 3, 10), build(8, 2, 5)
    sharpen(other.norm1, other.norm2)
    silence(layer.feed_forward.linear2)
    silence(other.feed_forward.linear2)
    return {
        "x (while the feed-forward layer gives 0): batch seq d_model": layer(inputs.normal(2, 5, 6)),
        "x (of another size): batch seq d_model": other(inputs.normal(3, 4, 8)),
        "dtype": told_of_float64(build(6, 3, 10), inputs.normal(2, 5, 6), inputs.mask(2, 1, 5)),
    }


@EncoderLayer.part("feed-forward, added to its input and normalized", points=1)
def feed_forward(build, inputs):
    layer, other = build(6, 3, 10), build(8, 2, 5)
    sharpen(other.norm1, other.norm2)
    silence(layer.self_attention.output)
    silence(other.self_attention.output)
    return {
        "x (while the attention gives 0): batch seq d_model": layer(inputs.normal(2, 5, 6)),
        "x (of another size): batch seq d_model": other(inputs.normal(3, 4, 8)),
    }


@EncoderLayer.part(
    "every word reads every word that the mask allows",
    points=1,
    properties=(
        reads("dependence (no mask)", "x"),
        reads("dependence (columns 3 and 4 are padding)", "x"),
        reads("dependence (each word may read its neighbors)", "x"),
        reads("dependence (a mask of shape (seq, seq))", "x"),
    ),
)
def who_reads_whom(build, inputs):
    layer, x = build(6, 3, 10), inputs.normal(1, 5, 6)
    mask = torch.tensor([[[True, True, True, False, False]]])
    batch, masks = inputs.normal(3, 5, 6), torch.arange(5) < torch.tensor([5, 2, 3]).view(3, 1, 1)
    several = inputs.normal(5, 5, 6)  # as many sentences as words
    return {
        "dependence (columns 3 and 4 are padding): output input": sees(lambda x: layer(x, mask=mask), x),
        "dependence (a mask of shape (seq, seq)): output input": sees(
            lambda x: layer(x, mask=neighbors(5, 5)[0]), x
        ),
        "dependence (each word may read its neighbors): output input": sees(
            lambda x: layer(x, mask=neighbors(5, 5)), x
        ),
        # after a call with a mask of this size, of which an answer may keep something
        "dependence (no mask): output input": sees(layer, x),
        "difference between masks of two and of three axes: batch seq d_model": with_and_without_batch(
            lambda mask: layer(several, mask=mask), neighbors(5, 5)
        ),
        "difference between a sentence in a batch and alone: seq d_model": batch_and_alone(
            layer, batch, mask=masks
        ),
        "difference between a padded sentence and one cut short: batch seq d_model": apart(
            layer(x, mask=mask)[:, :3], layer(x[:, :3])
        ),
    }


@EncoderLayer.part("gradients reach x and every weight", points=1)
@in_both_modes
def gradients(build, inputs):
    layer, x = build(6, 3, 10), inputs.normal(2, 5, 6)
    named = leaves(layer, x=x)
    return gradients_of(torch.cat([layer(x), layer(x, neighbors(5, 5))]), named)


# Accepted: other ways to write the same


@EncoderLayer.accept("a name for every step")
class EveryStep(Layer):
    def forward(self, x, mask=None):
        attended, _ = self.self_attention(query=x, key=x, value=x, mask=mask)
        added = attended + x
        normalized = self.norm1(added)
        transformed = self.feed_forward(normalized)
        return self.norm2(transformed + normalized)


@EncoderLayer.accept("a helper for add and norm")
class Helper(Layer):
    def forward(self, x, mask=None):
        x = self.add_and_norm(x, self.attend(x, mask), self.norm1)
        return self.add_and_norm(x, self.feed_forward(x), self.norm2)

    def add_and_norm(self, x, update, norm):
        return norm(torch.add(x, update))


@EncoderLayer.accept("a loop over sublayers")
class Loop(Layer):
    def forward(self, x, mask=None):
        attend = lambda x: self.attend(x, mask)  # noqa: E731
        for sublayer, norm in ((attend, self.norm1), (self.feed_forward, self.norm2)):
            x = norm(x + sublayer(x))
        return x


@EncoderLayer.accept("parts made in another order, as nn.LayerNorm")
class OtherOrder(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.norm2 = nn.LayerNorm(d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.self_attention = MultiHeadAttention(d_model, heads)

    def forward(self, x, mask=None):
        residual = x
        x, _ = self.self_attention(x, x, x, mask)
        x = self.norm1(residual + x)
        residual = x
        return self.norm2(self.feed_forward(x) + residual)
