"""split_heads: each head gets its run of features, and tokens are not mixed."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.guard import RaisedError

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
    except RaisedError:
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
