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
    """You do not add x, so nothing passes the sublayers unchanged. Add each sublayer's input, `x + ...`,
    before the norm.
    """
    return self.norm2(self.feed_forward(self.norm1(self.attend(x, mask))))


@wrong_forward("R1")
def no_second_residual(self, x, mask=None):
    """The feed-forward layer has no residual. Add its input before the second norm."""
    x = self.norm1(x + self.attend(x, mask))
    return self.norm2(self.feed_forward(x))


@wrong_forward("R2")
def residual_of_normalized(self, x, mask=None):
    """You normalize first and add the normalized input. Add x itself, and apply the norm to the sum: norm(x +
    sublayer(x)).
    """
    x = self.norm1(x)
    x = self.norm2(x + self.attend(x, mask))
    return x + self.feed_forward(x)


@wrong_forward("R3")
def pre_norm(self, x, mask=None):
    """x + sublayer(norm(x)) is the pre-norm layer of lesson 05. This exercise asks for the paper's post-norm
    layer: norm(x + sublayer(x)).
    """
    x = x + self.attend(self.norm1(x), mask)
    return x + self.feed_forward(self.norm2(x))


@wrong_forward("R5")
def norm_of_branch(self, x, mask=None):
    """You normalize the sublayer's result and then add. Add first, then normalize the sum."""
    x = x + self.norm1(self.attend(x, mask))
    return x + self.norm2(self.feed_forward(x))


@wrong_forward("R6")
def added_twice(self, x, mask=None):
    """You add one copy of x too many. A sublayer is norm(x + sublayer(x)); add nothing after the norm."""
    x = x + self.norm1(x + self.attend(x, mask))
    return x + self.norm2(x + self.feed_forward(x))


@wrong_forward
def residual_from_the_start(self, x, mask=None):
    """Your second residual adds the layer's input. A residual adds the input of its own sublayer; for the
    feed-forward layer this is the normalized result of the attention.
    """
    attended = self.norm1(x + self.attend(x, mask))
    return self.norm2(x + self.feed_forward(attended))


@wrong_forward
def one_residual_for_both(self, x, mask=None):
    """You use one residual for both sublayers. Each sublayer has its own residual and its own norm."""
    return self.norm2(x + self.feed_forward(self.norm1(self.attend(x, mask))))


@wrong_forward("R9")
def same_norm_twice(self, x, mask=None):
    """You never use norm2. Each sublayer has its own norm."""
    x = self.norm1(x + self.attend(x, mask))
    return self.norm1(x + self.feed_forward(x))


@wrong_forward("R9")
def second_norm_twice(self, x, mask=None):
    """You never use norm1. Each sublayer has its own norm; norm1 comes after the attention."""
    x = self.norm2(x + self.attend(x, mask))
    return self.norm2(x + self.feed_forward(x))


@mistake("R9")
class OneNormTwoNames(EncoderReference):
    """norm1 and norm2 are one LayerNorm under two names, so they share their weights. Make two LayerNorms."""

    def __init__(self, d_model, heads, d_ff):
        super().__init__(d_model, heads, d_ff)
        self.norm1 = self.norm2 = LayerNorm(d_model)


@wrong_forward
def no_last_norm(self, x, mask=None):
    """You do not normalize the sum of the second sublayer. The layer ends with `self.norm2(x + ...)`."""
    x = self.norm1(x + self.attend(x, mask))
    return x + self.feed_forward(x)


@mistake("A20", mentions=r"\+= ")
class InPlace(Layer):
    """`x += ...` changes the tensor that the caller still holds. Write `x = x + ...`, which makes a new
    tensor.
    """

    def forward(self, x, mask=None):
        x += self.attend(x, mask)
        x = self.norm1(x)
        return self.norm2(x + self.feed_forward(x))


@wrong_forward
def feed_forward_first(self, x, mask=None):
    """Your feed-forward layer comes first. The attention comes first, then the feed-forward layer."""
    x = self.norm1(x + self.feed_forward(x))
    return self.norm2(x + self.attend(x, mask))


@mistake(mentions="self_attention")
class AddsTheTuple(Layer):
    """MultiHeadAttention returns two things, output and weights. Write `attended, _ =
    self.self_attention(...)`.
    """

    def forward(self, x, mask=None):
        x = self.norm1(x + self.self_attention(x, x, x, mask))
        return self.norm2(x + self.feed_forward(x))


@wrong_forward
def no_feed_forward(self, x, mask=None):
    """The feed-forward layer is missing, or you do not use its result. It is the second sublayer: add its
    result before the second norm.
    """
    return self.norm2(self.norm1(x + self.attend(x, mask)))


@wrong_forward("F3")
def activation_at_the_end(self, x, mask=None):
    """You apply an activation after the feed-forward layer. Its ReLU is inside it, between the two
    matrices.
    """
    x = self.norm1(x + self.attend(x, mask))
    return self.norm2(x + torch.relu(self.feed_forward(x)))


@wrong_forward
def activation_after_attention(self, x, mask=None):
    """You apply a ReLU after the attention. The Transformer uses it only inside the feed-forward layer."""
    x = self.norm1(x + torch.relu(self.attend(x, mask)))
    return self.norm2(x + self.feed_forward(x))


