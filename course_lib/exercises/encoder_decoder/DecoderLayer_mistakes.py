"""Wrong answers to DecoderLayer: name, advice, code."""

import torch
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.encoder_decoder.DecoderLayer import DecoderReference, Layer
from course_lib.exercises.encoder_decoder.parts import LayerNorm, MultiHeadAttention, of_forward

mistake = Mistakes()
wrong_forward = of_forward(mistake, Layer)


# Cross-attention


@mistake(mentions=r"feed_forward\(memory\)")
class FeedForwardOfMemory(Layer):
    """Your feed-forward layer reads memory, which has the length of the source. Give it x, the result of the
    second sublayer.
    """

    def forward(self, x, memory, mask=None, memory_mask=None):
        x = self.cross(self.attend(x, mask), memory, memory_mask)
        return self.norm3(x + self.feed_forward(memory))


@mistake(mentions=r"memory \+ |\+ memory\b")
class ResidualOfMemory(Layer):
    """You add memory, which has the length of the source. A residual adds the sublayer's own input, and the
    queries of the cross-attention come from x: `x + attended`.
    """

    def forward(self, x, memory, mask=None, memory_mask=None):
        x = self.attend(x, mask)
        attended, _ = self.cross_attention(x, memory, memory, memory_mask)
        return self.transform(self.norm2(memory + attended))


@wrong_forward("X1")
def source_asks(self, x, memory, mask=None, memory_mask=None):
    """What you add to x has the length of the source. In cross-attention the queries come from x, keys and
    values from memory; then the result has the length of x.
    """
    x = self.attend(x, mask)
    return self.transform(self.norm2(x + self.cross_attention(memory, x, x, memory_mask)[0]))


@wrong_forward("X2")
def values_of_target(self, x, memory, mask=None, memory_mask=None):
    """Your values come from x. Keys and values both come from memory: `(x, memory, memory)`."""
    x = self.attend(x, mask)
    return self.transform(self.norm2(x + self.cross_attention(x, memory, x, memory_mask)[0]))


@wrong_forward("X2")
def keys_of_target(self, x, memory, mask=None, memory_mask=None):
    """Your keys come from x. Keys and values both come from memory."""
    x = self.attend(x, mask)
    return self.transform(self.norm2(x + self.cross_attention(x, x, memory, memory_mask)[0]))


@wrong_forward("X3")
def self_attention_twice(self, x, memory, mask=None, memory_mask=None):
    """Your cross_attention reads x again, so the layer never reads the source. Its keys and values come from
    memory.
    """
    x = self.attend(x, mask)
    return self.transform(self.norm2(x + self.cross_attention(x, x, x, mask)[0]))


@wrong_forward
def without_cross_attention(self, x, memory, mask=None, memory_mask=None):
    """There is no cross-attention, or you do not use its result, so the layer never reads the source."""
    return self.transform(self.attend(x, mask))


@wrong_forward
def cross_attention_first(self, x, memory, mask=None, memory_mask=None):
    """You attend to the source first. The order is self-attention, cross-attention, feed-forward."""
    x = self.norm1(x + self.cross_attention(x, memory, memory, memory_mask)[0])
    return self.transform(self.norm2(x + self.self_attention(x, x, x, mask)[0]))


@wrong_forward
def cross_attention_first_with_its_norm(self, x, memory, mask=None, memory_mask=None):
    """You attend to the source first. The order is self-attention, cross-attention, feed-forward."""
    x = self.cross(x, memory, memory_mask)
    return self.transform(self.attend(x, mask))


@wrong_forward
def cross_result_unused(self, x, memory, mask=None, memory_mask=None):
    """You do not use the result of the cross-attention. Your second sum adds the result of the self-attention
    again.
    """
    attended, _ = self.self_attention(x, x, x, mask)
    x = self.norm1(x + attended)
    return self.transform(self.norm2(x + attended))


