"""What learners write for EncoderLayer when it goes wrong."""

import torch
from torch import nn

from course_lib.checks.encoder_decoder.encoder import EncoderLayer, EncoderReference, Layer
from course_lib.checks.encoder_decoder.parts import FeedForward, LayerNorm, MultiHeadAttention, mistaken

mistake = mistaken(EncoderLayer, Layer)


@mistake(
    "R1", advice="Nothing is carried past the sublayers: add each one's input, `x + ...`, before the norm."
)
def no_residual(self, x, mask=None):
    return self.norm2(self.feed_forward(self.norm1(self.attend(x, mask))))


@mistake("R1", advice="The feed-forward layer lacks its residual: add its input before the second norm.")
def no_second_residual(self, x, mask=None):
    x = self.norm1(x + self.attend(x, mask))
    return self.norm2(self.feed_forward(x))


@mistake(
    "R2",
    advice="You normalize first and take the residual from the normalized input. Here x itself is added, and "
    "the norm comes after the sum: norm(x + sublayer(x)).",
)
def residual_of_normalized(self, x, mask=None):
    x = self.norm1(x)
    x = self.norm2(x + self.attend(x, mask))
    return x + self.feed_forward(x)


@mistake(
    "R3",
    advice="x + sublayer(norm(x)) is the pre-norm layer of lesson 05. The paper's, which is asked for, is "
    "post-norm: norm(x + sublayer(x)).",
)
def pre_norm(self, x, mask=None):
    x = x + self.attend(self.norm1(x), mask)
    return x + self.feed_forward(self.norm2(x))


@mistake("R5", advice="You normalize the sublayer's result and then add: add first, then normalize the sum.")
def norm_of_branch(self, x, mask=None):
    x = x + self.norm1(self.attend(x, mask))
    return x + self.norm2(self.feed_forward(x))


@mistake(
    "R6", advice="One copy of x too many: norm(x + sublayer(x)) is all; nothing is added after the norm."
)
def added_twice(self, x, mask=None):
    x = x + self.norm1(x + self.attend(x, mask))
    return x + self.norm2(x + self.feed_forward(x))


@mistake(
    "R7",
    advice="The second residual starts from the layer's input. Each residual starts from its own sublayer's "
    "input: for the feed-forward layer that is the normalized result of the attention.",
)
def residual_from_the_start(self, x, mask=None):
    attended = self.norm1(x + self.attend(x, mask))
    return self.norm2(x + self.feed_forward(attended))


@mistake(
    "R7",
    advice="One residual for both sublayers, and one norm: each sublayer has its own residual and its own "
    "norm.",
)
def one_residual_for_both(self, x, mask=None):
    return self.norm2(x + self.feed_forward(self.norm1(self.attend(x, mask))))


@mistake("R9", advice="norm2 is never used: each sublayer has a norm of its own.")
def same_norm_twice(self, x, mask=None):
    x = self.norm1(x + self.attend(x, mask))
    return self.norm1(x + self.feed_forward(x))


@mistake("R12", advice="The second sublayer's sum is not normalized: `self.norm2(x + ...)` comes last.")
def no_last_norm(self, x, mask=None):
    x = self.norm1(x + self.attend(x, mask))
    return x + self.feed_forward(x)


@mistake(
    "R10",
    "A20",
    advice="`x += ...` changes the tensor that the caller still holds: write `x = x + ...`, which makes a "
    "new one.",
)
def in_place(self, x, mask=None):
    x += self.attend(x, mask)
    x = self.norm1(x)
    return self.norm2(x + self.feed_forward(x))


@mistake("X11", advice="Attention comes first, the feed-forward layer second.")
def feed_forward_first(self, x, mask=None):
    x = self.norm1(x + self.feed_forward(x))
    return self.norm2(x + self.attend(x, mask))


@mistake(
    "X12",
    advice="MultiHeadAttention returns two things, output and weights: `attended, _ = "
    "self.self_attention(...)`.",
)
def adds_the_tuple(self, x, mask=None):
    x = self.norm1(x + self.self_attention(x, x, x, mask))
    return self.norm2(x + self.feed_forward(x))


