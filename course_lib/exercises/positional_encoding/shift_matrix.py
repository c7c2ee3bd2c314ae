"""shift_matrix: a shift by k positions rotates every pair of the encoding by its own angle."""

import math

import torch

from course_lib.checks.exercise import Exercise, Values
from course_lib.checks.results import RejectedError
from course_lib.exercises.positional_encoding.sinusoidal_encoding import reference as encoding_of
from course_lib.exercises.positional_encoding.sinusoidal_encoding import sinusoidal_encoding

shift_matrix = Exercise(
    "shift_matrix",
    points=5,
    returns=("matrix: d_model d_model",),
    uses=(sinusoidal_encoding,),
    hints=[
        "What are sin(a + b) and cos(a + b), if a is the angle at position p and b is the angle of k? Both "
        "are sums with sin(a) and cos(a), which are already in the encoding of p.",
        "So each pair has a block of 2 x 2 on the diagonal. Its first row, [cos b, sin b], makes the new "
        "sine, and its second row, [-sin b, cos b], makes the new cosine.",
        "b is k times the rate of the pair, `k * 10000 ** (-torch.arange(0, d_model, 2) / d_model)`. "
        "`torch.block_diag(*blocks)` puts blocks on the diagonal.",
    ],
    examples=["shift_matrix(1, 2)", "shift_matrix(1, 4)", "shift_matrix(2, 4)", "shift_matrix(-1, 2)"],
)


def angles_of(k, d_model):
    return (k * 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)).float()


@shift_matrix.reference
def reference(k, d_model):
    turns = [[[b.cos(), b.sin()], [-b.sin(), b.cos()]] for b in angles_of(k, d_model)]
    return torch.block_diag(*map(torch.tensor, turns))


def square(shift, k, d_model):
    """The matrix of a learner, once its shape is right."""
    matrix = shift(k, d_model)
    if matrix.shape != (d_model, d_model):
        expected = f"({d_model}, {d_model})"
        raise RejectedError(
            f"`shift_matrix({k}, {d_model})` has shape {tuple(matrix.shape)}, expected {expected}."
        )
    return matrix


def direction(values: Values, expected: Values) -> str | None:
    """A matrix that moves back, or none."""
    moved, table = values["moved (k = 3): position d_model"], encoding_of(7, 6)
    for words, k in (("leaves every position where it is", 0), ("moves 3 places back", -3)):
        if torch.allclose(moved, table @ reference(k, 6).mT, atol=1e-2):
            return f"`shift_matrix(3, 6) @ encoding[p]` is not encoding[p + 3]: it {words}."
    return None


@shift_matrix.part("moves each position by k", points=2, properties=(direction,), atol=1e-4)
def carries(shift, inputs):
    table = encoding_of(7, 6)
    moved = {
        f"moved (k = {k}): position d_model": table @ square(shift, k, 6).mT for k in (3, -2, 1, -1, 80, -70)
    }
    return moved | {"moved (d_model 16): position d_model": encoding_of(7, 16) @ square(shift, 4, 16).mT}


def moves(matrix) -> str:
    """A finding: whether the matrix moves anything."""
    same = torch.allclose(matrix, torch.eye(len(matrix)), atol=1e-4)
    return "Your matrix leaves every position where it is." if same else ""


# A reflection passes here too, as a roll of the features does: the name claims no more.
@shift_matrix.part("its transpose undoes it", points=1, atol=1e-3)
def undoes(shift, inputs):
    matrix = square(shift, 3, 8)
    return {"product (matrix.mT @ matrix): d_model d_model": matrix.mT @ matrix, "moves": moves(matrix)}


@shift_matrix.part(
    "two shifts forward equal the shift by their sum, and a shift by 0 moves nothing", points=1, atol=1e-4
)
def adds_up(shift, inputs):
    two, three, five = (square(shift, k, 6) for k in (2, 3, 5))
    return {
        "difference (shifts by 2 and 3, minus the shift by 5): d_model d_model": three @ two - five,
        "shift by 0: d_model d_model": shift(0, 6),
        "moves": moves(five),
    }


# Accepted: other ways to write the same


@shift_matrix.accept("filled by slices of the diagonals")
def by_diagonals(k, d_model):
    angle, even = angles_of(k, d_model), torch.arange(0, d_model, 2)
    matrix = torch.zeros(d_model, d_model)
    matrix[even, even] = matrix[even + 1, even + 1] = angle.cos()
    matrix[even, even + 1], matrix[even + 1, even] = angle.sin(), -angle.sin()
    return matrix


@shift_matrix.accept("a loop over pairs")
def loop(k, d_model):
    matrix = torch.eye(d_model)
    for i in range(d_model // 2):
        b = k / 10000 ** (2 * i / d_model)
        block = [[math.cos(b), math.sin(b)], [-math.sin(b), math.cos(b)]]
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor(block)
    return matrix


@shift_matrix.accept("read off the encoding of position k")
def from_encoding(k, d_model):
    sine, cosine = encoding_of(abs(k) + 1, d_model)[-1].view(-1, 2).T
    sine = sine if k > 0 else -sine
    first, second = torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
    return torch.block_diag(*(c * first + s * second for s, c in zip(sine, cosine, strict=True)))


@shift_matrix.accept("the exponential of k times the shift's derivative")
def matrix_exponential(k, d_model):
    slope = torch.zeros(d_model - 1)
    slope[::2] = angles_of(1, d_model)
    return torch.matrix_exp(k * (torch.diag(slope, 1) - torch.diag(slope, -1)))


@shift_matrix.accept("least squares over many positions")
def least_squares(k, d_model):
    table = encoding_of(2000, d_model).double()
    here, there = (table[:-k], table[k:]) if k > 0 else (table[-k:], table[: len(table) + k])
    return torch.linalg.lstsq(here, there).solution.mT.float()