@mistake(mentions=r"self\.training")
class DependsOnTheMode(Layer):
    """Nothing in this layer depends on the mode. Both attentions run and both masks apply, in training and in
    translation. Remove `self.training`.
    """

    def forward(self, x, memory, mask=None, memory_mask=None):
        if self.training:
            x = self.norm1(x + self.self_attention(x, x, x, mask)[0])
        else:
            x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x))


@wrong_forward
def feed_forward_between(self, x, memory, mask=None, memory_mask=None):
    """Your feed-forward layer comes too early. The order is self-attention, cross-attention, feed-forward."""
    x = self.attend(x, mask)
    x = self.norm2(x + self.feed_forward(x))
    return self.norm3(x + self.cross_attention(x, memory, memory, memory_mask)[0])


@wrong_forward
def side_by_side(self, x, memory, mask=None, memory_mask=None):
    """Both attentions read the layer's input. The cross-attention starts from the result of the first
    sublayer.
    """
    h = self.attend(x, mask)
    return self.transform(self.norm2(h + self.cross_attention(x, memory, memory, memory_mask)[0]))


@wrong_forward
def adds_the_tuple(self, x, memory, mask=None, memory_mask=None):
    """MultiHeadAttention returns two things, output and weights. Write `attended, _ = ...` for both
    attentions.
    """
    x = self.norm1(x + self.self_attention(x, x, x, mask))
    x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask))
    return self.transform(x)


@wrong_forward
def no_feed_forward(self, x, memory, mask=None, memory_mask=None):
    """The feed-forward layer is missing. It is the third sublayer."""
    return self.norm3(self.cross(self.attend(x, mask), memory, memory_mask))


# Masks


@wrong_forward("C7")
def target_mask_forgotten(self, x, memory, mask=None, memory_mask=None):
    """`mask` never reaches the self-attention, so the decoder would read the words that it has to predict."""
    return DecoderReference.forward(self, x, memory, None, memory_mask)


@wrong_forward("P7")
def source_mask_forgotten(self, x, memory, mask=None, memory_mask=None):
    """`memory_mask` never reaches the cross-attention, so the decoder would read the padding of the
    source.
    """
    return DecoderReference.forward(self, x, memory, mask, None)


@wrong_forward("P7", "C7")
def no_masks(self, x, memory, mask=None, memory_mask=None):
    """You use neither mask. Pass `mask` to the self-attention and `memory_mask` to the cross-attention."""
    return DecoderReference.forward(self, x, memory)


@wrong_forward("P8")
def target_mask_in_cross_attention(self, x, memory, mask=None, memory_mask=None):
    """Your cross-attention got the target's mask. Its keys are source words, so it takes `memory_mask`."""
    return DecoderReference.forward(self, x, memory, mask, mask)


@wrong_forward
def masks_swapped(self, x, memory, mask=None, memory_mask=None):
    """The masks are swapped. `mask` is for self-attention, `memory_mask` for cross-attention."""
    return DecoderReference.forward(self, x, memory, memory_mask, mask)


@wrong_forward
def causal_cross_attention(self, x, memory, mask=None, memory_mask=None):
    """You use a causal mask in cross-attention. The source is known as a whole, and each target word may read
    all of it. Only its padding is hidden.
    """
    past = torch.ones(x.shape[1], memory.shape[1], dtype=torch.bool).tril()
    return DecoderReference.forward(
        self, x, memory, mask, past if memory_mask is None else past & memory_mask
    )


@mistake(mentions=r"mask & (memory_)?mask")
class MasksCombined(Layer):
    """You combine the two masks, and each may be None. `mask` is about target words and goes to the
    self-attention; `memory_mask` is about source words and goes to the cross-attention.
    """

    def forward(self, x, memory, mask=None, memory_mask=None):
        x = self.attend(x, mask)
        attended, _ = self.cross_attention(x, memory, memory, mask & memory_mask)
        return self.transform(self.norm2(x + attended))


