"""EncoderLayer: self-attention, then a feed-forward layer, each added to its input and normalized."""

import torch
from torch import nn

from course_lib.checks.encoder_decoder.parts import (
    SUBLAYERS,
    FeedForward,
    LayerNorm,
    MultiHeadAttention,
    leaves,
    sees,
    silence,
)
from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of
from course_lib.checks.properties import rows_seen

TWO_WORDS = "torch.tensor([[[1., 0., 0., 2.], [0., 1., 3., 0.]]])"

EncoderLayer = Exercise(
    "EncoderLayer",
    points=6,
    returns=("x: batch seq d_model",),
    hints=[
        "`__init__` makes four parts: one MultiHeadAttention, one FeedForward and two LayerNorms, one for each "
        "sublayer. Two norms, because each has weights of its own.",
        "In self-attention query, key and value are all x. It returns two things, and you need the first: "
        "`attended, _ = self.self_attention(x, x, x, mask)`.",
        "Around each sublayer: add its input, then normalize the sum: `x = self.norm1(x + attended)`.",
        "The second sublayer starts from the new x: `return self.norm2(x + self.feed_forward(x))`.",
    ],
    examples=[
        f"EncoderLayer(4, 2, 3)({TWO_WORDS})",
        f"EncoderLayer(4, 2, 3)({TWO_WORDS}, mask=torch.tensor([[[True, False]]]))",
    ],
    uses=SUBLAYERS,
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
    layer = build(6, 3, 10)
    silence(layer.feed_forward.linear2)
    return {"x (while the feed-forward layer gives 0): batch seq d_model": layer(inputs.normal(2, 5, 6))}


@EncoderLayer.part("feed-forward, added to its input and normalized", points=1)
def feed_forward(build, inputs):
    layer = build(6, 3, 10)
    silence(layer.self_attention.output)
    return {"x (while the attention gives 0): batch seq d_model": layer(inputs.normal(2, 5, 6))}


MAPS = ("a word that reads", "a word that is read")


@EncoderLayer.part(
    "every word reads every word, except padding",
    points=1,
    properties=(rows_seen("dependence (no mask)"), rows_seen("dependence (columns 3 and 4 are padding)")),
)
def who_reads_whom(build, inputs):
    layer, x = build(6, 3, 10), inputs.normal(1, 5, 6).requires_grad_()
    mask = torch.tensor([[[True, True, True, False, False]]])
    return {
        "dependence (no mask): output input": sees(layer(x), x),
        "dependence (columns 3 and 4 are padding): output input": sees(layer(x, mask=mask), x),
    }


@EncoderLayer.part("gradients reach x and every weight", points=1)
def gradients(build, inputs):
    layer, x = build(6, 3, 10), inputs.normal(2, 5, 6)
    named = leaves(layer, x=x)
    return gradients_of(layer(x), named)


# Accepted: other ways to write the same


@EncoderLayer.accept("a name for every step")
class EveryStep(Layer):
    def forward(self, x, mask=None):
        attended, weights = self.self_attention(query=x, key=x, value=x, mask=mask)
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


# Mistakes


def mistake(*ids, advice):
    """Declare a wrong encoder layer by its `forward` alone."""

    def add(forward):
        members = {"forward": forward, "__module__": __name__}
        EncoderLayer.mistake(*ids, advice=advice)(type(forward.__name__, (Layer,), members))
        return forward

    return add


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
    advice="One residual for both sublayers, and one norm: each sublayer has its own residual and its own norm.",
)
def one_residual_for_both(self, x, mask=None):
    return self.norm2(x + self.feed_forward(self.norm1(self.attend(x, mask))))


@mistake("R9", advice="norm1 is used twice, norm2 never: each sublayer has a norm of its own.")
def same_norm_twice(self, x, mask=None):
    x = self.norm1(x + self.attend(x, mask))
    return self.norm1(x + self.feed_forward(x))


@mistake(
    "R10",
    "A20",
    advice="`x += ...` changes the tensor that the caller still holds: write `x = x + ...`, which makes a new one.",
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
    advice="MultiHeadAttention returns two things, output and weights: `attended, _ = self.self_attention(...)`.",
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
