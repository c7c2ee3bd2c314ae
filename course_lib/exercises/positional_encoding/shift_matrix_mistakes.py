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
    """Your matrix moves k places back: it is the transpose of the one asked, which stands before the
    encoding, `matrix @ encoding[p]`. The new sine is sin a cos b + cos a sin b: + sin b stands above.
    """
    return reference(k, d_model).mT


@mistake
def no_minus(k, d_model):
    """cos(a + b) = cos a cos b - sin a sin b: with a plus in both rows the matrix is no rotation."""
    return _blocks(k, d_model, lambda c, s: [[c, s], [s, c]])


@mistake
def two_minus(k, d_model):
    """One minus too many: sin(a + b) = sin a cos b + cos a sin b, the first row has none."""
    return _blocks(k, d_model, lambda c, s: [[c, -s], [-s, c]])


@mistake
def reflected(k, d_model):
    """The minus stands on the wrong number: cos(a + b) = cos a cos b - sin a sin b. Yours is a reflection."""
    return _blocks(k, d_model, lambda c, s: [[c, s], [s, -c]])


@mistake(mentions=r"abs")
def by_size(k, d_model):
    """k may be negative, and then sin b is: you take only its size, so that it moves forward every time."""
    return reference(abs(k), d_model)


@mistake(mentions=r"roll\(")
def rolled(k, d_model):
    """`roll` moves the features to other columns. Moving on by k positions turns each pair of features."""
    return torch.eye(d_model).roll(k, 0)


@mistake(mentions=r"roll\(")
def rolled_back(k, d_model):
    """`roll` moves the rows of a matrix. Moving on by k positions turns each pair of features."""
    return torch.eye(d_model).roll(k, 1)


@mistake
def diagonal_only(k, d_model):
    """The diagonal alone cannot turn: the new sine also needs the old cosine, times sin b, and the new cosine
    the old sine.
    """
    return _blocks(k, d_model, lambda c, s: [[c, 0.0], [0.0, c]])


@mistake
def swapped_columns(k, d_model):
    """This mirrors and turns: the columns of each block are swapped. The first takes the old sine."""
    return _blocks(k, d_model, lambda c, s: [[s, c], [c, -s]])


@mistake
def one_rate(k, d_model):
    """Every pair turns at a rate of its own; you turn all of them by k, the rate of pair 0."""
    b = torch.tensor(float(k))
    block = torch.tensor([[b.cos(), b.sin()], [-b.sin(), b.cos()]])
    return torch.block_diag(*[block] * (d_model // 2))


@mistake
def always_one(k, d_model):
    """The angle of a pair is k times its rate: k is missing."""
    return reference(1, d_model)


@mistake("O2")
def doubled_exponent(k, d_model):
    """Your exponent is twice too large, and the pairs turn too slowly. If your i jumps by two, it is already
    2i.
    """
    rates = 10000.0 ** (-2 * torch.arange(0, d_model, 2) / d_model)
    return torch.block_diag(*(torch.tensor([[b.cos(), b.sin()], [-b.sin(), b.cos()]]) for b in k * rates))


@mistake("O3")
def halved_exponent(k, d_model):
    """Your pairs turn too fast: the exponent is half of what it should be. It is 2i / d_model, and i counts
    the pairs.
    """
    rates = 10000.0 ** (-torch.arange(d_model // 2) / d_model)
    return torch.block_diag(*(torch.tensor([[b.cos(), b.sin()], [-b.sin(), b.cos()]]) for b in k * rates))


@mistake("O8")
def halves(k, d_model):
    """Your matrix is for an encoding with all sines first and all cosines after. Here sine and cosine of a
    pair are neighbors: one block of 2 x 2 a pair, along the diagonal.
    """
    cos, sin = torch.diag(angles_of(k, d_model).cos()), torch.diag(angles_of(k, d_model).sin())
    return torch.cat([torch.cat([cos, sin], dim=1), torch.cat([-sin, cos], dim=1)])


@mistake
def encoding_on_diagonal(k, d_model):
    """Turns do not add like this: the encoding of k is no matrix yet. Its sines and cosines are what the
    blocks are made of.
    """
    sine, cosine = angles_of(k, d_model).sin(), angles_of(k, d_model).cos()
    return torch.diag(torch.stack([sine, cosine], dim=1).flatten())


@mistake
def one_block(k, d_model):
    """This is one block; there is one for each pair: `torch.block_diag(*blocks)`."""
    return reference(k, 2)


@mistake(mentions=r"encoding")
def forward_only(k, d_model):
    """k may be negative, and the encoding has no row for it: take cos b as it is, sin b with a minus."""
    sine, cosine = encoding_of(k + 1, d_model)[k].view(-1, 2).T
    return torch.block_diag(*(torch.tensor([[c, s], [-s, c]]) for s, c in zip(sine, cosine, strict=True)))


@mistake
def stacked(k, d_model):
    """The blocks lie in a stack of their own: `torch.block_diag(*blocks)` makes one matrix."""
    return torch.stack([reference(k, d_model)[i : i + 2, i : i + 2] for i in range(0, d_model, 2)])


@mistake
def side_by_side(k, d_model):
    """The blocks stand side by side; they belong on the diagonal: `torch.block_diag(*blocks)`."""
    return torch.cat(tuple(stacked(k, d_model)), dim=1)


@mistake(mentions="block_diag")
def without_star(k, d_model):
    """`torch.block_diag` takes the blocks one by one: `torch.block_diag(*blocks)`, with a star."""
    return torch.block_diag(list(stacked(k, d_model)))


@mistake
def overlapping(k, d_model):
    """Your blocks overlap: each is two wide, so block i begins at row and column 2i."""
    matrix = torch.zeros(d_model, d_model)
    for i, block in enumerate(stacked(k, d_model)):
        matrix[i : i + 2, i : i + 2] = block
    return matrix


@mistake
def faster(k, d_model):
    """Your pairs turn faster and faster: k is divided by 10000 ** (2i / d_model)."""
    angle = k * 10000.0 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.block_diag(*(torch.tensor([[b.cos(), b.sin()], [-b.sin(), b.cos()]]) for b in angle))
