"""split_heads: each head gets its run of features, and tokens are not mixed."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.guard import Raised

split_heads = Exercise(
    "split_heads",
    points=4,
    returns=("split: batch heads seq d_k",),
    hints=[
        "Only the last axis is cut: first into (heads, d_k), which gives (batch, seq, heads, d_k). "
        "Then two axes change places.",
        "`x.unflatten(-1, (heads, -1))` cuts the last axis (or `x.view(batch, seq, heads, d_k)`); "
        "`.transpose(1, 2)` swaps seq and heads.",
    ],
    examples=[
        "split_heads(torch.tensor([[[1, 2, 3, 4]]]), 2)",
        "split_heads(torch.tensor([[[1, 2, 3, 4], [5, 6, 7, 8]]]), 2)",
        "split_heads(torch.tensor([[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]]), 2)",
        "split_heads(torch.tensor([[[1, 2, 3, 4, 5]]]), 2)",
    ],
)


@split_heads.reference
def split_reference(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


@split_heads.part("tokens stay whole: a head holds a piece of every token", points=1)
def whole_tokens(split, inputs):
    x = inputs.normal(2, 5, 1).expand(2, 5, 12).clone()
    return {"split (tokens with 12 equal features): batch heads seq d_k": split(x, 3)}


# With one token there is nothing to mix, so the part below asks for the order of the features alone.


@split_heads.part("head h holds the h-th run of neighboring features", points=1)
def runs_of_features(split, inputs):
    return {"split (one token): batch heads seq d_k": split(inputs.normal(2, 1, 12), 3)}


@split_heads.part("features that cannot be shared out evenly are refused", points=1)
def uneven(split, inputs):
    split(inputs.normal(2, 5, 12), 3)  # what raises here too refuses nothing
    try:
        result = split(inputs.normal(2, 5, 10), 3)
    except Raised:
        return {"10 features for 3 heads": "an error"}
    lost = f"10 features do not divide into 3 heads, and you returned shape {tuple(result.shape)}."
    return {"10 features for 3 heads": f"{lost} Let it be an error: features must not get lost."}


@split_heads.accept("view, then transpose")
def view_transpose(x, heads):
    batch, seq, d_model = x.shape
    return x.view(batch, seq, heads, d_model // heads).transpose(1, 2)


@split_heads.accept("reshape, then permute")
def reshape_permute(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).permute(0, 2, 1, 3)


@split_heads.accept("chunks, stacked")
def stacked_chunks(x, heads):
    return torch.stack(x.chunk(heads, dim=-1), dim=1)


@split_heads.accept("slices in a loop")
def slices(x, heads):
    if x.shape[2] % heads:
        raise ValueError(f"d_model {x.shape[2]} is not divisible by {heads} heads")
    d_k = x.shape[2] // heads
    return torch.cat([x[:, None, :, h * d_k : (h + 1) * d_k] for h in range(heads)], dim=1)


@split_heads.accept("unfold")
def unfolded(x, heads):
    assert x.shape[-1] % heads == 0
    d_k = x.shape[-1] // heads
    return x.unfold(-1, d_k, d_k).swapaxes(1, 2).contiguous()


@split_heads.mistake(
    "H1",
    advice="This cuts each sentence into pieces of time: with `view(batch, heads, ...)` the first tokens "
    "fill head 0. Cut the features, `view(batch, seq, heads, d_k)`, then swap axes 1 and 2.",
)
def pieces_of_time(x, heads):
    return x.reshape(x.shape[0], heads, x.shape[1], -1)


@split_heads.mistake(
    "H1",
    advice="You swap seq and features before cutting, and the cut then runs through the sentence. "
    "Cut the last axis first, swap afterwards.",
)
def swapped_first(x, heads):
    return x.mT.reshape(x.shape[0], heads, x.shape[1], -1)


@split_heads.mistake(
    "H1",
    advice="A view or reshape moves no number, so this cuts the sentence too. Cut the last axis alone, "
    "`view(batch, seq, heads, d_k)`, then swap axes 1 and 2.",
)
def viewed_and_turned(x, heads):
    return x.reshape(x.shape[0], heads, -1, x.shape[1]).mT


@split_heads.mistake(
    "H1", advice="Axis 1 holds the tokens. Cut the features, the last axis: `unflatten(-1, ...)`."
)
def cut_tokens(x, heads):
    return x.unflatten(1, (heads, -1))


@split_heads.mistake(
    "H17", advice="Nearly: the heads must stand before the sequence. Swap axes 1 and 2: `.transpose(1, 2)`."
)
def not_transposed(x, heads):
    return x.unflatten(-1, (heads, -1))


@split_heads.mistake(
    "H6",
    advice="Your heads take every third feature (with 3 heads). That trains as well, but it is not the "
    "paper's layout: head 0 holds the first d_k features. Cut into (heads, d_k), in this order.",
)
def interleaved(x, heads):
    return x.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2)


@split_heads.mistake(
    "H18",
    advice="You took `heads` for the size of a head. There are `heads` heads of d_k = d_model / heads "
    "features.",
)
def heads_as_size(x, heads):
    return x.unflatten(-1, (-1, heads)).transpose(1, 2)


@split_heads.mistake("H19", advice="The batch comes first: (batch, heads, seq, d_k). Stack along dim=1.")
def heads_first(x, heads):
    return torch.stack(x.chunk(heads, dim=-1))


@split_heads.mistake(
    "H19",
    advice="Batch and heads are folded into one axis. Keep both: (batch, heads, seq, d_k); matrix products "
    "take any number of axes before the last two.",
)
def folded(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2).flatten(0, 1)


@split_heads.mistake("H20", advice="The last two axes are swapped: a token's d_k features come last.")
def features_before_tokens(x, heads):
    return x.unflatten(-1, (heads, -1)).permute(0, 2, 3, 1)


@split_heads.mistake(
    "H20",
    advice="You swapped heads and d_k, the last two axes. Swap seq and heads: `.transpose(1, 2)`.",
)
def swapped_last(x, heads):
    return x.unflatten(-1, (heads, -1)).mT


@split_heads.mistake(
    "H12", advice="Split the width, do not multiply it: each head gets d_model / heads features, not all."
)
def whole_width(x, heads):
    return x[:, None].expand(-1, heads, -1, -1).clone()


@split_heads.mistake(
    "H16",
    advice="`//` rounds down, and the last features silently belong to no head. `unflatten`, `view` and "
    "`reshape` notice; with slices, check `d_model % heads` and raise an error.",
)
def rest_dropped(x, heads):
    d_k = x.shape[-1] // heads
    return torch.stack([x[..., h * d_k : (h + 1) * d_k] for h in range(heads)], dim=1)


@split_heads.mistake(
    "H21", advice="A list of heads cannot be multiplied at once: `torch.stack(..., dim=1)` makes one tensor."
)
def list_of_heads(x, heads):
    return list(x.chunk(heads, dim=-1))


@split_heads.mistake(
    "H21",
    advice="`split` takes the size of a piece, not the number of pieces, and gives a tuple. `chunk` "
    "takes the number; `torch.stack(..., dim=1)` makes one tensor.",
)
def split_by_size(x, heads):
    return x.split(heads, dim=-1)


@split_heads.mistake(
    "H28",
    advice="`/` gives a float, and no axis has 4.0 entries: write `//`, or -1 and let PyTorch work it out.",
)
def float_size(x, heads):
    return x.view(*x.shape[:2], heads, x.shape[2] / heads).transpose(1, 2)
