"""Wrong answers to merge_heads: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("H2")
def no_transpose(x):
    """Undo the transpose before joining, or a token gets other tokens' pieces: `x.transpose(1, 2)` first."""
    batch, heads, seq, d_k = x.shape
    return x.reshape(batch, seq, heads * d_k)


@mistake("H13", mentions=r"\bview\(")
def viewed(x):
    """After a transpose the numbers are not in one row in memory, and `view` refuses. Use `reshape` or
    `flatten`; do not cure it by leaving the transpose out.
    """
    batch, heads, seq, d_k = x.shape
    return x.transpose(1, 2).view(batch, seq, heads * d_k)


@mistake("H5")
def interleaved_back(x):
    """Head 0 comes first with all of its features, then head 1. Yours are interleaved: keep d_k as the last
    axis before joining.
    """
    return x.permute(0, 2, 3, 1).flatten(2)


@mistake("H8")
def averaged(x):
    """You averaged the heads. They are concatenated, so that W_O can weigh each feature itself."""
    return x.mean(dim=1)


@mistake("H8")
def added(x):
    """You added the heads up. They are concatenated, so that W_O can weigh each feature itself."""
    return x.sum(dim=1)


@mistake
def first_head(x):
    """That is one head. All of them stand side by side: concatenate them."""
    return x[:, 0]


@mistake(mentions=r"mT|transpose|permute|swap")
def swapped_inside(x):
    """You swap tokens and features of each head. Swap heads and tokens, axes 1 and 2, then join."""
    return x.mT.reshape(x.shape[0], x.shape[2], -1)


@mistake
def joined_in_time(x):
    """Your heads stand behind each other in time. They belong side by side: the features are joined, dim=-1,
    not the tokens.
    """
    return torch.cat(x.unbind(dim=1), dim=1)


@mistake
def not_joined(x):
    """Nearly: the last two axes, heads and d_k, are still to be joined."""
    return x.transpose(1, 2)


@mistake
def joined_too_early(x):
    """You joined seq and d_k, and the heads are still apart. Swap axes 1 and 2, then join the last two."""
    return x.flatten(2)


@mistake
def joined_to_the_batch(x):
    """Heads and batch are joined in yours. Swap axes 1 and 2 first, then join the last two, heads and d_k."""
    return x.flatten(0, 1)


@mistake(mentions=r"= x\.(shape|size\(\))")
def without_batch(x):
    """x has an axis for the batch too: `batch, heads, seq, d_k = x.shape`."""
    heads, seq, d_k = x.shape
    return x.transpose(0, 1).reshape(seq, heads * d_k)


@mistake(mentions=r"detach|\.data\b|no_grad|numpy|tolist|torch\.tensor\(")
def cut_off(x):
    """The gradient must come back from the output to the heads: `.detach()`, NumPy and `torch.tensor(...)`
    cut it.
    """
    return x.detach().transpose(1, 2).flatten(2)


@mistake(mentions=r"numpy|\bnp\b")
def through_numpy(x):
    """NumPy keeps no gradient, and x has one that must come back to the heads. Use PyTorch's operations on x
    itself.
    """
    return torch.from_numpy(x.numpy()).transpose(1, 2).flatten(2)
