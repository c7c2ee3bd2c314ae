"""Wrong answers to EncoderLayer: name, advice, code."""

import torch
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.encoder_decoder.EncoderLayer import EncoderReference, Layer
from course_lib.exercises.encoder_decoder.parts import FeedForward, LayerNorm, MultiHeadAttention, of_forward

mistake = Mistakes()
wrong_forward = of_forward(mistake, Layer)


@wrong_forward("R1")
def no_residual(self, x, mask=None):
    """Nothing is carried past the sublayers: add each one's input, `x + ...`, before the norm."""
    return self.norm2(self.feed_forward(self.norm1(self.attend(x, mask))))


@wrong_forward("R1")
def no_second_residual(self, x, mask=None):
    """The feed-forward layer lacks its residual: add its input before the second norm."""
    x = self.norm1(x + self.attend(x, mask))
    return self.norm2(self.feed_forward(x))


@wrong_forward("R2")
def residual_of_normalized(self, x, mask=None):
    """You normalize first and take the residual from the normalized input. Here x itself is added, and the
    norm comes after the sum: norm(x + sublayer(x)).
    """
    x = self.norm1(x)
    x = self.norm2(x + self.attend(x, mask))
    return x + self.feed_forward(x)


@wrong_forward("R3")
def pre_norm(self, x, mask=None):
    """x + sublayer(norm(x)) is the pre-norm layer of lesson 05. The paper's, which is asked for, is
    post-norm: norm(x + sublayer(x)).
    """
    x = x + self.attend(self.norm1(x), mask)
    return x + self.feed_forward(self.norm2(x))


@wrong_forward("R5")
def norm_of_branch(self, x, mask=None):
    """You normalize the sublayer's result and then add: add first, then normalize the sum."""
    x = x + self.norm1(self.attend(x, mask))
    return x + self.norm2(self.feed_forward(x))


@wrong_forward("R6")
def added_twice(self, x, mask=None):
    """One copy of x too many: norm(x + sublayer(x)) is all; nothing is added after the norm."""
    x = x + self.norm1(x + self.attend(x, mask))
    return x + self.norm2(x + self.feed_forward(x))


@wrong_forward
def residual_from_the_start(self, x, mask=None):
    """The second residual starts from the layer's input. Each residual starts from its own sublayer's input:
    for the feed-forward layer that is the normalized result of the attention.
    """
    attended = self.norm1(x + self.attend(x, mask))
    return self.norm2(x + self.feed_forward(attended))


@wrong_forward
def one_residual_for_both(self, x, mask=None):
    """One residual for both sublayers, and one norm: each sublayer has its own residual and its own norm."""
    return self.norm2(x + self.feed_forward(self.norm1(self.attend(x, mask))))


@wrong_forward("R9")
def same_norm_twice(self, x, mask=None):
    """norm2 is never used: each sublayer has a norm of its own."""
    x = self.norm1(x + self.attend(x, mask))
    return self.norm1(x + self.feed_forward(x))


@wrong_forward("R9")
def second_norm_twice(self, x, mask=None):
    """norm1 is never used: each sublayer has a norm of its own, norm1 after the attention."""
    x = self.norm2(x + self.attend(x, mask))
    return self.norm2(x + self.feed_forward(x))


@mistake("R9")
class OneNormTwoNames(EncoderReference):
    """norm1 and norm2 are one LayerNorm under two names, so they share their weights: make two LayerNorms."""

    def __init__(self, d_model, heads, d_ff):
        super().__init__(d_model, heads, d_ff)
        self.norm1 = self.norm2 = LayerNorm(d_model)


@wrong_forward
def no_last_norm(self, x, mask=None):
    """The second sublayer's sum is not normalized: `self.norm2(x + ...)` comes last."""
    x = self.norm1(x + self.attend(x, mask))
    return x + self.feed_forward(x)


@mistake("A20", mentions=r"\+= ")
class InPlace(Layer):
    """`x += ...` changes the tensor that the caller still holds: write `x = x + ...`, which makes
    a new one.
    """

    def forward(self, x, mask=None):
        x += self.attend(x, mask)
        x = self.norm1(x)
        return self.norm2(x + self.feed_forward(x))


@wrong_forward
def feed_forward_first(self, x, mask=None):
    """Attention comes first, the feed-forward layer second."""
    x = self.norm1(x + self.feed_forward(x))
    return self.norm2(x + self.attend(x, mask))


@mistake(mentions="self_attention")
class AddsTheTuple(Layer):
    """MultiHeadAttention returns two things, output and weights: `attended, _ = self.self_attention(...)`."""

    def forward(self, x, mask=None):
        x = self.norm1(x + self.self_attention(x, x, x, mask))
        return self.norm2(x + self.feed_forward(x))


@wrong_forward
def no_feed_forward(self, x, mask=None):
    """The feed-forward layer is missing, or its result is used nowhere: it is the second sublayer, and what
    it gives is added before the second norm.
    """
    return self.norm2(self.norm1(x + self.attend(x, mask)))


@wrong_forward("F3")
def activation_at_the_end(self, x, mask=None):
    """No activation after the feed-forward layer: its ReLU sits inside, between its matrices."""
    x = self.norm1(x + self.attend(x, mask))
    return self.norm2(x + torch.relu(self.feed_forward(x)))


