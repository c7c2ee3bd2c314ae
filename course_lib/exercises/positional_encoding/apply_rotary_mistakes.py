"""Wrong answers to apply_rotary: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.positional_encoding.apply_rotary import stacked, turns

mistake = Mistakes()


@mistake
def halves(x, cos, sin):
    """You pair dimension i with i + d_k / 2, as Llama in Hugging Face does. That works if it is used
    everywhere, but here a pair is made of two neighbors, 2i and 2i + 1.
    """
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


@mistake
def concatenated(x, cos, sin):
    """You rotate the pairs correctly, but then put all first numbers before all second ones. Put each pair
    back side by side with `torch.stack(..., dim=-1).flatten(-2)`.
    """
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.cat([even * cos - odd * sin, even * sin + odd * cos], dim=-1)


@mistake
def backwards(x, cos, sin):
    """You rotate in the other direction. Scores stay the same if queries and keys do so too, but this
    exercise rotates from the first number towards the second: (a cos - b sin, a sin + b cos).
    """
    return stacked(x, cos, -sin)


@mistake
def no_minus(x, cos, sin):
    """One minus is missing, so the lengths of the vectors change. The rotated pair is (a cos - b sin, a sin +
    b cos).
    """
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos + odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


@mistake
def swapped(x, cos, sin):
    """You swapped cos and sin. At position 0 the angle is 0, so its vector must not change."""
    return stacked(x, sin, cos)


@mistake(mentions=r"repeat\(|cat\(|tile\(|concat")
def repeated_as_halves(x, cos, sin):
    """`repeat` and `cat` put the cosines in the order for pairs of halves. For neighbors, each cosine and
    each sine has to stand twice in a row: use `repeat_interleave`.
    """
    swapped = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * torch.cat([cos, cos], dim=-1) + swapped * torch.cat([sin, sin], dim=-1)


@mistake
def mixed(x, cos, sin):
    """You mix two conventions. You take the numbers for sin from the other half of x, as for pairs of halves,
    but cos and sin are in the order for neighbors. Use neighbors for both.
    """
    first, second = x.chunk(2, dim=-1)
    swapped = torch.cat([-second, first], dim=-1)
    return x * cos.repeat_interleave(2, dim=-1) + swapped * sin.repeat_interleave(2, dim=-1)


@mistake
def overwritten(x, cos, sin):
    """You overwrite the first numbers before you compute the second ones, which need the old values. Compute
    both before you write any.
    """
    turned = x.clone()
    even, odd = turned[..., 0::2], turned[..., 1::2]
    even.copy_(even * cos - odd * sin)
    odd.copy_(even * sin + odd * cos)
    return turned


@mistake("A20")
def in_place(x, cos, sin):
    """You change x itself, and the caller still needs it. Write the result into a new tensor."""
    even, odd = x[..., 0::2].clone(), x[..., 1::2].clone()
    x[..., 0::2], x[..., 1::2] = even * cos - odd * sin, even * sin + odd * cos
    return x


@mistake
def added(x, cos, sin):
    """You added the positions. Rotary positions add nothing: they rotate the vector, and its length does not
    change.
    """
    return x + torch.stack([sin, cos], dim=-1).flatten(-2)


@mistake
def scaled(x, cos, sin):
    """You scale each number of a pair separately. A rotation mixes the two numbers: (a cos - b sin, a sin + b
    cos).
    """
    return torch.stack([x[..., 0::2] * cos, x[..., 1::2] * sin], dim=-1).flatten(-2)


@mistake
def one_position(x, cos, sin):
    """You rotate all words by the angles of the last position, so no score depends on a distance. Use all
    rows of cos and sin.
    """
    return stacked(x, cos[-1], sin[-1])


@mistake
def for_three_axes(x, cos, sin):
    """You count axes from the front, but x may have batch and heads in front, or nothing. Count from the end:
    `x[..., 0::2]` always works, and `cos` of shape (seq, d_k / 2) broadcasts without help.
    """
    even, odd = x[:, :, 0::2], x[:, :, 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=3).flatten(2)


@mistake
def two_minus(x, cos, sin):
    """You have one minus too many. The second number is a sin + b cos, and only the first one has a minus."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, odd * cos - even * sin], dim=-1).flatten(-2)


@mistake
def not_flattened(x, cos, sin):
    """The pairs in your result still have their own axis. Join it with the axis before:
    `.flatten(start_dim=-2)`.
    """
    return stacked(x, cos, sin).unflatten(-1, (-1, 2))


@mistake(mentions=r"\[:, 0?::2\]")
def slices_the_words(x, cos, sin):
    """`x[:, 0::2]` takes every second word. Use the dots to reach the last axis: `x[..., 0::2]`."""
    even, odd = x[:, 0::2], x[:, 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


@mistake(mentions=r"\[0?::2\]")
def slices_the_batch(x, cos, sin):
    """`x[0::2]` takes every second sentence. Use the dots to reach the last axis: `x[..., 0::2]`."""
    even, odd = x[0::2], x[1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


@mistake(mentions=r"= x\.(shape|size\(\))")
def two_axes(x, cos, sin):
    """x may have any number of axes before seq and d_k, so its shape cannot always be unpacked. `x.shape[-1]`
    is always d_k.
    """
    seq, d_k = x.shape
    return stacked(x, cos, sin).view(seq, d_k)


@mistake(mentions=r"detach|\.data\b|no_grad|numpy|tolist|torch\.tensor\(")
def cut_off(x, cos, sin):
    """The gradient must flow back to x, and from there to the queries and keys. `.detach()`, NumPy and
    `torch.tensor(...)` cut it off.
    """
    return stacked(x.detach(), cos, sin)


@mistake(mentions=r"numpy|\bnp\b")
def through_numpy(x, cos, sin):
    """NumPy keeps no gradient, but the gradient of x must flow back to the queries and keys. Use PyTorch's
    operations on x itself.
    """
    return stacked(torch.from_numpy(x.numpy()), cos, sin)


@mistake(mentions=r"= x\.(shape|size\(\))")
def unpacked(x, cos, sin):
    """x may have any number of axes, so its shape cannot always be unpacked. Write `x.shape[-1]` instead of
    `batch, seq, d_k = x.shape`.
    """
    batch, seq, d_k = x.shape
    return stacked(x, cos, sin).view(batch, seq, d_k)


@mistake
def own_angles(x, cos, sin):
    """You compute the angles yourself, for words at positions 0, 1, 2 and so on. A caller may ask for words
    that begin at a later position. Use the cos and sin that you get.
    """
    return stacked(x, *(table.to(x.dtype) for table in turns(*x.shape[-2:])))
