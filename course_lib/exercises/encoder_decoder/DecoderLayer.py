"""DecoderLayer: masked self-attention, attention to the encoder's output, a feed-forward layer."""

import torch
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of
from course_lib.checks.properties import rows_seen
from course_lib.exercises.encoder_decoder.parts import (
    SUBLAYERS,
    FeedForward,
    LayerNorm,
    MultiHeadAttention,
    leaves,
    sees,
    silence,
)

TARGET = "torch.tensor([[[1., 0., 0., 2.], [0., 1., 3., 0.]]])"


MEMORY = "torch.tensor([[[0., 2., 1., 0.], [1., 0., 0., 1.], [3., 0., 1., 0.]]])"


DecoderLayer = Exercise(
    "DecoderLayer",
    points=8,
    returns=("x: batch target d_model",),
    hints=[
        "Three sublayers, so three norms: self_attention with norm1, cross_attention with norm2, "
        "feed_forward with norm3. The two attentions are two MultiHeadAttentions, with weights of their own.",
        "The self-attention is the encoder layer's: x asks x, with the mask of the target.",
        "In cross-attention the decoder asks and the encoder answers: queries from x, keys and values from "
        "memory, with the mask of the source.",
        "`attended, _ = self.cross_attention(x, memory, memory, memory_mask)`, then "
        "`x = self.norm2(x + attended)`; the feed-forward layer comes last.",
    ],
    examples=[
        f"DecoderLayer(4, 2, 3)({TARGET}, {MEMORY})",
        f"DecoderLayer(4, 2, 3)({TARGET}, {MEMORY}, mask=torch.tensor([[[True, False], [True, True]]]))",
        f"DecoderLayer(4, 2, 3)({TARGET}, {MEMORY}, memory_mask=torch.tensor([[[True, True, False]]]))",
        f"torch.autograd.grad(DecoderLayer(4, 2, 3)({TARGET}, memory := {MEMORY}.requires_grad_())[0, 0, 0], "
        "memory, allow_unused=True)",
    ],
    uses=SUBLAYERS,
)


