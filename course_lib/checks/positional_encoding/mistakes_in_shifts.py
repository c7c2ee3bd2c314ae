"""What learners write for shift_matrix when blocks, angles or signs go wrong."""

import torch

from course_lib.checks.positional_encoding.shifts import angles_of, reference, shift_matrix
from course_lib.checks.positional_encoding.sinusoids import reference as encoding_of


def _blocks(k, d_model, block):
    return torch.block_diag(*(torch.tensor(block(b.cos(), b.sin())) for b in angles_of(k, d_model)))


@shift_matrix.mistake(
    "O23",
    advice="Your matrix moves k places back: it is the transpose of the one asked, which stands before the "
    "encoding, `matrix @ encoding[p]`. The new sine is sin a cos b + cos a sin b: + sin b stands above.",
)
def backwards(k, d_model):
    return reference(k, d_model).mT


@shift_matrix.mistake(
    "O24",
    advice="cos(a + b) = cos a cos b - sin a sin b: with a plus in both rows the matrix is no rotation.",
)
def no_minus(k, d_model):
    return _blocks(k, d_model, lambda c, s: [[c, s], [s, c]])


@shift_matrix.mistake(
    "O25",
    advice="The diagonal alone cannot turn: the new sine also needs the old cosine, times sin b, and the new "
    "cosine the old sine.",
)
def diagonal_only(k, d_model):
    return _blocks(k, d_model, lambda c, s: [[c, 0.0], [0.0, c]])


@shift_matrix.mistake(
    "O25",
    advice="This mirrors and turns: the columns of each block are swapped. The first takes the old sine.",
)
def swapped_columns(k, d_model):
    return _blocks(k, d_model, lambda c, s: [[s, c], [c, -s]])


@shift_matrix.mistake(
    "O26", advice="Every pair turns at a rate of its own; you turn all of them by k, the rate of pair 0."
)
def one_rate(k, d_model):
    b = torch.tensor(float(k))
    block = torch.tensor([[b.cos(), b.sin()], [-b.sin(), b.cos()]])
    return torch.block_diag(*[block] * (d_model // 2))


@shift_matrix.mistake("O27", advice="The angle of a pair is k times its rate: k is missing.")
def always_one(k, d_model):
    return reference(1, d_model)


@shift_matrix.mistake(
    "O2",
    advice="Your i already jumps by two, so it is 2i: the exponent is doubled and the pairs turn too slowly.",
)
def doubled_exponent(k, d_model):
    rates = 10000.0 ** (-2 * torch.arange(0, d_model, 2) / d_model)
    return torch.block_diag(*(torch.tensor([[b.cos(), b.sin()], [-b.sin(), b.cos()]]) for b in k * rates))


@shift_matrix.mistake(
    "O3", advice="The exponent is 2i / d_model; your pairs turn too fast because the 2 is missing."
)
def halved_exponent(k, d_model):
    rates = 10000.0 ** (-torch.arange(d_model // 2) / d_model)
    return torch.block_diag(*(torch.tensor([[b.cos(), b.sin()], [-b.sin(), b.cos()]]) for b in k * rates))


@shift_matrix.mistake(
    "O8",
    advice="Your matrix is for an encoding with all sines first and all cosines after. Here sine and cosine "
    "of a pair are neighbors: one block of 2 x 2 a pair, along the diagonal.",
)
def halves(k, d_model):
    cos, sin = torch.diag(angles_of(k, d_model).cos()), torch.diag(angles_of(k, d_model).sin())
    return torch.cat([torch.cat([cos, sin], dim=1), torch.cat([-sin, cos], dim=1)])


@shift_matrix.mistake(
    "O28",
    advice="Turns do not add like this: the encoding of k is no matrix yet. Its sines and cosines are what "
    "the blocks are made of.",
)
def encoding_on_diagonal(k, d_model):
    sine, cosine = angles_of(k, d_model).sin(), angles_of(k, d_model).cos()
    return torch.diag(torch.stack([sine, cosine], dim=1).flatten())


@shift_matrix.mistake(
    "O29", advice="This is one block; there is one for each pair: `torch.block_diag(*blocks)`."
)
def one_block(k, d_model):
    return reference(k, 2)


@shift_matrix.mistake(
    "O52",
    advice="k may be negative, and the encoding has no row for it: take cos b as it is, sin b with a minus.",
)
def forward_only(k, d_model):
    sine, cosine = encoding_of(k + 1, d_model)[k].view(-1, 2).T
    return torch.block_diag(*(torch.tensor([[c, s], [-s, c]]) for s, c in zip(sine, cosine, strict=True)))


@shift_matrix.mistake(
    "O29", advice="The blocks lie in a stack of their own: `torch.block_diag(*blocks)` makes one matrix."
)
def stacked(k, d_model):
    return torch.stack([reference(k, d_model)[i : i + 2, i : i + 2] for i in range(0, d_model, 2)])


@shift_matrix.mistake(
    "O29",
    advice="The blocks stand side by side; they belong on the diagonal: `torch.block_diag(*blocks)`.",
)
def side_by_side(k, d_model):
    return torch.cat(tuple(stacked(k, d_model)), dim=1)


@shift_matrix.mistake(
    "O29",
    advice="`torch.block_diag` takes the blocks one by one: `torch.block_diag(*blocks)`, with a star.",
)
def without_star(k, d_model):
    return torch.block_diag(list(stacked(k, d_model)))


@shift_matrix.mistake(
    "O56", advice="Your blocks overlap: each is two wide, so block i begins at row and column 2i."
)
def overlapping(k, d_model):
    matrix = torch.zeros(d_model, d_model)
    for i, block in enumerate(stacked(k, d_model)):
        matrix[i : i + 2, i : i + 2] = block
    return matrix


@shift_matrix.mistake(
    "O19", advice="Your pairs turn faster and faster: k is divided by 10000 ** (2i / d_model)."
)
def faster(k, d_model):
    angle = k * 10000.0 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.block_diag(*(torch.tensor([[b.cos(), b.sin()], [-b.sin(), b.cos()]]) for b in angle))
