"""Wrong answers to padding_mask: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("M1")
def marks_padding(ids, pad=0):
    """You marked the padding. True means that a query may look: mark the real words."""
    return (ids == pad)[:, None, :]


@mistake("P1")
def masks_rows(ids, pad=0):
    """You hid the padded questions; hide the padded keys: the axis of size 1 stands before the source."""
    return (ids != pad)[:, :, None]


@mistake("P2")
def rows_and_columns(ids, pad=0):
    """Rows of padding do not matter: the loss ignores them, and a row without any key is 0/0. Mask
    keys only.
    """
    real = ids != pad
    return real[:, :, None] & real[:, None, :]


@mistake("P3")
def raw(ids, pad=0):
    """Add an axis for the queries: (batch, 1, source). Raw, the batch would be read as queries."""
    return ids != pad


@mistake
def for_each_query(ids, pad=0):
    """One row is enough, the same for all queries: (batch, 1, source) broadcasts."""
    return (ids != pad)[:, None].expand(-1, ids.shape[1], -1)


@mistake
def for_heads(ids, pad=0):
    """One axis too many: (batch, 1, 1, source) is for several heads. Here it is (batch, 1, source)."""
    return (ids != pad)[:, None, None, :]


@mistake
def always_zero(ids, pad=0):
    """You test against 0; the pad id is the argument `pad`."""
    return (ids != 0)[:, None, :]


@mistake
def greater(ids, pad=0):
    """`>` hides every id below the pad id, real words too: compare with `!=`."""
    return (ids > pad)[:, None, :]


@mistake("P9")
def sees_all(ids, pad=0):
    """Everything may be seen: steps after the end of a sentence still get attention."""
    return torch.ones(ids.shape[0], 1, ids.shape[1], dtype=torch.bool)


@mistake
def as_float(ids, pad=0):
    """This is a number where a boolean is asked: 1 and 0 cannot be used with `~` or `masked_fill`."""
    return (ids != pad).float()[:, None, :]


@mistake("M12", mentions="~")
def flipped_bits(ids, pad=0):
    """`~` flips bits here: ~0 is -1 and ~1 is -2, both count as True. Make it bool first."""
    return ~(ids == pad).int()[:, None, :]


@mistake
def as_integer(ids, pad=0):
    """The mask is an integer tensor: `~` would flip its bits (~1 is -2). Keep it bool."""
    return (ids != pad).long()[:, None, :]


@mistake
def by_length(ids, pad=0):
    """You count the real words and assume that they come first; with padding on the left they do not."""
    lengths = (ids != pad).sum(dim=1)
    return (torch.arange(ids.shape[1]) < lengths[:, None])[:, None, :]


@mistake
def first_for_all(ids, pad=0):
    """Every sentence gets the mask of the first: look at all of `ids`."""
    return (ids[:1] != pad)[:, None].expand(len(ids), -1, -1)
