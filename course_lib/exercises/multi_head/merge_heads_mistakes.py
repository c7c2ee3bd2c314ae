"""Wrong answers to merge_heads: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("H2")
def no_transpose(x):
    """You join without undoing the transpose, so a token gets the pieces of other tokens. First write
    `x.transpose(1, 2)`, then join.
    """
    batch, heads, seq, d_k = x.shape
    return x.reshape(batch, seq, heads * d_k)


@mistake("H13", mentions=r"\bview\(")
def viewed(x):
    """After a transpose, the numbers are no longer in one row in memory, so `view` raises an error. Use
    `reshape` or `flatten`, and keep the transpose.
    """
    batch, heads, seq, d_k = x.shape
    return x.transpose(1, 2).view(batch, seq, heads * d_k)


@mistake("H5")
def interleaved_back(x):
    """Your features are interleaved. Head 0 comes first with all its features, then head 1: keep d_k as the
    last axis before you join.
    """
    return x.permute(0, 2, 3, 1).flatten(2)


@mistake("H8")
def averaged(x):
    """You averaged the heads. Concatenate them, so that W_O can weight each feature separately."""
    return x.mean(dim=1)


@mistake("H8")
def added(x):
    """You added the heads. Concatenate them, so that W_O can weight each feature separately."""
    return x.sum(dim=1)


@mistake
def first_head(x):
    """You return only one head. Concatenate all heads along the features."""
    return x[:, 0]


@mistake(mentions=r"mT|transpose|permute|swap")
def swapped_inside(x):
    """You swap tokens and features inside each head. Swap heads and tokens, axes 1 and 2, then join."""
    return x.mT.reshape(x.shape[0], x.shape[2], -1)


@mistake
def joined_in_time(x):
    """You put the heads one after the other along the sequence. Join the features instead: dim=-1."""
    return torch.cat(x.unbind(dim=1), dim=1)


@mistake
def not_joined(x):
    """Nearly right. The last two axes, heads and d_k, still have to be joined."""
    return x.transpose(1, 2)


@mistake
def joined_too_early(x):
    """You joined seq and d_k, and the heads are still separate. Swap axes 1 and 2, then join the last two."""
    return x.flatten(2)


@mistake
def joined_to_the_batch(x):
    """You joined the heads with the batch. Swap axes 1 and 2 first, then join the last two axes, heads and
    d_k.
    """
    return x.flatten(0, 1)


@mistake(mentions=r"= x\.(shape|size\(\))")
def without_batch(x):
    """x also has an axis for the batch. Unpack four sizes: `batch, heads, seq, d_k = x.shape`."""
    heads, seq, d_k = x.shape
    return x.transpose(0, 1).reshape(seq, heads * d_k)


@mistake(mentions=r"detach|\.data\b|no_grad|numpy|tolist|torch\.tensor\(")
def cut_off(x):
    """The gradient must flow back from the output to the heads. `.detach()`, NumPy and `torch.tensor(...)`
    cut it off.
    """
    return x.detach().transpose(1, 2).flatten(2)


@mistake(mentions=r"numpy|\bnp\b")
def through_numpy(x):
    """NumPy keeps no gradient, but the gradient of x must flow back to the heads. Use PyTorch's operations on
    x itself.
    """
    return torch.from_numpy(x.numpy()).transpose(1, 2).flatten(2)
