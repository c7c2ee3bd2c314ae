"""padding_mask: real words of each sentence as keys; boolean, True where a query may look."""

import torch

from course_lib.checks.exercise import Exercise

padding_mask = Exercise(
    "padding_mask",
    points=4,
    returns=("mask: batch query source",),
    hints=[
        "Which ids may a query look at? Do two queries of the same sentence see different keys?",
        "`ids != pad` compares all ids at once. It is a boolean tensor of the shape (batch, source).",
        "The mask must broadcast over all queries. Put an axis of size 1 between batch and source: "
        "`(ids != pad)[:, None, :]`.",
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
    ids = sentences(inputs, pad=0)
    ids[1, 2:4] = torch.tensor([256, 2**16])  # as bytes they are 0 too
    square = sentences(inputs, pad=0)[:, :3].clone()
    return {
        "mask: batch query source": mask(ids),
        "mask (3 sentences of 3 words): batch query source": mask(square),
    }


@padding_mask.part("works with another pad id, and with padding on either side", points=1)
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
