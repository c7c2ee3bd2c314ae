"""DecoderLayer: masked self-attention, attention to the encoder's output, a feed-forward layer."""

import torch
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, in_both_modes
from course_lib.checks.instances import sharpen
from course_lib.checks.precision import told_of_float64
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
    silence_beside,
    with_and_without_batch,
)

TARGET, MEMORY = "torch.eye(2, 4)[None]", "torch.eye(3, 4)[None]"


DecoderLayer = Exercise(
    "DecoderLayer",
    points=8,
    returns=("x: batch target d_model",),
    hints=[
        "How many sublayers are there, and which norm follows which? There are three: self_attention with "
        "norm1, cross_attention with norm2, feed_forward with norm3. The two attentions are two "
        "MultiHeadAttentions, each with its own weights.",
        "What does the first sublayer do? It does what the encoder layer does: query, key and value are x, "
        "with the mask of the target.",
        "In cross-attention the queries come from x, and keys and values come from memory, with the mask of "
        "the source.",
        "`attended, _ = self.cross_attention(x, memory, memory, memory_mask)`, then "
        "`x = self.norm2(x + attended)`; the feed-forward layer comes last.",
    ],
    examples=[
        f"DecoderLayer(4, 2, 3)({TARGET}, {MEMORY})",
        f"DecoderLayer(4, 2, 3)({TARGET}, {MEMORY}, mask=torch.ones(1, 2, 2).tril().bool())",
        f"DecoderLayer(4, 2, 3)({TARGET}, {MEMORY}, memory_mask=torch.tensor([[[True, True, False]]]))",
        f"torch.autograd.grad(DecoderLayer(4, 2, 3)({TARGET}, m := {MEMORY}.requires_grad_())[0, 0, 0], m)",
    ],
    uses=SUBLAYERS,
    ready_made=("TransformerDecoderLayer",),
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


def alone(build, inputs, sublayer):
    """What the layer gives while its other sublayers give 0, in two sizes."""
    layer, other = build(6, 3, 10), build(8, 2, 5)
    sharpen(other.norm1, other.norm2, other.norm3)
    for made in (layer, other):
        ends = {
            "self_attention": made.self_attention.output,
            "cross_attention": made.cross_attention.output,
            "feed_forward": made.feed_forward.linear2,
        }
        for name in ends.keys() - {sublayer}:
            silence(ends[name])
    return {
        "x (while the other sublayers give 0): batch target d_model": layer(
            inputs.normal(2, 5, 6), inputs.normal(2, 7, 6)
        ),
        "x (of another size): batch target d_model": other(inputs.normal(3, 4, 8), inputs.normal(3, 2, 8)),
    }


@DecoderLayer.part("self-attention, added to its input and normalized", points=1)
def self_attention(build, inputs):
    return alone(build, inputs, "self_attention")


@DecoderLayer.part("cross-attention: queries from x, keys and values from memory", points=2)
def cross_attention(build, inputs):
    x, memory = inputs.normal(2, 5, 6), inputs.normal(2, 7, 6)
    narrowed = told_of_float64(build(6, 3, 10), x, memory, inputs.mask(2, 5, 5), inputs.mask(2, 1, 7))
    return alone(build, inputs, "cross_attention") | {"dtype": narrowed}


@DecoderLayer.part("feed-forward, added to its input and normalized", points=1)
def feed_forward(build, inputs):
    return alone(build, inputs, "feed_forward")


@DecoderLayer.part(
    "a word reads the target words that its mask allows",
    points=1,
    properties=(
        reads("dependence", "x", "cross_attention"),
        reads("dependence (each word may read its neighbors)", "x", "cross_attention"),
        reads("dependence (a mask of shape (target, target))", "x", "cross_attention"),
        reads("dependence (only the source has a mask)", "x", "cross_attention"),
    ),
)
def reads_the_past(build, inputs):
    layer, x, memory = build(6, 3, 10), inputs.normal(1, 5, 6), inputs.normal(1, 7, 6)
    silence_beside(layer.self_attention, layer.cross_attention.output)
    past = torch.ones(1, 5, 5, dtype=torch.bool).tril()
    batch, memories = inputs.normal(3, 5, 6), inputs.normal(3, 7, 6)
    several = inputs.normal(5, 5, 6), inputs.normal(5, 7, 6)  # as many sentences as words
    masks = past & (torch.arange(5) < torch.tensor([5, 2, 3]).view(3, 1, 1))
    return {
        "dependence: target target": sees(lambda x: layer(x, memory, mask=past), x),
        "dependence (each word may read its neighbors): target target": sees(
            lambda x: layer(x, memory, mask=neighbors(5, 5)), x
        ),
        "dependence (a mask of shape (target, target)): target target": sees(
            lambda x: layer(x, memory, mask=neighbors(5, 5)[0]), x
        ),
        "difference between masks of two and of three axes: batch target d_model": with_and_without_batch(
            lambda mask: layer(*several, mask=mask), neighbors(5, 5)
        ),
        "dependence (only the source has a mask): target target": sees(
            lambda x: layer(x, memory[:, :5], memory_mask=past), x
        ),
        "difference between a sentence in a batch and alone: target d_model": batch_and_alone(
            layer, batch, memories, mask=masks
        ),
    }


@DecoderLayer.part(
    "a word reads the source words that their mask allows",
    points=1,
    properties=(
        reads("dependence (no mask)", "memory", "self_attention"),
        reads("dependence (columns 4 to 6 are padding)", "memory", "self_attention"),
        reads("dependence (each word has a mask of its own)", "memory", "self_attention"),
        reads("dependence (a mask of shape (target, source))", "memory", "self_attention"),
        reads("dependence (only the target has a mask)", "memory", "self_attention"),
        reads("dependence (the target has another mask)", "memory", "self_attention"),
    ),
)
def reads_the_source(build, inputs):
    layer, x, memory = build(6, 3, 10), inputs.normal(1, 5, 6), inputs.normal(1, 7, 6)
    silence_beside(layer.cross_attention, layer.self_attention.output)
    real = (torch.arange(7) < 4).view(1, 1, 7)
    batch, memories = inputs.normal(3, 5, 6), inputs.normal(3, 7, 6)
    several = inputs.normal(5, 5, 6), inputs.normal(5, 7, 6)  # as many sentences as words
    masks = torch.arange(7) < torch.tensor([7, 2, 4]).view(3, 1, 1)
    return {
        "dependence (columns 4 to 6 are padding): target source": sees(
            lambda memory: layer(x, memory, memory_mask=real), memory
        ),
        "dependence (each word has a mask of its own): target source": sees(
            lambda memory: layer(x, memory, memory_mask=neighbors(5, 7)), memory
        ),
        "dependence (a mask of shape (target, source)): target source": sees(
            lambda memory: layer(x, memory, memory_mask=neighbors(5, 7)[0]), memory
        ),
        "difference between masks of two and of three axes: batch target d_model": with_and_without_batch(
            lambda mask: layer(*several, memory_mask=mask), neighbors(5, 7)
        ),
        # after calls with masks, of which an answer may keep something
        "dependence (no mask): target source": sees(lambda memory: layer(x, memory), memory),
        "dependence (only the target has a mask): target source": sees(
            lambda memory: layer(x, memory, mask=neighbors(5, 5)), memory[:, :5]
        ),
        "dependence (the target has another mask): target source": sees(
            lambda memory: layer(x, memory, mask=neighbors(5, 5), memory_mask=real[..., :5]), memory[:, :5]
        ),
        "difference between a sentence in a batch and alone: target d_model": batch_and_alone(
            layer, batch, memories, memory_mask=masks
        ),
    }


@DecoderLayer.part("gradients reach x, memory and every weight", points=1)
@in_both_modes
def gradients(build, inputs):
    layer, x, memory = build(6, 3, 10), inputs.normal(2, 5, 6), inputs.normal(2, 7, 6)
    named = leaves(layer, x=x, memory=memory)
    masked = layer(x, memory, neighbors(5, 5), neighbors(5, 7))
    return gradients_of(torch.cat([layer(x, memory), masked]), named)


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
