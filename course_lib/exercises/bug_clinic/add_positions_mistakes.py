"""Wrong answers to add_positions: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.add_positions import table

mistake = Mistakes()


@mistake("O11")
def last_is_zero(x):
    """The last word gets position 0, as in the toy's list [1, 2, 3, 4, 5, 6, 0]: count from 0, in order."""
    seq = x.shape[1]
    return x + table(seq, x.shape[2])[torch.arange(1, seq + 1) % seq]


@mistake("O11")
def first_is_last(x):
    """The first word gets the largest position, as in the toy's list [7, 1, 2, 3, 4, 5, 6]: count from 0."""
    seq = x.shape[1]
    return x + table(seq + 1, x.shape[2])[[seq, *range(1, seq)]]


@mistake("O11")
def from_one(x):
    """Your positions begin at 1. Position 0 adds 0, 1, 0, 1, ..."""
    return x + table(x.shape[1] + 1, x.shape[2])[1:]


@mistake("O12")
def along_the_batch(x):
    """You took the size of the batch and its axis: every word of a sentence got one position. The sequence is
    axis 1.
    """
    return x + table(x.shape[0], x.shape[2])[:, None]


@mistake("O2")
def doubled_exponent(x):
    """The index already jumps by two: 2i must not be doubled again in the exponent."""
    return x + table(x.shape[1], x.shape[2], 2 * torch.arange(0, x.shape[2], 2) / x.shape[2])


@mistake("O3")
def halved_exponent(x):
    """The exponent is 2i / d_model; the 2 is missing, so waves grow too slowly."""
    return x + table(x.shape[1], x.shape[2], torch.arange(x.shape[2] // 2) / x.shape[2])


@mistake("O9")
def swapped(x):
    """Sine and cosine are swapped: even columns are sines."""
    return x + table(x.shape[1], x.shape[2]).unflatten(1, (-1, 2)).flip(-1).flatten(1)


@mistake("O8")
def halves(x):
    """All sines, then all cosines: that is tensor2tensor's layout. The paper's columns alternate."""
    return x + table(x.shape[1], x.shape[2]).unflatten(1, (-1, 2)).mT.flatten(1)


@mistake
def seven_rows(x):
    """The table has seven rows, so no sentence may be longer: make it `x.shape[1]` long."""
    return x + table(7, x.shape[2])[torch.arange(x.shape[1])]


@mistake
def alone_without_x(x):
    """These are the positions alone: add them to x."""
    return table(x.shape[1], x.shape[2])


@mistake("A20")
def in_place(x):
    """`x += ...` writes into the caller's tensor. `x + ...` makes a new one."""
    x += table(x.shape[1], x.shape[2])
    return x
