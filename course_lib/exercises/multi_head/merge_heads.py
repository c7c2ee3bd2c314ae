"""merge_heads: puts the heads of every token side by side, and does not mix tokens."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of
from course_lib.checks.inputs import as_transposed, beyond_float32

merge_heads = Exercise(
    "merge_heads",
    points=3,
    returns=("merged: batch seq d_model",),
    hints=[
        "Which two steps did split_heads take? Undo them in reverse order: first swap the axes back, then "
        "join the last two.",
        "`x.transpose(1, 2)` is (batch, seq, heads, d_k); `.flatten(2)` joins everything from axis 2 on.",
    ],
    examples=[
        "merge_heads(torch.tensor([[[[1., 2., 3.]], [[4., 5., 6.]]]]))",
        "merge_heads(torch.tensor([[[[1., 2., 3.], [4., 5., 6.]], [[7., 8., 9.], [10., 11., 12.]]]]))",
        "merge_heads(torch.ones(1, 2, 1, 1).requires_grad_()).requires_grad",
    ],
)


@merge_heads.reference
def merge_reference(x):
    return x.transpose(1, 2).flatten(2)


@merge_heads.part("a token gets its own pieces and no others, and gradients flow back to x", points=1)
def own_pieces(merge, inputs):
    x = inputs.normal(2, 1, 5, 1).expand(2, 3, 5, 4).clone().requires_grad_()
    merged = merge(x)
    return {
        "merged (tokens with equal features): batch seq d_model": merged,
        "merged (heads made by a transpose): batch seq d_model": merge(as_transposed(x.detach())),
    } | gradients_of(merged, {"x": x})


@merge_heads.part("the heads of a token are side by side in their order, in float32 and float64", points=1)
def in_order(merge, inputs):
    return {
        "merged (one token): batch seq d_model": merge(10 * inputs.normal(2, 3, 1, 4)),
        "merged (one sentence, 1 head): batch seq d_model": merge(inputs.normal(1, 1, 5, 4)),
        "merged (5 heads of 2 features, float64): batch seq d_model": merge(
            inputs.normal(3, 5, 1, 2).double()
        ),
        "the digits that float32 does not have (float64): batch seq d_model": beyond_float32(
            merge(inputs.near_one(2, 3, 1, 4))
        ),
    }


@merge_heads.accept("transpose, contiguous, view")
def contiguous_view(x):
    batch, heads, seq, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq, heads * d_k)


@merge_heads.accept("permute, reshape")
def permute_reshape(x):
    return x.permute(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


@merge_heads.accept("concatenated")
def concatenated(x):
    return torch.cat(x.unbind(dim=1), dim=-1)


@merge_heads.accept("token by token")
def token_by_token(x):
    return torch.stack([x[:, :, t].reshape(len(x), -1) for t in range(x.shape[2])], dim=1)
