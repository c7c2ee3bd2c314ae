"""What learners write for DecoderLayer when it goes wrong."""

import torch

from course_lib.checks.encoder_decoder.decoder import DecoderLayer, DecoderReference, Layer
from course_lib.checks.encoder_decoder.parts import MultiHeadAttention


def mistake(*ids, advice):
    """Declare a wrong decoder layer by its `forward` alone."""

    def add(forward):
        members = {"forward": forward, "__module__": __name__}
        DecoderLayer.mistake(*ids, advice=advice)(type(forward.__name__, (Layer,), members))
        return forward

    return add


# Cross-attention


@mistake(
    "X1",
    advice="You let the source ask, so its length comes out. The decoder asks (queries from x), the encoder "
    "answers (keys and values from memory).",
)
def source_asks(self, x, memory, mask=None, memory_mask=None):
    x = self.attend(x, mask)
    return self.transform(self.norm2(x + self.cross_attention(memory, x, x, memory_mask)[0]))


@mistake("X2", advice="The values come from x: keys and values both come from memory.")
def values_of_target(self, x, memory, mask=None, memory_mask=None):
    x = self.attend(x, mask)
    return self.transform(self.norm2(x + self.cross_attention(x, memory, x, memory_mask)[0]))


@mistake("X2", advice="The keys come from x: keys and values both come from memory.")
def keys_of_target(self, x, memory, mask=None, memory_mask=None):
    x = self.attend(x, mask)
    return self.transform(self.norm2(x + self.cross_attention(x, x, memory, memory_mask)[0]))


@mistake(
    "X3",
    advice="cross_attention reads x again, so the source is never read: its keys and values come from "
    "memory.",
)
def self_attention_twice(self, x, memory, mask=None, memory_mask=None):
    x = self.attend(x, mask)
    return self.transform(self.norm2(x + self.cross_attention(x, x, x, mask)[0]))


@mistake("X3", advice="There is no cross-attention: the decoder never reads the source.")
def without_cross_attention(self, x, memory, mask=None, memory_mask=None):
    return self.transform(self.attend(x, mask))


@mistake(
    "X14",
    advice="The order is: self-attention, cross-attention, feed-forward. You attend to the source first.",
)
def cross_attention_first(self, x, memory, mask=None, memory_mask=None):
    x = self.norm1(x + self.cross_attention(x, memory, memory, memory_mask)[0])
    return self.transform(self.norm2(x + self.self_attention(x, x, x, mask)[0]))


@mistake("X14", advice="The order is: self-attention, cross-attention, feed-forward. The last comes last.")
def feed_forward_between(self, x, memory, mask=None, memory_mask=None):
    x = self.attend(x, mask)
    x = self.norm2(x + self.feed_forward(x))
    return self.norm3(x + self.cross_attention(x, memory, memory, memory_mask)[0])


@mistake(
    "X15",
    advice="Both attentions read from the layer's input. Cross-attention starts from what self-attention "
    "gave.",
)
def side_by_side(self, x, memory, mask=None, memory_mask=None):
    h = self.attend(x, mask)
    return self.transform(self.norm2(h + self.cross_attention(x, memory, memory, memory_mask)[0]))


@mistake(
    "X12",
    advice="MultiHeadAttention returns two things, output and weights: `attended, _ = "
    "self.cross_attention(...)`.",
)
def adds_the_tuple(self, x, memory, mask=None, memory_mask=None):
    x = self.norm1(x + self.self_attention(x, x, x, mask))
    x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask))
    return self.transform(x)


@mistake("X13", advice="The feed-forward layer is missing: it is the third sublayer.")
def no_feed_forward(self, x, memory, mask=None, memory_mask=None):
    return self.norm3(self.cross(self.attend(x, mask), memory, memory_mask))


# Masks


@mistake(
    "C7",
    advice="`mask` never reaches the self-attention: the decoder would read the answer that it is to "
    "predict.",
)
def target_mask_forgotten(self, x, memory, mask=None, memory_mask=None):
    return DecoderReference.forward(self, x, memory, None, memory_mask)


@mistake(
    "P7",
    advice="`memory_mask` never reaches the cross-attention: the decoder would read the source's padding.",
)
def source_mask_forgotten(self, x, memory, mask=None, memory_mask=None):
    return DecoderReference.forward(self, x, memory, mask, None)


@mistake(
    "P7", "C7", advice="Neither mask is used: pass `mask` to the self-, `memory_mask` to the cross-attention."
)
def no_masks(self, x, memory, mask=None, memory_mask=None):
    return DecoderReference.forward(self, x, memory)


@mistake(
    "P8",
    advice="Cross-attention got the target's mask. Its keys are source words: it takes `memory_mask`.",
)
def target_mask_in_cross_attention(self, x, memory, mask=None, memory_mask=None):
    return DecoderReference.forward(self, x, memory, mask, mask)