@mistake("X13", advice="The feed-forward layer is missing: it is the second sublayer.")
def no_feed_forward(self, x, mask=None):
    return self.norm2(self.norm1(x + self.attend(x, mask)))


@mistake(
    "F2",
    "F3",
    advice="No activation after the feed-forward layer: its ReLU sits inside, between its matrices.",
)
def activation_at_the_end(self, x, mask=None):
    x = self.norm1(x + self.attend(x, mask))
    return self.norm2(x + torch.relu(self.feed_forward(x)))


@mistake(
    "F9",
    advice="A ReLU after the attention: the Transformer has one only inside the feed-forward layer.",
)
def activation_after_attention(self, x, mask=None):
    x = self.norm1(x + torch.relu(self.attend(x, mask)))
    return self.norm2(x + self.feed_forward(x))


@mistake(
    "P9", advice="The mask never reaches the attention, so padding is read: pass it as the fourth argument."
)
def mask_forgotten(self, x, mask=None):
    return EncoderReference.forward(self, x)


@mistake(
    "M1",
    advice="The mask is True where a query may look already: pass it as it is. (nn.MultiheadAttention has it "
    "the other way round, ours has not.)",
)
def mask_inverted(self, x, mask=None):
    return EncoderReference.forward(self, x, mask if mask is None else ~mask)


@mistake(
    "C8",
    advice="A causal mask in the encoder: the source is known as a whole, so each word may read both ways. "
    "Only padding is hidden here.",
)
def causal(self, x, mask=None):
    past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    return EncoderReference.forward(self, x, past if mask is None else past & mask)


@mistake(
    "R10",
    advice="x is overwritten before it is added, so the attention's result is added to itself: give the "
    "result another name, `attended, _ = ...`.",
)
def input_overwritten(self, x, mask=None):
    x = self.attend(x, mask)
    x = self.norm1(x + x)
    return self.norm2(x + self.feed_forward(x))


@mistake(
    "R13",
    advice="The norms changed places: norm1 stands after the attention, norm2 after the feed-forward layer.",
)
def norms_swapped(self, x, mask=None):
    x = self.norm2(x + self.attend(x, mask))
    return self.norm1(x + self.feed_forward(x))


@mistake(
    "R6",
    advice="norm(x) + sublayer(x) normalizes x alone: the norm goes around the sum, norm(x + sublayer(x)).",
)
def norm_of_input(self, x, mask=None):
    x = self.norm1(x) + self.attend(x, mask)
    return self.norm2(x) + self.feed_forward(x)


@mistake(
    "X15",
    advice="The feed-forward layer reads what the attention gave, without its residual and its norm: it "
    "starts from the normalized sum.",
)
def transforms_the_branch(self, x, mask=None):
    attended = self.attend(x, mask)
    x = self.norm1(x + attended)
    return self.norm2(x + self.feed_forward(attended))


@mistake(
    "X12",
    advice="You add the attention's weights: its output comes first, `attended, _ = "
    "self.self_attention(...)`.",
)
def adds_the_weights(self, x, mask=None):
    x = self.norm1(x + self.self_attention(x, x, x, mask)[1])
    return self.norm2(x + self.feed_forward(x))


@mistake(
    "X26",
    advice="MultiHeadAttention takes query, key, value and then the mask: x three times, `(x, x, x, mask)`.",
)
def mask_as_value(self, x, mask=None):
    x = self.norm1(x + self.self_attention(x, x, mask)[0])
    return self.norm2(x + self.feed_forward(x))


@EncoderLayer.mistake(
    "R9", advice="One norm for both sublayers: make two, norm1 and norm2, for each has weights of its own."
)
class SingleNorm(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm = LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = self.norm(x + self.self_attention(x, x, x, mask)[0])
        return self.norm(x + self.feed_forward(x))


@EncoderLayer.mistake("H16", advice="MultiHeadAttention takes d_model first, then the number of heads.")
class HeadsFirst(EncoderReference):
    def __init__(self, d_model, heads, d_ff):
        super().__init__(d_model, heads, d_ff)
        self.self_attention = MultiHeadAttention(heads, d_model)
