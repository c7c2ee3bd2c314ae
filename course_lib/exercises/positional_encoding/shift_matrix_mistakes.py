"""Wrong answers to shift_matrix: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.positional_encoding.shift_matrix import angles_of, reference
from course_lib.exercises.positional_encoding.sinusoidal_encoding import reference as encoding_of

mistake = Mistakes()


def _blocks(k, d_model, block):
    return torch.block_diag(*(torch.tensor(block(b.cos(), b.sin())) for b in angles_of(k, d_model)))


@mistake
def backwards(k, d_model):
    """Your matrix moves k positions back: it is the transpose of the right one. In `matrix @ encoding[p]`,
    the first row makes the new sine, sin a cos b + cos a sin b, so the + sin b belongs in the first row.
    """
    return reference(k, d_model).mT


@mistake
def no_minus(k, d_model):
    """With a plus in both rows, your matrix is no rotation. The second row needs a minus: cos(a + b) = cos a
    cos b - sin a sin b.
    """
    return _blocks(k, d_model, lambda c, s: [[c, s], [s, c]])


@mistake
def two_minus(k, d_model):
    """You have one minus too many. The first row has none: sin(a + b) = sin a cos b + cos a sin b."""
    return _blocks(k, d_model, lambda c, s: [[c, -s], [-s, c]])


@mistake
def reflected(k, d_model):
    """Your matrix is a reflection, because the minus is at the wrong number. The second row is cos(a + b) =
    cos a cos b - sin a sin b.
    """
    return _blocks(k, d_model, lambda c, s: [[c, s], [s, -c]])


@mistake(mentions=r"abs")
def by_size(k, d_model):
    """You use only the size of k, so the matrix always moves forward. A negative k makes sin b negative."""
    return reference(abs(k), d_model)


@mistake(mentions=r"roll\(")
def rolled(k, d_model):
    """`roll` moves the features to other columns. A shift by k positions rotates each pair of features
    instead.
    """
    return torch.eye(d_model).roll(k, 0)


@mistake(mentions=r"roll\(")
def rolled_back(k, d_model):
    """`roll` moves the rows of a matrix. A shift by k positions rotates each pair of features instead."""
    return torch.eye(d_model).roll(k, 1)


@mistake
def diagonal_only(k, d_model):
    """Your matrix has numbers on its diagonal only, so it cannot rotate. The new sine also needs the old
    cosine, times sin b, and the new cosine needs the old sine.
    """
    return _blocks(k, d_model, lambda c, s: [[c, 0.0], [0.0, c]])


@mistake
def swapped_columns(k, d_model):
    """You swapped the columns of each block, so the matrix reflects and rotates. The first column multiplies
    the old sine.
    """
    return _blocks(k, d_model, lambda c, s: [[s, c], [c, -s]])


@mistake
def one_rate(k, d_model):
    """You rotate all pairs by k, which is the angle of pair 0. Every pair has its own rate."""
    b = torch.tensor(float(k))
    block = torch.tensor([[b.cos(), b.sin()], [-b.sin(), b.cos()]])
    return torch.block_diag(*[block] * (d_model // 2))


@mistake
def always_one(k, d_model):
    """Your angle does not contain k. The angle of a pair is k times its rate."""
    return reference(1, d_model)


@mistake("O2")
def doubled_exponent(k, d_model):
    """Your exponent is twice too large, so the pairs rotate too slowly. If your i counts 0, 2, 4, it is
    already 2i.
    """
    rates = 10000.0 ** (-2 * torch.arange(0, d_model, 2) / d_model)
    return torch.block_diag(*(torch.tensor([[b.cos(), b.sin()], [-b.sin(), b.cos()]]) for b in k * rates))


@mistake("O3")
def halved_exponent(k, d_model):
    """Your exponent is half of the right one, so the pairs rotate too fast. It is 2i / d_model, and i counts
    the pairs.
    """
    rates = 10000.0 ** (-torch.arange(d_model // 2) / d_model)
    return torch.block_diag(*(torch.tensor([[b.cos(), b.sin()], [-b.sin(), b.cos()]]) for b in k * rates))


@mistake("O8")
def halves(k, d_model):
    """Your matrix fits an encoding with all sines first and all cosines after them. Here the sine and the
    cosine of a pair are neighbors: put one block of 2 x 2 for each pair on the diagonal.
    """
    cos, sin = torch.diag(angles_of(k, d_model).cos()), torch.diag(angles_of(k, d_model).sin())
    return torch.cat([torch.cat([cos, sin], dim=1), torch.cat([-sin, cos], dim=1)])


@mistake
def encoding_on_diagonal(k, d_model):
    """You put the encoding of k on the diagonal, which is no rotation. Its sines and cosines belong into
    blocks of 2 x 2, one for each pair.
    """
    sine, cosine = angles_of(k, d_model).sin(), angles_of(k, d_model).cos()
    return torch.diag(torch.stack([sine, cosine], dim=1).flatten())


@mistake
def one_block(k, d_model):
    """You return one block. There is one block for each pair: `torch.block_diag(*blocks)`."""
    return reference(k, 2)


@mistake(mentions=r"encoding")
def forward_only(k, d_model):
    """k may be negative, and the encoding has no row for it. Take the row of -k: cos b stays the same, and
    sin b gets a minus.
    """
    sine, cosine = encoding_of(k + 1, d_model)[k].view(-1, 2).T
    return torch.block_diag(*(torch.tensor([[c, s], [-s, c]]) for s, c in zip(sine, cosine, strict=True)))


@mistake
def stacked(k, d_model):
    """Your blocks are in a stack with a third axis. `torch.block_diag(*blocks)` makes one matrix of them."""
    return torch.stack([reference(k, d_model)[i : i + 2, i : i + 2] for i in range(0, d_model, 2)])


@mistake
def side_by_side(k, d_model):
    """Your blocks are side by side. They belong on the diagonal: `torch.block_diag(*blocks)`."""
    return torch.cat(tuple(stacked(k, d_model)), dim=1)


@mistake(mentions="block_diag")
def without_star(k, d_model):
    """You pass a list, but `torch.block_diag` takes the blocks as separate arguments. Add a star:
    `torch.block_diag(*blocks)`.
    """
    return torch.block_diag(list(stacked(k, d_model)))


@mistake
def overlapping(k, d_model):
    """Your blocks overlap. Each block is two numbers wide, so block i begins at row and column 2i."""
    matrix = torch.zeros(d_model, d_model)
    for i, block in enumerate(stacked(k, d_model)):
        matrix[i : i + 2, i : i + 2] = block
    return matrix


@mistake
def faster(k, d_model):
    """Your pairs rotate faster and faster. Divide k by 10000 ** (2i / d_model)."""
    angle = k * 10000.0 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.block_diag(*(torch.tensor([[b.cos(), b.sin()], [-b.sin(), b.cos()]]) for b in angle))
