"""Wrong answers to split_heads: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("H1")
def pieces_of_time(x, heads):
    """This cuts each sentence into pieces of time: the first tokens fill head 0. Cut the features,
    `view(batch, seq, heads, d_k)`, then swap axes 1 and 2.
    """
    return x.reshape(x.shape[0], heads, x.shape[1], -1)


@mistake(mentions=r"mT|transpose|permute|swap|movedim")
def swapped_first(x, heads):
    """You swap seq and features before cutting, and the cut then runs through the sentence. Cut the last axis
    first, swap afterwards.
    """
    return x.mT.reshape(x.shape[0], heads, x.shape[1], -1)


@mistake("H1", mentions=r"view|reshape|flatten")
def viewed_and_turned(x, heads):
    """A view or reshape moves no number, so this cuts the sentence too. Cut the last axis alone, `view(batch,
    seq, heads, d_k)`, then swap axes 1 and 2.
    """
    return x.reshape(x.shape[0], heads, -1, x.shape[1]).mT


@mistake(mentions=r"unflatten\(1")
def cut_tokens(x, heads):
    """Axis 1 holds the tokens, and you cut it. Cut the features, the last axis: `unflatten(-1, ...)`."""
    return x.unflatten(1, (heads, -1))


@mistake
def not_transposed(x, heads):
    """Nearly: the heads must stand before the sequence. Swap axes 1 and 2: `.transpose(1, 2)`."""
    return x.unflatten(-1, (heads, -1))


@mistake("H6")
def interleaved(x, heads):
    """Your heads take every third feature (with 3 heads). That trains as well, but it is not the paper's
    layout: head 0 holds the first d_k features. Cut into (heads, d_k), in this order.
    """
    return x.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2)


@mistake
def heads_as_size(x, heads):
    """Number and size are exchanged: yours are d_k heads of `heads` features. There are `heads` heads, each
    of d_k = d_model / heads features.
    """
    return x.unflatten(-1, (-1, heads)).transpose(1, 2)


@mistake(mentions=r"list\(|append|for ", lacks=r"stack|cat\(")
def list_of_heads(x, heads):
    """A list of heads cannot be multiplied at once: `torch.stack(..., dim=1)` makes one tensor of it."""
    return list(x.unflatten(-1, (heads, -1)).unbind(dim=2))


@mistake
def heads_first(x, heads):
    """The batch comes first: (batch, heads, seq, d_k). With `torch.stack` say dim=1."""
    return x.unflatten(-1, (heads, -1)).permute(2, 0, 1, 3)


@mistake
def folded(x, heads):
    """Batch and heads are folded into one axis. Keep both: (batch, heads, seq, d_k); matrix products take any
    number of axes before the last two.
    """
    return x.unflatten(-1, (heads, -1)).transpose(1, 2).flatten(0, 1)


@mistake
def features_before_tokens(x, heads):
    """The last two axes are swapped: a token's d_k features come last."""
    return x.unflatten(-1, (heads, -1)).permute(0, 2, 3, 1)


@mistake
def swapped_last(x, heads):
    """You swapped heads and d_k, the last two axes. Swap seq and heads: `.transpose(1, 2)`."""
    return x.unflatten(-1, (heads, -1)).mT


@mistake("H12")
def whole_width(x, heads):
    """Split the width, do not multiply it: each head gets d_model / heads features, not all."""
    return x[:, None].expand(-1, heads, -1, -1).clone()


@mistake("H16", mentions="//")
def rest_dropped(x, heads):
    """`//` rounds down, and the last features silently belong to no head. `unflatten`, `view` and `reshape`
    notice; with slices, check `d_model % heads` and raise an error.
    """
    d_k = x.shape[-1] // heads
    return torch.stack([x[..., h * d_k : (h + 1) * d_k] for h in range(heads)], dim=1)


@mistake("H16", mentions="chunk")
def chunks_rounded_up(x, heads):
    """`chunk` rounds the size of a piece up: of 6 features and 4 heads it makes 3 pieces of 2. Check `d_model
    % heads`, and raise an error.
    """
    return torch.stack(x.chunk(heads, dim=-1), dim=1)


@mistake("H16", mentions=(r"-1, heads, ", "//"))
def sequence_worked_out(x, heads):
    """`//` rounds down, and with -1 in its place the sequence becomes longer to make up for it. Name the
    sequence, `view(batch, seq, heads, d_k)`: it then notices what does not fit.
    """
    d_k = x.shape[-1] // heads
    return x.reshape(x.shape[0], -1, heads, d_k).transpose(1, 2)


@mistake(mentions=r"= x\.(shape|size\(\))")
def without_batch(x, heads):
    """x has an axis for the batch too: `batch, seq, d_model = x.shape`."""
    seq, d_model = x.shape
    return x.view(seq, heads, d_model // heads).transpose(0, 1)


@mistake(mentions=r"detach|\.data\b|no_grad|numpy|tolist|torch\.tensor\(")
def cut_off(x, heads):
    """The gradient must come back through the heads to the projections: `.detach()`, NumPy and
    `torch.tensor(...)` cut it.
    """
    return x.detach().unflatten(-1, (heads, -1)).transpose(1, 2)


@mistake(mentions=r"numpy|\bnp\b")
def through_numpy(x, heads):
    """NumPy keeps no gradient, and x has one that must come back to the projections. Use PyTorch's operations
    on x itself.
    """
    return torch.from_numpy(x.numpy()).unflatten(-1, (heads, -1)).transpose(1, 2)


@mistake(mentions="chunk")
def tuple_of_chunks(x, heads):
    """`chunk` gives a tuple of tensors, and a tuple cannot be multiplied at once: `torch.stack(..., dim=1)`
    makes one tensor.
    """
    return x.chunk(heads, dim=-1)


@mistake(mentions=r"split\(")
def split_by_size(x, heads):
    """`split` takes the size of a piece, not the number of pieces, and gives a tuple. `chunk` takes the
    number; `torch.stack(..., dim=1)` makes one tensor.
    """
    return x.split(heads, dim=-1)


@mistake(mentions=r"[^/]/[^/]")
def float_size(x, heads):
    """`/` gives a float, and no axis has 4.0 entries: write `//`, or -1 and let PyTorch work it out."""
    return x.view(*x.shape[:2], heads, x.shape[2] / heads).transpose(1, 2)