@mistake(
    "P8", advice="The masks are swapped: `mask` is for self-attention, `memory_mask` for cross-attention."
)
def masks_swapped(self, x, memory, mask=None, memory_mask=None):
    return DecoderReference.forward(self, x, memory, memory_mask, mask)


@mistake(
    "C11",
    advice="A causal mask in cross-attention: the source is known as a whole, and each target word may read "
    "all "
    "of it. Only its padding is hidden.",
)
def causal_cross_attention(self, x, memory, mask=None, memory_mask=None):
    past = torch.ones(x.shape[1], memory.shape[1], dtype=torch.bool).tril()
    return DecoderReference.forward(
        self, x, memory, mask, past if memory_mask is None else past & memory_mask
    )


@mistake("M1", advice="The masks are True where a query may look already: pass them as they are.")
def masks_inverted(self, x, memory, mask=None, memory_mask=None):
    flipped = [m if m is None else ~m for m in (mask, memory_mask)]
    return DecoderReference.forward(self, x, memory, *flipped)


# Residuals and norms


@mistake(
    "R1", advice="Nothing is carried past the sublayers: add each one's input, `x + ...`, before the norm."
)
def no_residual(self, x, memory, mask=None, memory_mask=None):
    x = self.norm1(self.self_attention(x, x, x, mask)[0])
    x = self.norm2(self.cross_attention(x, memory, memory, memory_mask)[0])
    return self.norm3(self.feed_forward(x))


@mistake("R1", advice="The cross-attention lacks its residual: add its input x before the second norm.")
def no_second_residual(self, x, memory, mask=None, memory_mask=None):
    x = self.attend(x, mask)
    return self.transform(self.norm2(self.cross_attention(x, memory, memory, memory_mask)[0]))


@mistake(
    "R3",
    advice="x + sublayer(norm(x)) is the pre-norm layer of lesson 05. The paper's, which is asked for, is "
    "post-norm: norm(x + sublayer(x)).",
)
def pre_norm(self, x, memory, mask=None, memory_mask=None):
    h = self.norm1(x)
    x = x + self.self_attention(h, h, h, mask)[0]
    x = x + self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
    return x + self.feed_forward(self.norm3(x))


@mistake("R5", advice="You normalize the sublayer's result and then add: add first, then normalize the sum.")
def norm_of_branch(self, x, memory, mask=None, memory_mask=None):
    x = x + self.norm1(self.self_attention(x, x, x, mask)[0])
    x = x + self.norm2(self.cross_attention(x, memory, memory, memory_mask)[0])
    return x + self.norm3(self.feed_forward(x))


@mistake("R11", advice="Memory is what cross-attention reads; what is added is its query, x: `x + attended`.")
def memory_normalized(self, x, memory, mask=None, memory_mask=None):
    x, memory = self.attend(x, mask), self.norm2(memory)
    return self.transform(x + self.cross_attention(x, memory, memory, memory_mask)[0])


@mistake("R9", advice="norm3 is never used: each of the three sublayers has a norm of its own.")
def second_norm_again(self, x, memory, mask=None, memory_mask=None):
    x = self.cross(self.attend(x, mask), memory, memory_mask)
    return self.norm2(x + self.feed_forward(x))


@mistake("R9", advice="norm2 and norm3 are never used: each of the three sublayers has a norm of its own.")
def first_norm_always(self, x, memory, mask=None, memory_mask=None):
    x = self.attend(x, mask)
    x = self.norm1(x + self.cross_attention(x, memory, memory, memory_mask)[0])
    return self.norm1(x + self.feed_forward(x))


@mistake("R12", advice="The last sublayer's sum is not normalized: `self.norm3(x + ...)` comes last.")
def no_last_norm(self, x, memory, mask=None, memory_mask=None):
    x = self.cross(self.attend(x, mask), memory, memory_mask)
    return x + self.feed_forward(x)


@mistake(
    "R10",
    "A20",
    advice="`x += ...` changes the tensor that the caller still holds: write `x = x + ...`, which makes a "
    "new one.",
)
def in_place(self, x, memory, mask=None, memory_mask=None):
    x += self.self_attention(x, x, x, mask)[0]
    return self.transform(self.cross(self.norm1(x), memory, memory_mask))


@mistake("X16", advice="You call self_attention for both: the second attention is cross_attention.")
def same_attention_called_twice(self, x, memory, mask=None, memory_mask=None):
    x = self.attend(x, mask)
    return self.transform(self.norm2(x + self.self_attention(x, memory, memory, memory_mask)[0]))


@DecoderLayer.mistake(
    "X16", advice="One attention under two names shares its weights: make two MultiHeadAttentions."
)
class OneAttention(DecoderReference):
    def __init__(self, d_model, heads, d_ff):
        super().__init__(d_model, heads, d_ff)
        self.self_attention = self.cross_attention = MultiHeadAttention(d_model, heads)
