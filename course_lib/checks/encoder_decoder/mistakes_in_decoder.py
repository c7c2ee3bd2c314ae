"""What learners write for DecoderLayer when it goes wrong."""

import torch

from course_lib.checks.encoder_decoder.decoder import DecoderLayer, DecoderReference, Layer
from course_lib.checks.encoder_decoder.parts import MultiHeadAttention, mistaken

mistake = mistaken(DecoderLayer, Layer)


# Cross-attention


@mistake(
    "X1",
    advice="What you add to x has the source's length. The decoder asks (queries from x), the encoder "
    "answers (keys and values from memory), and the answer has the decoder's length.",
)
def source_asks(self, x, memory, mask=None, memory_mask=None):
    x = self.attend(x, mask)
    return self.transform(self.norm2(x + self.cross_attention(memory, x, x, memory_mask)[0]))


@mistake("X2", advice="The values come from x: keys and values both come from memory, `(x, memory, memory)`.")
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


@mistake(
    "C12",
    advice="You make a causal mask yourself. What a word may see is the caller's affair: pass on "
    "`mask`, as it is.",
)
def own_causal_mask(self, x, memory, mask=None, memory_mask=None):
    past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    return DecoderReference.forward(self, x, memory, past, memory_mask)


# Which attention, and in which order


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


@mistake(
    "X27",
    advice="Memory and target words are mixed into one: cross-attention reads memory alone, "
    "self-attention has read the target words.",
)
def reads_both(self, x, memory, mask=None, memory_mask=None):
    x = self.attend(x, mask)
    both = torch.cat([memory, x], dim=1)
    return self.transform(self.norm2(x + self.cross_attention(x, both, both)[0]))


@mistake(
    "X29",
    advice="`memory.detach()` cuts the only way by which the encoder can learn: use memory as it comes.",
)
def detached(self, x, memory, mask=None, memory_mask=None):
    return DecoderReference.forward(self, x, memory.detach(), mask, memory_mask)


@DecoderLayer.mistake(
    "X1", advice="`forward` takes x first, then memory: x is the target's, memory the source's."
)
class MemoryFirst(DecoderReference):
    def forward(self, memory, x, mask=None, memory_mask=None):
        return super().forward(x, memory, mask, memory_mask)
