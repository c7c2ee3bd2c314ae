"""split_heads: each head gets its own features of every token, and tokens are not mixed."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of
from course_lib.checks.guard import RaisedError
from course_lib.checks.inputs import as_transposed, beyond_float32

split_heads = Exercise(
    "split_heads",
    points=4,
    returns=("split: batch heads seq d_k",),
    hints=[
        "Which axis do you cut, and which two change places? Cut only the last one, into (heads, d_k). That "
        "gives (batch, seq, heads, d_k).",
        "`x.unflatten(-1, (heads, -1))` cuts the last axis (or `x.view(batch, seq, heads, d_k)`); "
        "`.transpose(1, 2)` swaps seq and heads.",
    ],
    examples=[
        "split_heads(torch.tensor([[[1, 2, 3, 4]]]), 2)",
        "split_heads(torch.tensor([[[1, 2, 3, 4], [5, 6, 7, 8]]]), 2)",
        "split_heads(torch.tensor([[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]]), 2)",
        "split_heads(torch.tensor([[[1, 2, 3, 4, 5]]]), 2)",
        "split_heads(torch.tensor([[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]]), 4)",
        "split_heads(torch.ones(1, 1, 2).requires_grad_(), 2).requires_grad",
        "split_heads(torch.arange(8).view(2, 2, 2).transpose(0, 1), 2)",
    ],
)


@split_heads.reference
def split_reference(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


@split_heads.part("each head holds a piece of every token, and gradients flow back to x", points=1)
def whole_tokens(split, inputs):
    x = inputs.normal(2, 5, 1).expand(2, 5, 12).clone().requires_grad_()
    pieces = split(x, 3)
    return {
        "split (tokens with 12 equal features): batch heads seq d_k": pieces,
        "split (x made by a transpose): batch heads seq d_k": split(as_transposed(x.detach()), 3),
    } | gradients_of(pieces, {"x": x})


# With one token there is nothing to mix, so the part below asks for the order of the features alone.


@split_heads.part("head h gets the h-th d_k features of a token, in float32 and float64", points=1)
def runs_of_features(split, inputs):
    return {
        "split (one token): batch heads seq d_k": split(10 * inputs.normal(2, 1, 12), 3),
        "split (10 features, 5 heads, float64): batch heads seq d_k": split(
            inputs.normal(3, 1, 10).double(), 5
        ),
        "the digits that float32 does not have (float64): batch heads seq d_k": beyond_float32(
            split(inputs.near_one(2, 1, 12), 3)
        ),
    }


# `chunk` makes 3 heads of 6 features where 4 are asked for, and so does a view whose sequence is -1: of 12
# numbers it makes tokens of 4.


@split_heads.part("an error is raised if heads does not divide d_model", points=1)
def uneven(split, inputs):
    split(inputs.normal(2, 5, 12), 3)  # what raises here too refuses nothing
    sizes = ((5, 10, 3), (2, 6, 4), (2, 2, 4))
    return {
        f"{d_model} features for {heads} heads": _refusal(split, inputs.normal(2, seq, d_model), heads)
        for seq, d_model, heads in sizes
    }


def _refusal(split, x, heads) -> str:
    try:
        result = split(x, heads)
    except (RaisedError, NotImplementedError):  # of any type: it is no stub that has split x before
        return "an error"
    lost = f"{x.shape[-1]} features cannot be divided into {heads} heads"
    return f"{lost}, and you returned shape {tuple(result.shape)}. Let it be an error."


@split_heads.accept("view, then transpose")
def view_transpose(x, heads):
    batch, seq, d_model = x.shape
    return x.view(batch, seq, heads, d_model // heads).transpose(1, 2)


@split_heads.accept("reshape, then permute")
def reshape_permute(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).permute(0, 2, 1, 3)


@split_heads.accept("chunks, stacked, where the width is divisible")
def stacked_chunks(x, heads):
    assert x.size(-1) % heads == 0, "heads must divide d_model"
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
