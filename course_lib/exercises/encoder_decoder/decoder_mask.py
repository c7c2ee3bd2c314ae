"""decoder_mask: hides padding and the future, boolean, True where a query may look."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.exercises.encoder_decoder.parts import MASKS, causal

decoder_mask = Exercise(
    "decoder_mask",
    points=5,
    returns=("mask: batch query key",),
    hints=[
        "Which two masks do you have already, and what are their shapes?",
        "The mask for padding, `padding_mask(ids, pad)`, is (batch, 1, target). The mask for the future, "
        "`causal_mask(ids.shape[1])`, is (target, target).",
        "A word may look where both masks allow it. For boolean tensors that is `&`, and it broadcasts: "
        "(batch, 1, target) with (target, target) gives (batch, target, target).",
    ],
    examples=[
        "decoder_mask(torch.tensor([[5, 6]]))",
        "decoder_mask(torch.tensor([[5, 6, 0], [5, 0, 0]]))",
        "decoder_mask(torch.tensor([[5, 0, 3]]), pad=3)",
    ],
    uses=MASKS,
)


@decoder_mask.reference
def reference(ids, pad=0):
    return ids.ne(pad).unsqueeze(1).logical_and(causal(ids.shape[1]))


@decoder_mask.part("without padding it hides the future, and nothing else", points=1)
def no_padding(mask, inputs):
    sizes = {"": (3, 5), " (40 words)": (2, 40)}
    return {
        f"mask{what}: batch query key": mask(inputs.integers(1, 40, *size)) for what, size in sizes.items()
    }


@decoder_mask.part("padding is hidden from every word", points=2)
def with_padding(mask, inputs):
    real = torch.arange(5) < torch.tensor([[4], [5], [2]])
    return {"mask: batch query key": mask(torch.where(real, inputs.integers(1, 40, 3, 5), 0))}


@decoder_mask.part("takes another pad id", points=1)
def other_pad(mask, inputs):
    real = torch.arange(4) < torch.tensor([[3], [4], [1]])
    ids = torch.where(real, inputs.integers(4, 40, 3, 4), 3)
    return {"mask: batch query key": mask(ids.index_fill(1, torch.tensor([0]), 0), pad=3)}


# Accepted: other ways to write the same


@decoder_mask.accept("product")
def product(ids, pad=0):
    return (ids != pad)[:, None] * causal(ids.shape[1])


@decoder_mask.accept("masked fill")
def masked_fill(ids, pad=0):
    size = ids.shape[1]
    return causal(size).expand(len(ids), size, size).masked_fill((ids == pad)[:, None, :], False)


@decoder_mask.accept("comparing places")
def places(ids, pad=0):
    place = torch.arange(ids.shape[1])
    return (place[:, None] >= place)[None] & (ids != pad).unsqueeze(-2)


@decoder_mask.accept("loops")
def loops(ids, pad=0):
    size = ids.shape[1]
    rows = [[[s <= t and row[s] != pad for s in range(size)] for t in range(size)] for row in ids.tolist()]
    return torch.tensor(rows)


@decoder_mask.accept("what is hidden, negated")
def negated(ids, pad=0):
    hidden = (ids == pad)[:, None] | torch.ones(ids.shape[1], ids.shape[1]).triu(1).bool()
    return ~hidden
