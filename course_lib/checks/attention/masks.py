"""padding_mask and causal_mask: boolean, True where a query may look."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.properties import rows_seen

padding_mask = Exercise(
    "padding_mask",
    points=4,
    returns=("mask: batch query source",),
    hints=[
        "Compare all ids with `pad` at once: `ids != pad` is a boolean tensor of shape (batch, source).",
        "The mask must broadcast over all queries: put an axis of size 1 between batch and source, "
        "with `[:, None, :]` or `.unsqueeze(1)`.",
    ],
    examples=[
        "padding_mask(torch.tensor([[5, 0]]))",
        "padding_mask(torch.tensor([[5, 6, 7], [8, 0, 0]]))",
        "padding_mask(torch.tensor([[5, 0, 3]]), pad=3)",
        "padding_mask(torch.tensor([[3, 5, 0]]), pad=3)",
    ],
)


@padding_mask.reference
def padding_reference(ids, pad=0):
    return ids.ne(pad).unsqueeze(1)


def sentences(inputs, pad, left=False):
    """A batch of 3 sentences of at most 7 ids above 3, padded at the end or at the beginning."""
    ids, places = inputs.integers(4, 40, 3, 7), torch.arange(7)
    real = places < torch.tensor([[4], [7], [1]])
    return torch.where(real.flip(1) if left else real, ids, pad)


@padding_mask.part("hides padding from every query", points=2)
def hides_padding(mask, inputs):
    return {"mask: batch query source": mask(sentences(inputs, pad=0))}


@padding_mask.part("takes another pad id, and padding on any side", points=1)
def other_pad(mask, inputs):
    with_zeros = sentences(inputs, pad=3, left=True).index_fill(1, torch.tensor([6]), 0)
    return {"mask: batch query source": mask(with_zeros, pad=3)}


@padding_mask.accept("brackets")
def brackets(ids, pad=0):
    return (ids != pad)[:, None, :]


@padding_mask.accept("loops")
def padding_loops(ids, pad=0):
    return torch.tensor([[[token != pad for token in sentence]] for sentence in ids.tolist()])


@padding_mask.accept("not equal, by logic")
def by_logic(ids, pad=0):
    return torch.logical_not(torch.eq(ids, pad)).unsqueeze(-2)


@padding_mask.accept("difference as bool")
def difference_as_bool(ids, pad=0):
    return (ids - pad).bool().view(ids.shape[0], 1, ids.shape[1])


@padding_mask.mistake(
    "M1", advice="You marked the padding. True means that a query may look: mark the real words."
)
def marks_padding(ids, pad=0):
    return (ids == pad)[:, None, :]


@padding_mask.mistake(
    "P1",
    advice="You hid the padded questions; hide the padded keys: the axis of size 1 stands before the source.",
)
def masks_rows(ids, pad=0):
    return (ids != pad)[:, :, None]


@padding_mask.mistake(
    "P2",
    advice="Rows of padding do not matter: the loss ignores them, and a row without any key is 0/0. Mask "
    "keys only.",
)
def rows_and_columns(ids, pad=0):
    real = ids != pad
    return real[:, :, None] & real[:, None, :]


@padding_mask.mistake(
    "P3", advice="Add an axis for the queries: (batch, 1, source). Raw, the batch would be read as queries."
)
def raw(ids, pad=0):
    return ids != pad


@padding_mask.mistake(
    "P4",
    advice="One axis too many: (batch, 1, 1, source) is for several heads. Here it is (batch, 1, source).",
)
def for_heads(ids, pad=0):
    return (ids != pad)[:, None, None, :]


@padding_mask.mistake("V7", "V8", advice="You test against 0; the pad id is the argument `pad`.")
def always_zero(ids, pad=0):
    return (ids != 0)[:, None, :]


@padding_mask.mistake("V9", advice="`>` hides every id below the pad id, real words too: compare with `!=`.")
def greater(ids, pad=0):
    return (ids > pad)[:, None, :]


@padding_mask.mistake(
    "P9", advice="Everything may be seen: steps after the end of a sentence still get attention."
)
def sees_all(ids, pad=0):
    return torch.ones(ids.shape[0], 1, ids.shape[1], dtype=torch.bool)


@padding_mask.mistake(
    "M11",
    advice="This is a number where a boolean is asked: 1 and 0 cannot be used with `~` or `masked_fill`.",
)
def as_float(ids, pad=0):
    return (ids != pad).float()[:, None, :]


@padding_mask.mistake(
    "M12", advice="`~` flips bits here: ~0 is -1 and ~1 is -2, both count as True. Make it bool first."
)
def flipped_bits(ids, pad=0):
    return ~(ids == pad).int()[:, None, :]


@padding_mask.mistake(
    "M12", advice="The mask is an integer tensor: `~` would flip its bits (~1 is -2). Keep it bool."
)
def as_integer(ids, pad=0):
    return (ids != pad).long()[:, None, :]


@padding_mask.mistake(
    "P10",
    advice="You count the real words and assume that they come first; with padding on the left they do not.",
)
def by_length(ids, pad=0):
    lengths = (ids != pad).sum(dim=1)
    return (torch.arange(ids.shape[1]) < lengths[:, None])[:, None, :]


@padding_mask.mistake("P6", advice="Every sentence gets the mask of the first: look at all of `ids`.")
def first_for_all(ids, pad=0):
    return (ids[:1] != pad)[:, None].expand(len(ids), -1, -1)


causal_mask = Exercise(
    "causal_mask",
    points=3,
    returns=("mask: target source",),
    hints=[
        "Row t may see columns 0 to t: the lower triangle, with the diagonal.",
        "`torch.ones(size, size, dtype=torch.bool)` and its method `.tril()`.",
    ],
    examples=["causal_mask(1)", "causal_mask(3)"],
)


@causal_mask.reference
def causal_reference(size):
    return torch.ones(size, size, dtype=torch.bool).tril()


AFTER = torch.ones(5, 5, dtype=torch.bool).triu(1)


@causal_mask.part("every word sees itself and what came before", points=1, properties=(rows_seen("mask"),))
def past(mask, inputs):
    result = mask(5)
    return {"mask: target source": result | AFTER if _comparable(result) else result}


@causal_mask.part("no word sees what comes after it", points=1, properties=(rows_seen("mask"),))
def future(mask, inputs):
    result = mask(5)
    return {"mask: target source": result & AFTER if _comparable(result) else result}


def _comparable(mask) -> bool:
    return mask.dtype == torch.bool and mask.shape == (5, 5)


@causal_mask.accept("comparing positions")
def positions(size):
    place = torch.arange(size)
    return place[None, :] <= place[:, None]


@causal_mask.accept("the upper triangle, negated")
def negated(size):
    return ~torch.triu(torch.ones(size, size), diagonal=1).bool()


@causal_mask.accept("loops")
def causal_loops(size):
    mask = torch.zeros(size, size, dtype=torch.bool)
    for t in range(size):
        mask[t, : t + 1] = True
    return mask


@causal_mask.accept("a running sum of the identity")
def running_sum(size):
    return torch.eye(size).cumsum(dim=1).T > 0


@causal_mask.mistake("C1", advice="Upper triangle: your rows see the future and not the past.")
def upper(size):
    return torch.ones(size, size, dtype=torch.bool).triu()


@causal_mask.mistake(
    "C2",
    advice="A word may see itself: it is the input, not the answer. Without it the first row sees nothing "
    "(0/0).",
)
def without_diagonal(size):
    return torch.ones(size, size, dtype=torch.bool).tril(-1)


@causal_mask.mistake("C3", advice="One step too many: each row sees exactly the word that it must predict.")
def one_too_many(size):
    return torch.ones(size, size, dtype=torch.bool).tril(1)


@causal_mask.mistake("C4", advice="You returned what must be hidden: True means that a query may look.")
def forbidden(size):
    return torch.ones(size, size, dtype=torch.bool).triu(1)


@causal_mask.mistake(
    "C5", advice="Every word sees only itself: that is the diagonal. The past is allowed too."
)
def diagonal(size):
    return torch.eye(size, dtype=torch.bool)


@causal_mask.mistake("C6", advice="All queries see the same keys: row t must depend on t.")
def same_row(size):
    return torch.ones(size, size, dtype=torch.bool).tril()[:1].expand(size, size)


@causal_mask.mistake(
    "C7", advice="Nothing is hidden: the decoder would read the answer that it is to predict."
)
def all_true(size):
    return torch.ones(size, size, dtype=torch.bool)


@causal_mask.mistake("C10", advice="The mask has a fixed size: make it, or slice it, to `size`.")
def fixed_size(size):
    return torch.ones(512, 512, dtype=torch.bool).tril()


@causal_mask.mistake(
    "M11",
    advice="This is an additive mask (0 and -inf). The convention here is boolean: True where a query may "
    "look.",
)
def additive(size):
    return torch.zeros(size, size).masked_fill(torch.ones(size, size).triu(1).bool(), -torch.inf)


@causal_mask.mistake("M12", advice="`torch.ones` gives floats unless told otherwise: dtype=torch.bool.")
def as_float_triangle(size):
    return torch.ones(size, size).tril()


@causal_mask.mistake(
    "C9", advice="The triangle is right, the extra axes are not asked: the shape is (size, size)."
)
def extra_axes(size):
    return torch.ones(1, size, size, dtype=torch.bool).tril()