@wrong_forward("P9")
def mask_forgotten(self, x, mask=None):
    """The mask never reaches the attention, so the words read padding. Pass it as the fourth argument."""
    return EncoderReference.forward(self, x)


@wrong_forward("M1")
def mask_inverted(self, x, mask=None):
    """You invert the mask, but True already means that a query may look. Pass it unchanged.
    nn.MultiheadAttention uses the opposite, ours does not.
    """
    return EncoderReference.forward(self, x, mask if mask is None else ~mask)


@wrong_forward("C8")
def causal(self, x, mask=None):
    """You use a causal mask in the encoder. The source is known as a whole, so each word may read both sides.
    Only padding is hidden here.
    """
    past = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    return EncoderReference.forward(self, x, past if mask is None else past & mask)


# The norm of a + a is the norm of a: the next two give the same numbers.
@mistake("R10", mentions=r"\bx\b[^=\n]*= self\.\w*att\w*\(")
class InputOverwritten(Layer):
    """You overwrite x before you add it, so you add the attention's result to itself. Give the result another
    name: `attended, _ = ...`.
    """

    def forward(self, x, mask=None):
        x = self.attend(x, mask)
        x = self.norm1(x + x)
        return self.norm2(x + self.feed_forward(x))


@wrong_forward("R1")
def no_first_residual(self, x, mask=None):
    """The self-attention has no residual. Add its input x before the first norm."""
    x = self.norm1(self.attend(x, mask))
    return self.norm2(x + self.feed_forward(x))


@wrong_forward
def norms_swapped(self, x, mask=None):
    """The norms are swapped. norm1 comes after the attention, norm2 after the feed-forward layer."""
    x = self.norm2(x + self.attend(x, mask))
    return self.norm1(x + self.feed_forward(x))


@wrong_forward("R6")
def norm_of_input(self, x, mask=None):
    """norm(x) + sublayer(x) normalizes only x. Normalize the sum: norm(x + sublayer(x))."""
    x = self.norm1(x) + self.attend(x, mask)
    return self.norm2(x) + self.feed_forward(x)


@wrong_forward
def transforms_the_branch(self, x, mask=None):
    """Your feed-forward layer reads the attention's result without its residual and its norm. Give it the
    normalized sum.
    """
    attended = self.attend(x, mask)
    x = self.norm1(x + attended)
    return self.norm2(x + self.feed_forward(attended))


@mistake(mentions=r"\)\[1\]|\b_, ")
class AddsTheWeights(Layer):
    """You add the attention's weights. Its output comes first: `attended, _ = self.self_attention(...)`."""

    def forward(self, x, mask=None):
        x = self.norm1(x + self.self_attention(x, x, x, mask)[1])
        return self.norm2(x + self.feed_forward(x))


@mistake(mentions=r"self_attention\(x, x, mask\)")
class MaskAsValue(Layer):
    """MultiHeadAttention takes query, key, value and then the mask. Pass x three times: `(x, x, x, mask)`."""

    def forward(self, x, mask=None):
        x = self.norm1(x + self.self_attention(x, x, mask)[0])
        return self.norm2(x + self.feed_forward(x))


@mistake("R9")
class SingleNorm(nn.Module):
    """You use one norm for both sublayers. Make two, norm1 and norm2, because each has its own weights."""

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
    """The arguments are swapped. MultiHeadAttention takes d_model first, then the number of heads."""

    def __init__(self, d_model, heads, d_ff):
        super().__init__(d_model, heads, d_ff)
        self.self_attention = MultiHeadAttention(heads, d_model)


@mistake(mentions=r"nn\.MultiheadAttention")
class PytorchsAttention(EncoderReference):
    """`nn.MultiheadAttention` is PyTorch's layer. Its weights have other names, and True in its mask means
    the opposite. Use MultiHeadAttention of lesson 03, with a capital H and without `nn.`.
    """

    def __init__(self, d_model, heads, d_ff):
        super().__init__(d_model, heads, d_ff)
        self.self_attention = nn.MultiheadAttention(d_model, heads, batch_first=True)


@mistake(mentions=r"FeedForward\(d_ff, d_model")
class WideFirst(EncoderReference):
    """The arguments are swapped. FeedForward takes d_model first, then d_ff; it goes from d_model to d_ff and
    back.
    """

    def __init__(self, d_model, heads, d_ff):
        super().__init__(d_model, heads, d_ff)
        self.feed_forward = FeedForward(d_ff, d_model)


@mistake(mentions=r"self_attention\(x, mask\)")
class OneX(Layer):
    """The attention takes query, key and value, then the mask. Pass x three times: `(x, x, x, mask)`."""

    def forward(self, x, mask=None):
        attended = self.self_attention(x, mask)
        x = self.norm1(x + attended)
        return self.norm2(x + self.feed_forward(x))


@wrong_forward
def no_attention(self, x, mask=None):
    """You do not use the result of the attention, nor norm1. The first sublayer is `self.norm1(x +
    attended)`, and the second starts from its result.
    """
    return self.norm2(x + self.feed_forward(x))
