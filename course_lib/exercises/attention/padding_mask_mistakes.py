"""Wrong answers to padding_mask: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("M1")
def marks_padding(ids, pad=0):
    """You marked the padding. True means that a query may look, so mark the real words."""
    return (ids == pad)[:, None, :]


@mistake("P1")
def masks_rows(ids, pad=0):
    """You hid the padded queries. Hide the padded keys: the axis of size 1 comes before the axis of the
    source.
    """
    return (ids != pad)[:, :, None]


@mistake("P2")
def rows_and_columns(ids, pad=0):
    """You also hid the rows of padding. A row without any key gives 0/0, and the loss ignores these rows in
    any case. Mask the keys only.
    """
    real = ids != pad
    return real[:, :, None] & real[:, None, :]


@mistake("P3")
def raw(ids, pad=0):
    """The axis for the queries is missing, so the batch would be read as queries. Return the shape (batch, 1,
    source).
    """
    return ids != pad


@mistake
def for_each_query(ids, pad=0):
    """You repeat the row for every query. One row is enough, because (batch, 1, source) broadcasts."""
    return (ids != pad)[:, None].expand(-1, ids.shape[1], -1)


@mistake
def for_heads(ids, pad=0):
    """Your mask has one axis too many. (batch, 1, 1, source) is for several heads, and here the shape is
    (batch, 1, source).
    """
    return (ids != pad)[:, None, None, :]


@mistake
def always_zero(ids, pad=0):
    """You compare with 0. Compare with the argument `pad`, which can be another id."""
    return (ids != 0)[:, None, :]


@mistake
def greater(ids, pad=0):
    """`>` hides every id below the pad id, and some of these are real words. Compare with `!=`."""
    return (ids > pad)[:, None, :]


@mistake("P9")
def sees_all(ids, pad=0):
    """Your mask is True everywhere, so the padding still gets attention. It has to be False where the id is
    `pad`.
    """
    return torch.ones(ids.shape[0], 1, ids.shape[1], dtype=torch.bool)


@mistake
def as_float(ids, pad=0):
    """Your mask holds the numbers 1 and 0, which do not work with `~` or `masked_fill`. Return a boolean
    tensor.
    """
    return (ids != pad).float()[:, None, :]


@mistake("M12", mentions="~")
def flipped_bits(ids, pad=0):
    """On integers `~` flips the bits: ~0 is -1 and ~1 is -2, and both count as True. Make the tensor boolean
    first.
    """
    return ~(ids == pad).int()[:, None, :]


@mistake
def as_integer(ids, pad=0):
    """Your mask is an integer tensor, and `~` would flip its bits (~1 is -2). Keep it boolean."""
    return (ids != pad).long()[:, None, :]


@mistake
def by_length(ids, pad=0):
    """You count the real words and assume that they come first. With padding on the left they do not. Compare
    each id with `pad`.
    """
    lengths = (ids != pad).sum(dim=1)
    return (torch.arange(ids.shape[1]) < lengths[:, None])[:, None, :]


@mistake
def first_for_all(ids, pad=0):
    """Every sentence gets the mask of the first sentence. Compare all of `ids` with `pad`."""
    return (ids[:1] != pad)[:, None].expand(len(ids), -1, -1)