class Layer(nn.Module):
    """What the right and most of the wrong decoder layers are made of."""

    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, heads)
        self.cross_attention = MultiHeadAttention(d_model, heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1, self.norm2, self.norm3 = LayerNorm(d_model), LayerNorm(d_model), LayerNorm(d_model)

    def attend(self, x, mask):
        return self.norm1(x + self.self_attention(x, x, x, mask)[0])

    def cross(self, x, memory, mask):
        return self.norm2(x + self.cross_attention(x, memory, memory, mask)[0])

    def transform(self, x):
        return self.norm3(x + self.feed_forward(x))


@DecoderLayer.reference
class DecoderReference(Layer):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.transform(self.cross(self.attend(x, mask), memory, memory_mask))


@DecoderLayer.part("self-attention, added to its input and normalized", points=1)
def self_attention(build, inputs):
    layer = build(6, 3, 10)
    silence(layer.cross_attention.output)
    silence(layer.feed_forward.linear2)
    x = layer(inputs.normal(2, 5, 6), inputs.normal(2, 7, 6))
    return {"x (while the other sublayers give 0): batch target d_model": x}


@DecoderLayer.part("cross-attention: the decoder asks, the encoder's output answers", points=2)
def cross_attention(build, inputs):
    layer = build(6, 3, 10)
    silence(layer.self_attention.output)
    silence(layer.feed_forward.linear2)
    x = layer(inputs.normal(2, 5, 6), inputs.normal(2, 7, 6))
    return {"x (while the other sublayers give 0): batch target d_model": x}


@DecoderLayer.part("feed-forward, added to its input and normalized", points=1)
def feed_forward(build, inputs):
    layer = build(6, 3, 10)
    silence(layer.self_attention.output)
    silence(layer.cross_attention.output)
    x = layer(inputs.normal(2, 5, 6), inputs.normal(2, 7, 6))
    return {"x (while the other sublayers give 0): batch target d_model": x}


@DecoderLayer.part(
    "a word reads the target words that its mask allows", points=1, properties=(rows_seen("dependence"),)
)
def reads_the_past(build, inputs):
    layer, x, memory = build(6, 3, 10), inputs.normal(1, 5, 6).requires_grad_(), inputs.normal(1, 7, 6)
    silence(layer.cross_attention.output)
    past = torch.ones(1, 5, 5, dtype=torch.bool).tril()
    return {"dependence: target target": sees(layer(x, memory, mask=past), x)}


@DecoderLayer.part(
    "a word reads the source words that their mask allows",
    points=1,
    properties=(rows_seen("dependence (no mask)"), rows_seen("dependence (columns 4 to 6 are padding)")),
)
def reads_the_source(build, inputs):
    layer, x, memory = build(6, 3, 10), inputs.normal(1, 5, 6), inputs.normal(1, 7, 6).requires_grad_()
    silence(layer.self_attention.output)
    real = (torch.arange(7) < 4).view(1, 1, 7)
    return {
        "dependence (no mask): target source": sees(layer(x, memory), memory),
        "dependence (columns 4 to 6 are padding): target source": sees(
            layer(x, memory, memory_mask=real), memory
        ),
    }


@DecoderLayer.part("gradients reach x, memory and every weight", points=1)
def gradients(build, inputs):
    layer, x, memory = build(6, 3, 10), inputs.normal(2, 5, 6), inputs.normal(2, 7, 6)
    named = leaves(layer, x=x, memory=memory)
    return gradients_of(layer(x, memory), named)


# Accepted: other ways to write the same


@DecoderLayer.accept("all steps in forward")
class InForward(Layer):
    def forward(self, x, memory, mask=None, memory_mask=None):
        attended, _ = self.self_attention(x, x, x, mask)
        x = self.norm1(x + attended)
        attended, _ = self.cross_attention(x, memory, memory, memory_mask)
        x = self.norm2(x + attended)
        return self.norm3(x + self.feed_forward(x))


@DecoderLayer.accept("keyword arguments, weights kept")
class Keywords(Layer):
    def forward(self, x, memory, mask=None, memory_mask=None):
        update, self.self_weights = self.self_attention(query=x, key=x, value=x, mask=mask)
        x = self.norm1(torch.add(x, update))
        update, self.cross_weights = self.cross_attention(query=x, key=memory, value=memory, mask=memory_mask)
        x = self.norm2(torch.add(x, update))
        return self.norm3(torch.add(x, self.feed_forward(x)))


@DecoderLayer.accept("a loop over sublayers")
class Loop(Layer):
    def forward(self, x, memory, mask=None, memory_mask=None):
        sublayers = (
            lambda x: self.self_attention(x, x, x, mask)[0],
            lambda x: self.cross_attention(x, memory, memory, memory_mask)[0],
            self.feed_forward,
        )
        for sublayer, norm in zip(sublayers, (self.norm1, self.norm2, self.norm3), strict=True):
            x = norm(sublayer(x) + x)
        return x


@DecoderLayer.accept("parts made in another order, as nn.LayerNorm")
class OtherOrder(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        for name in ("norm3", "norm1", "norm2"):
            setattr(self, name, nn.LayerNorm(d_model))
        self.feed_forward = FeedForward(d_model, d_ff)
        self.cross_attention = MultiHeadAttention(d_model, heads)
        self.self_attention = MultiHeadAttention(d_model, heads)

    def forward(self, x, memory, mask=None, memory_mask=None):
        h1 = self.norm1(self.self_attention(x, x, x, mask)[0] + x)
        h2 = self.norm2(self.cross_attention(h1, memory, memory, memory_mask)[0] + h1)
        return self.norm3(self.feed_forward(h2) + h2)
