"""merge_heads: the heads of every token side by side, and tokens are not mixed."""

import torch

from course_lib.checks.exercise import Exercise

merge_heads = Exercise(
    "merge_heads",
    points=3,
    returns=("merged: batch seq d_model",),
    hints=[
        "Undo the two steps of split_heads in reverse order: first swap the axes back, then join the last "
        "two.",
        "`x.transpose(1, 2)` is (batch, seq, heads, d_k); `.flatten(2)` joins everything from axis 2 on.",
    ],
    examples=[
        "merge_heads(torch.tensor([[[[1, 2, 3]], [[4, 5, 6]]]]))",
        "merge_heads(torch.tensor([[[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]]))",
    ],
)


@merge_heads.reference
def merge_reference(x):
    return x.transpose(1, 2).flatten(2)


@merge_heads.part("a token gets its own pieces, and no other's", points=1)
def own_pieces(merge, inputs):
    x = inputs.normal(2, 1, 5, 1).expand(2, 3, 5, 4).clone()
    return {"merged (tokens with equal features): batch seq d_model": merge(x)}


@merge_heads.part("the heads stand one after the other", points=1)
def in_order(merge, inputs):
    return {"merged (one token): batch seq d_model": merge(inputs.normal(2, 3, 1, 4))}


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


@merge_heads.mistake(
    "H2",
    advice="Undo the transpose before joining, or a token gets other tokens' pieces: "
    "`x.transpose(1, 2)` first.",
)
def no_transpose(x):
    batch, heads, seq, d_k = x.shape
    return x.reshape(batch, seq, heads * d_k)


@merge_heads.mistake(
    "H13",
    advice="After a transpose the numbers are not in one row in memory, and `view` refuses. "
    "Use `reshape` or `flatten`; do not cure it by leaving the transpose out.",
)
def viewed(x):
    batch, heads, seq, d_k = x.shape
    return x.transpose(1, 2).view(batch, seq, heads * d_k)


@merge_heads.mistake(
    "H5",
    advice="Head 0 comes first with all of its features, then head 1. Yours are interleaved: keep d_k as the "
    "last axis before joining.",
)
def interleaved_back(x):
    return x.permute(0, 2, 3, 1).flatten(2)


@merge_heads.mistake(
    "H8",
    advice="Heads are concatenated, not averaged into one: W_O weighs each feature of each head itself.",
)
def averaged(x):
    return x.mean(dim=1)


@merge_heads.mistake(
    "H8", advice="You added the heads up. They are concatenated, so that W_O can weigh each feature itself."
)
def added(x):
    return x.sum(dim=1)


@merge_heads.mistake("H8", advice="That is one head. All of them stand side by side: concatenate them.")
def first_head(x):
    return x[:, 0]


@merge_heads.mistake(
    "H2",
    advice="You swap tokens and features of each head. Swap heads and tokens, axes 1 and 2, then join.",
)
def swapped_inside(x):
    return x.mT.reshape(x.shape[0], x.shape[2], -1)


@merge_heads.mistake(
    "H22", advice="Your heads stand behind each other in time: concatenate features (dim=-1), not tokens."
)
def joined_in_time(x):
    return torch.cat(x.unbind(dim=1), dim=1)


@merge_heads.mistake("H23", advice="Nearly: the last two axes, heads and d_k, are still to be joined.")
def not_joined(x):
    return x.transpose(1, 2)


@merge_heads.mistake(
    "H23", advice="You joined seq and d_k, and the heads are still apart. Swap axes 1 and 2 first."
)
def joined_too_early(x):
    return x.flatten(2)
