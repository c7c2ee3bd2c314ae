"""Wrong answers to apply_rotary: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.positional_encoding.apply_rotary import stacked

mistake = Mistakes()


@mistake
def halves(x, cos, sin):
    """You pair dimension i with i + d_k / 2, as Llama in Hugging Face does. That works as well where it is
    used throughout; here a pair is two neighbors, 2i and 2i + 1.
    """
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


@mistake
def concatenated(x, cos, sin):
    """The pairs are turned rightly, then all first numbers stand before all second ones: put each pair back
    side by side, with `torch.stack(..., dim=-1).flatten(-2)`.
    """
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.cat([even * cos - odd * sin, even * sin + odd * cos], dim=-1)


@mistake
def backwards(x, cos, sin):
    """You turn the other way round. Scores would not notice, if queries and keys do the same. Asked is a turn
    from the first number towards the second: (a cos - b sin, a sin + b cos).
    """
    return stacked(x, cos, -sin)


@mistake
def no_minus(x, cos, sin):
    """One minus is missing: (a cos - b sin, a sin + b cos). With two plus signs lengths change."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos + odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


@mistake
def swapped(x, cos, sin):
    """cos and sin are swapped: position 0, with angle 0, must not turn."""
    return stacked(x, sin, cos)


@mistake(mentions=r"repeat\(|cat\(|tile\(|concat")
def repeated_as_halves(x, cos, sin):
    """The cosines and sines lie as 0, 0, 1, 1, ... with `repeat_interleave`; with `repeat` or `cat` they lie
    as for pairs of halves, and do not fit neighbors.
    """
    swapped = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * torch.cat([cos, cos], dim=-1) + swapped * torch.cat([sin, sin], dim=-1)


@mistake
def mixed(x, cos, sin):
    """Two conventions are mixed: you take sin from the other half of x, as for pairs of halves, but cos and
    sin lie as for neighbors. So nothing is turned in a plane.
    """
    first, second = x.chunk(2, dim=-1)
    swapped = torch.cat([-second, first], dim=-1)
    return x * cos.repeat_interleave(2, dim=-1) + swapped * sin.repeat_interleave(2, dim=-1)


@mistake
def overwritten(x, cos, sin):
    """When you compute the second numbers, the first ones are already the new ones, and the old ones are
    needed. Compute both before you write any.
    """
    turned = x.clone()
    even, odd = turned[..., 0::2], turned[..., 1::2]
    even.copy_(even * cos - odd * sin)
    odd.copy_(even * sin + odd * cos)
    return turned


@mistake("A20")
def in_place(x, cos, sin):
    """You write into x itself, and the caller still needs it: make a new tensor."""
    even, odd = x[..., 0::2].clone(), x[..., 1::2].clone()
    x[..., 0::2], x[..., 1::2] = even * cos - odd * sin, even * sin + odd * cos
    return x


@mistake
def added(x, cos, sin):
    """You added the positions. Rotary positions add nothing: they turn the vector, and its length stays."""
    return x + torch.stack([sin, cos], dim=-1).flatten(-2)


@mistake
def scaled(x, cos, sin):
    """A turn mixes the two numbers of a pair: a cos - b sin. You scale each by itself."""
    return torch.stack([x[..., 0::2] * cos, x[..., 1::2] * sin], dim=-1).flatten(-2)


@mistake
def one_position(x, cos, sin):
    """All words are turned by the angles of the last position, so no score knows a distance: use cos and sin
    whole.
    """
    return stacked(x, cos[-1], sin[-1])


@mistake
def for_three_axes(x, cos, sin):
    """Count axes from the end: x may have batch and heads in front, or nothing. `x[..., 0::2]` fits all, and
    `cos` of shape (seq, d_k / 2) broadcasts by itself.
    """
    even, odd = x[:, :, 0::2], x[:, :, 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=3).flatten(2)


@mistake
def two_minus(x, cos, sin):
    """One minus too many: the second number is a sin + b cos, the first alone has a minus."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, odd * cos - even * sin], dim=-1).flatten(-2)


@mistake
def not_flattened(x, cos, sin):
    """The pairs still have an axis of their own: `.flatten(start_dim=-2)`."""
    return stacked(x, cos, sin).unflatten(-1, (-1, 2))


@mistake(mentions=r"\[:, 0?::2\]")
def slices_the_words(x, cos, sin):
    """`x[:, 0::2]` takes every second word. The dots reach the last axis: `x[..., 0::2]`."""
    even, odd = x[:, 0::2], x[:, 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


@mistake(mentions=r"\[0?::2\]")
def slices_the_batch(x, cos, sin):
    """`x[0::2]` takes every second sentence. The dots reach the last axis: `x[..., 0::2]`."""
    even, odd = x[0::2], x[1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


@mistake(mentions=r"= x\.(shape|size\(\))")
def two_axes(x, cos, sin):
    """x may have any number of axes before seq and d_k: `x.shape[-1]` is d_k, however many there are."""
    seq, d_k = x.shape
    return stacked(x, cos, sin).view(seq, d_k)


@mistake(mentions=r"detach|\.data\b|no_grad|numpy|tolist|torch\.tensor\(")
def cut_off(x, cos, sin):
    """The gradient must come back to x, and further to the queries and keys: `.detach()`, NumPy and
    `torch.tensor(...)` cut it.
    """
    return stacked(x.detach(), cos, sin)


@mistake(mentions=r"numpy|\bnp\b")
def through_numpy(x, cos, sin):
    """NumPy keeps no gradient, and x has one that must come back to the queries and keys. Use PyTorch's
    operations on x itself.
    """
    return stacked(torch.from_numpy(x.numpy()), cos, sin)


@mistake(mentions=r"= x\.(shape|size\(\))")
def unpacked(x, cos, sin):
    """x may have any number of axes: `x.shape[-1]` instead of `batch, seq, d_k = x.shape`."""
    batch, seq, d_k = x.shape
    return stacked(x, cos, sin).view(batch, seq, d_k)
