"""Wrong answers to split_heads: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("H1")
def pieces_of_time(x, heads):
    """You cut through the sentence, so head 0 holds the first tokens with all their features. Cut the
    features of each token with `view(batch, seq, heads, d_k)`, then swap axes 1 and 2.
    """
    return x.reshape(x.shape[0], heads, x.shape[1], -1)


@mistake(mentions=r"mT|transpose|permute|swap|movedim")
def swapped_first(x, heads):
    """You swap seq and features before you cut, so the cut runs through the sentence. Cut the last axis
    first, then swap.
    """
    return x.mT.reshape(x.shape[0], heads, x.shape[1], -1)


@mistake("H1", mentions=r"view|reshape|flatten")
def viewed_and_turned(x, heads):
    """A view or reshape moves no number, so this also cuts through the sentence. Cut only the last axis with
    `view(batch, seq, heads, d_k)`, then swap axes 1 and 2.
    """
    return x.reshape(x.shape[0], heads, -1, x.shape[1]).mT


@mistake(mentions=r"unflatten\(1")
def cut_tokens(x, heads):
    """You cut axis 1, which holds the tokens. Cut the features, the last axis: `unflatten(-1, ...)`."""
    return x.unflatten(1, (heads, -1))


@mistake
def not_transposed(x, heads):
    """Nearly right. The axis of the heads must come before the sequence. Swap axes 1 and 2: `.transpose(1,
    2)`.
    """
    return x.unflatten(-1, (heads, -1))


@mistake("H6")
def interleaved(x, heads):
    """Your heads take every third feature (with 3 heads). A model would train with this too, but in the
    paper's layout head 0 holds the first d_k features. Cut the last axis into (heads, d_k), in this order.
    """
    return x.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2)


@mistake
def heads_as_size(x, heads):
    """You exchanged number and size: you made d_k heads of `heads` features. Make `heads` heads of d_k =
    d_model / heads features.
    """
    return x.unflatten(-1, (-1, heads)).transpose(1, 2)


@mistake(mentions=r"list\(|append|for ", lacks=r"stack|cat\(")
def list_of_heads(x, heads):
    """You return a list, and a list of heads cannot be multiplied at once. Make one tensor of it:
    `torch.stack(..., dim=1)`.
    """
    return list(x.unflatten(-1, (heads, -1)).unbind(dim=2))


@mistake
def heads_first(x, heads):
    """The axis of the batch comes first: (batch, heads, seq, d_k). If you use `torch.stack`, write dim=1."""
    return x.unflatten(-1, (heads, -1)).permute(2, 0, 1, 3)


@mistake
def folded(x, heads):
    """You folded batch and heads into one axis. Keep both, (batch, heads, seq, d_k), because matrix products
    take any number of axes before the last two.
    """
    return x.unflatten(-1, (heads, -1)).transpose(1, 2).flatten(0, 1)


@mistake
def features_before_tokens(x, heads):
    """The last two axes are swapped. The d_k features of a token have to be the last axis."""
    return x.unflatten(-1, (heads, -1)).permute(0, 2, 3, 1)


@mistake
def swapped_last(x, heads):
    """You swapped heads and d_k, the last two axes. Swap seq and heads: `.transpose(1, 2)`."""
    return x.unflatten(-1, (heads, -1)).mT


@mistake("H12")
def whole_width(x, heads):
    """Each head gets all d_model features here. Split the features: each head gets d_model / heads
    of them.
    """
    return x[:, None].expand(-1, heads, -1, -1).clone()


@mistake("H16", mentions="//")
def rest_dropped(x, heads):
    """`//` rounds down, so the last features belong to no head and no error is raised. `unflatten`, `view`
    and `reshape` raise one; with slices, check `d_model % heads` and raise an error.
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
    """`//` rounds down, and with -1 for the sequence PyTorch makes the sequence longer. Write the length of
    the sequence, `view(batch, seq, heads, d_k)`: then sizes that do not fit raise an error.
    """
    d_k = x.shape[-1] // heads
    return x.reshape(x.shape[0], -1, heads, d_k).transpose(1, 2)


@mistake(mentions=r"= x\.(shape|size\(\))")
def without_batch(x, heads):
    """x also has an axis for the batch. Unpack three sizes: `batch, seq, d_model = x.shape`."""
    seq, d_model = x.shape
    return x.view(seq, heads, d_model // heads).transpose(0, 1)


@mistake(mentions=r"detach|\.data\b|no_grad|numpy|tolist|torch\.tensor\(")
def cut_off(x, heads):
    """The gradient must flow back through the heads to the projections. `.detach()`, NumPy and
    `torch.tensor(...)` cut it off.
    """
    return x.detach().unflatten(-1, (heads, -1)).transpose(1, 2)


@mistake(mentions=r"numpy|\bnp\b")
def through_numpy(x, heads):
    """NumPy keeps no gradient, but the gradient of x must flow back to the projections. Use PyTorch's
    operations on x itself.
    """
    return torch.from_numpy(x.numpy()).unflatten(-1, (heads, -1)).transpose(1, 2)


@mistake(mentions="chunk")
def tuple_of_chunks(x, heads):
    """`chunk` returns a tuple of tensors, and a tuple cannot be multiplied at once. Make one tensor of it:
    `torch.stack(..., dim=1)`.
    """
    return x.chunk(heads, dim=-1)


@mistake(mentions=r"split\(")
def split_by_size(x, heads):
    """`split` takes the size of a piece, not the number of pieces, and returns a tuple. `chunk` takes the
    number, and `torch.stack(..., dim=1)` makes one tensor.
    """
    return x.split(heads, dim=-1)


@mistake(mentions=r"[^/]/[^/]")
def float_size(x, heads):
    """`/` gives a float such as 4.0, and a size must be an integer. Write `//`, or write -1 and PyTorch
    computes the size.
    """
    return x.view(*x.shape[:2], heads, x.shape[2] / heads).transpose(1, 2)


@mistake("H1", mentions=r"\bview\([^,*]*, [\w.]*heads, [^,]+, [^,]+\)")
def viewed_at_once(x, heads):
    """One `view` to (batch, heads, seq, d_k) cuts through the sentence, so head 0 would hold whole tokens.
    (`reshape` gives no error and the same wrong numbers.) Cut the features of each token with `view(batch,
    seq, heads, d_k)`, then swap axes 1 and 2.
    """
    batch, seq, d_model = x.shape
    return x.view(batch, heads, seq, d_model // heads)


@mistake(mentions=r"\bview\(")
def joined_by_view(x, heads):
    """`view` cannot join batch and seq when x was made by a transpose. Leave both as they are and cut only
    the last axis, with `view(batch, seq, heads, d_k)`.
    """
    batch, seq, d_model = x.shape
    pieces = x.view(batch * seq, heads, d_model // heads)
    return pieces.view(batch, seq, heads, d_model // heads).transpose(1, 2)