@wrong_forward("M1")
def masks_inverted(self, x, memory, mask=None, memory_mask=None):
    """You invert the masks, but True already means that a query may look. Pass them unchanged."""
    flipped = [m if m is None else ~m for m in (mask, memory_mask)]
    return DecoderReference.forward(self, x, memory, *flipped)


@wrong_forward
def own_causal_mask(self, x, memory, mask=None, memory_mask=None):
    """You make a causal mask yourself. The caller decides what a word may see, so pass on `mask`
    unchanged.
    """
    past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    return DecoderReference.forward(self, x, memory, past, memory_mask)


# Which attention, and in which order


@wrong_forward("X16")
def same_attention_called_twice(self, x, memory, mask=None, memory_mask=None):
    """You call self_attention twice. The second attention is cross_attention."""
    x = self.attend(x, mask)
    return self.transform(self.norm2(x + self.self_attention(x, memory, memory, memory_mask)[0]))


@mistake
class OneAttention(DecoderReference):
    """Your two attentions are one attention under two names, so they share their weights. Make two
    MultiHeadAttentions.
    """

    def __init__(self, d_model, heads, d_ff):
        super().__init__(d_model, heads, d_ff)
        self.self_attention = self.cross_attention = MultiHeadAttention(d_model, heads)


@wrong_forward
def reads_both(self, x, memory, mask=None, memory_mask=None):
    """You mix memory and target words. Cross-attention reads only memory; self-attention has read the target
    words.
    """
    x = self.attend(x, mask)
    both = torch.cat([memory, x], dim=1)
    return self.transform(self.norm2(x + self.cross_attention(x, both, both)[0]))


@mistake(mentions=r"memory\w*\.detach")
class Detached(Layer):
    """`memory.detach()` cuts the only path by which the encoder can learn. Use memory unchanged."""

    def forward(self, x, memory, mask=None, memory_mask=None):
        return DecoderReference.forward(self, x, memory.detach(), mask, memory_mask)


@mistake
class MemoryFirst(DecoderReference):
    """`forward` takes x first, then memory: x belongs to the target, memory to the source."""

    def forward(self, memory, x, mask=None, memory_mask=None):
        return super().forward(x, memory, mask, memory_mask)


# Residuals and norms


@wrong_forward("R1")
def no_residual(self, x, memory, mask=None, memory_mask=None):
    """You do not add x, so nothing passes the sublayers unchanged. Add each sublayer's input, `x + ...`,
    before the norm.
    """
    x = self.norm1(self.self_attention(x, x, x, mask)[0])
    x = self.norm2(self.cross_attention(x, memory, memory, memory_mask)[0])
    return self.norm3(self.feed_forward(x))


@wrong_forward("R1")
def no_second_residual(self, x, memory, mask=None, memory_mask=None):
    """The cross-attention has no residual. Add its input x before the second norm."""
    x = self.attend(x, mask)
    return self.transform(self.norm2(self.cross_attention(x, memory, memory, memory_mask)[0]))


@wrong_forward("R3")
def pre_norm(self, x, memory, mask=None, memory_mask=None):
    """x + sublayer(norm(x)) is the pre-norm layer of lesson 05. This exercise asks for the paper's post-norm
    layer: norm(x + sublayer(x)).
    """
    h = self.norm1(x)
    x = x + self.self_attention(h, h, h, mask)[0]
    x = x + self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
    return x + self.feed_forward(self.norm3(x))


@wrong_forward("R5")
def norm_of_branch(self, x, memory, mask=None, memory_mask=None):
    """You normalize the sublayer's result and then add. Add first, then normalize the sum."""
    x = x + self.norm1(self.self_attention(x, x, x, mask)[0])
    x = x + self.norm2(self.cross_attention(x, memory, memory, memory_mask)[0])
    return x + self.norm3(self.feed_forward(x))