@wrong_forward
def activation_after_attention(self, x, mask=None):
    """A ReLU after the attention: the Transformer has one only inside the feed-forward layer."""
    x = self.norm1(x + torch.relu(self.attend(x, mask)))
    return self.norm2(x + self.feed_forward(x))


@wrong_forward("P9")
def mask_forgotten(self, x, mask=None):
    """The mask never reaches the attention, so padding is read: pass it as the fourth argument."""
    return EncoderReference.forward(self, x)


@wrong_forward("M1")
def mask_inverted(self, x, mask=None):
    """The mask is True where a query may look already: pass it as it is. (nn.MultiheadAttention has it the
    other way round, ours has not.)
    """
    return EncoderReference.forward(self, x, mask if mask is None else ~mask)


@wrong_forward("C8")
def causal(self, x, mask=None):
    """A causal mask in the encoder: the source is known as a whole, so each word may read both ways. Only
    padding is hidden here.
    """
    past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    return EncoderReference.forward(self, x, past if mask is None else past & mask)


@wrong_forward("R10")
def input_overwritten(self, x, mask=None):
    """x is overwritten before it is added, so the attention's result is added to itself: give the result
    another name, `attended, _ = ...`.
    """
    x = self.attend(x, mask)
    x = self.norm1(x + x)
    return self.norm2(x + self.feed_forward(x))


@wrong_forward
def norms_swapped(self, x, mask=None):
    """The norms changed places: norm1 stands after the attention, norm2 after the feed-forward layer."""
    x = self.norm2(x + self.attend(x, mask))
    return self.norm1(x + self.feed_forward(x))


@wrong_forward("R6")
def norm_of_input(self, x, mask=None):
    """norm(x) + sublayer(x) normalizes x alone: the norm goes around the sum, norm(x + sublayer(x))."""
    x = self.norm1(x) + self.attend(x, mask)
    return self.norm2(x) + self.feed_forward(x)


@wrong_forward
def transforms_the_branch(self, x, mask=None):
    """The feed-forward layer reads what the attention gave, without its residual and its norm: it starts from
    the normalized sum.
    """
    attended = self.attend(x, mask)
    x = self.norm1(x + attended)
    return self.norm2(x + self.feed_forward(attended))


@mistake(mentions=r"\)\[1\]|\b_, ")
class AddsTheWeights(Layer):
    """You add the attention's weights: its output comes first, `attended, _ = self.self_attention(...)`."""

    def forward(self, x, mask=None):
        x = self.norm1(x + self.self_attention(x, x, x, mask)[1])
        return self.norm2(x + self.feed_forward(x))


@mistake(mentions=r"self_attention\(x, x, mask\)")
class MaskAsValue(Layer):
    """MultiHeadAttention takes query, key, value and then the mask: x three times, `(x, x, x, mask)`."""

    def forward(self, x, mask=None):
        x = self.norm1(x + self.self_attention(x, x, mask)[0])
        return self.norm2(x + self.feed_forward(x))


@mistake("R9")
class SingleNorm(nn.Module):
    """One norm for both sublayers: make two, norm1 and norm2, for each has weights of its own."""

    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm = LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = self.norm(x + self.self_attention(x, x, x, mask)[0])
        return self.norm(x + self.feed_forward(x))


@mistake(mentions=r"MultiHeadAttention\(heads")
class HeadsFirst(EncoderReference):
    """MultiHeadAttention takes d_model first, then the number of heads."""

    def __init__(self, d_model, heads, d_ff):
        super().__init__(d_model, heads, d_ff)
        self.self_attention = MultiHeadAttention(heads, d_model)


@mistake(mentions=r"nn\.MultiheadAttention")
class PytorchsAttention(EncoderReference):
    """`nn.MultiheadAttention` is PyTorch's: its weights have other names, and its mask says the opposite. Use
    MultiHeadAttention of lesson 03, with a capital H and without `nn.`.
    """

    def __init__(self, d_model, heads, d_ff):
        super().__init__(d_model, heads, d_ff)
        self.self_attention = nn.MultiheadAttention(d_model, heads, batch_first=True)


@mistake(mentions=r"FeedForward\(d_ff, d_model")
class WideFirst(EncoderReference):
    """FeedForward takes d_model first, then d_ff: it goes from d_model to d_ff and back."""

    def __init__(self, d_model, heads, d_ff):
        super().__init__(d_model, heads, d_ff)
        self.feed_forward = FeedForward(d_ff, d_model)


@mistake(mentions=r"self_attention\(x, mask\)")
class OneX(Layer):
    """The attention takes three times x, as query, key and value, and then the mask: `(x, x, x, mask)`."""

    def forward(self, x, mask=None):
        attended = self.self_attention(x, mask)
        x = self.norm1(x + attended)
        return self.norm2(x + self.feed_forward(x))


@wrong_forward
def no_attention(self, x, mask=None):
    """What the attention gives is used nowhere, and norm1 neither: the first sublayer is `self.norm1(x +
    attended)`, and the second starts from its result.
    """
    return self.norm2(x + self.feed_forward(x))