@wrong_forward
def memory_normalized(self, x, memory, mask=None, memory_mask=None):
    """You normalize memory with norm2. norm2 belongs around the sum, `self.norm2(x + attended)`; use memory
    unchanged.
    """
    x, memory = self.attend(x, mask), self.norm2(memory)
    return self.transform(x + self.cross_attention(x, memory, memory, memory_mask)[0])


@wrong_forward("R9")
def second_norm_again(self, x, memory, mask=None, memory_mask=None):
    """You never use norm3. Each of the three sublayers has its own norm."""
    x = self.cross(self.attend(x, mask), memory, memory_mask)
    return self.norm2(x + self.feed_forward(x))


@wrong_forward("R9")
def first_norm_always(self, x, memory, mask=None, memory_mask=None):
    """You never use norm2 and norm3. Each of the three sublayers has its own norm."""
    x = self.attend(x, mask)
    x = self.norm1(x + self.cross_attention(x, memory, memory, memory_mask)[0])
    return self.norm1(x + self.feed_forward(x))


@mistake("R9")
class OneNormThreeNames(DecoderReference):
    """norm1, norm2 and norm3 are one LayerNorm under three names, so they share their weights. Make three
    LayerNorms.
    """

    def __init__(self, d_model, heads, d_ff):
        super().__init__(d_model, heads, d_ff)
        self.norm1 = self.norm2 = self.norm3 = LayerNorm(d_model)


@wrong_forward
def no_last_norm(self, x, memory, mask=None, memory_mask=None):
    """You do not normalize the sum of the last sublayer. The layer ends with `self.norm3(x + ...)`."""
    x = self.cross(self.attend(x, mask), memory, memory_mask)
    return x + self.feed_forward(x)


@mistake("A20", mentions=r"\+= ")
class InPlace(Layer):
    """`x += ...` changes the tensor that the caller still holds. Write `x = x + ...`, which makes a new
    tensor.
    """

    def forward(self, x, memory, mask=None, memory_mask=None):
        x += self.self_attention(x, x, x, mask)[0]
        return self.transform(self.cross(self.norm1(x), memory, memory_mask))


@wrong_forward("R1")
def no_first_residual(self, x, memory, mask=None, memory_mask=None):
    """The self-attention has no residual. Add its input x before the first norm."""
    x = self.norm1(self.self_attention(x, x, x, mask)[0])
    return self.transform(self.cross(x, memory, memory_mask))


@wrong_forward("R1")
def no_third_residual(self, x, memory, mask=None, memory_mask=None):
    """The feed-forward layer has no residual. Add its input before the third norm."""
    x = self.cross(self.attend(x, mask), memory, memory_mask)
    return self.norm3(self.feed_forward(x))


@wrong_forward
def residuals_from_the_start(self, x, memory, mask=None, memory_mask=None):
    """Your residuals all add the layer's input x, so the results of earlier sublayers are lost. Each residual
    adds the input of its own sublayer.
    """
    first = self.attend(x, mask)
    second = self.norm2(x + self.cross_attention(first, memory, memory, memory_mask)[0])
    return self.norm3(x + self.feed_forward(second))


@wrong_forward
def norms_swapped(self, x, memory, mask=None, memory_mask=None):
    """norm2 and norm3 are swapped. norm2 comes after the cross-attention, norm3 after the
    feed-forward layer.
    """
    x = self.attend(x, mask)
    x = self.norm3(x + self.cross_attention(x, memory, memory, memory_mask)[0])
    return self.norm2(x + self.feed_forward(x))


@mistake(mentions=r"nn\.MultiheadAttention")
class PytorchsAttention(DecoderReference):
    """`nn.MultiheadAttention` is PyTorch's layer. Its weights have other names, and True in its mask means
    the opposite. Use MultiHeadAttention of lesson 03, with a capital H and without `nn.`.
    """

    def __init__(self, d_model, heads, d_ff):
        super().__init__(d_model, heads, d_ff)
        self.self_attention = nn.MultiheadAttention(d_model, heads, batch_first=True)
        self.cross_attention = nn.MultiheadAttention(d_model, heads, batch_first=True)
