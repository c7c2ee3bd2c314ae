"""decoder_mask: neither padding nor the future, boolean, True where a query may look."""

import torch

from course_lib.checks.attention.masks import causal_mask, padding_mask
from course_lib.checks.exercise import Exercise

decoder_mask = Exercise(
    "decoder_mask",
    points=5,
    returns=("mask: batch target source",),
    hints=[
        "You have both masks already: `padding_mask(ids, pad)` is (batch, 1, target) and "
        "`causal_mask(ids.shape[1])` is (target, target).",
        "A word may look where both masks allow it. For boolean tensors that is `&`, and it broadcasts: "
        "(batch, 1, target) with (target, target) gives (batch, target, target).",
    ],
    examples=[
        "decoder_mask(torch.tensor([[5, 6]]))",
        "decoder_mask(torch.tensor([[5, 6, 0], [5, 0, 0]]))",
        "decoder_mask(torch.tensor([[5, 0, 3]]), pad=3)",
    ],
    uses=(padding_mask, causal_mask),
)


def padding(ids, pad=0):
    return ids.ne(pad).unsqueeze(1)


def causal(size):
    return torch.ones(size, size, dtype=torch.bool).tril()


@decoder_mask.reference
def reference(ids, pad=0):
    return ids.ne(pad).unsqueeze(1).logical_and(causal(ids.shape[1]))


@decoder_mask.part("without padding it hides the future, and nothing else", points=1)
def no_padding(mask, inputs):
    return {"mask: batch target source": mask(inputs.integers(4, 40, 3, 5))}


@decoder_mask.part("padding is hidden from every word", points=2)
def with_padding(mask, inputs):
    real = torch.arange(5) < torch.tensor([[4], [5], [2]])
    return {"mask: batch target source": mask(torch.where(real, inputs.integers(4, 40, 3, 5), 0))}


@decoder_mask.part("takes another pad id", points=1)
def other_pad(mask, inputs):
    real = torch.arange(4) < torch.tensor([[3], [4], [1]])
    ids = torch.where(real, inputs.integers(4, 40, 3, 4), 3)
    return {"mask: batch target source": mask(ids.index_fill(1, torch.tensor([0]), 0), pad=3)}


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


# Mistakes


@decoder_mask.mistake(
    "C7", advice="The future is not hidden: the decoder would read the answer that it is to predict."
)
def padding_only(ids, pad=0):
    return padding(ids, pad).expand(-1, ids.shape[1], -1)


@decoder_mask.mistake(
    "C7",
    advice="This is the padding mask alone: the future is not hidden, and the shape must be (batch, target, "
    "target).",
)
def padding_only_unexpanded(ids, pad=0):
    return padding(ids, pad)


@decoder_mask.mistake("P10", advice="Only the future is hidden: combine it with `padding_mask(ids, pad)`.")
def causal_only(ids, pad=0):
    return causal(ids.shape[1]).expand(len(ids), -1, -1)


@decoder_mask.mistake(
    "P10",
    advice="This is the causal mask alone, the same for all sentences: combine it with `padding_mask(ids, "
    "pad)`.",
)
def causal_only_unexpanded(ids, pad=0):
    return causal(ids.shape[1])


@decoder_mask.mistake(
    "M19",
    advice="`|` (and `+` on booleans) allows what either mask allows. A word may look where both do: `&`.",
)
def either(ids, pad=0):
    return padding(ids, pad) | causal(ids.shape[1])


@decoder_mask.mistake(
    "M20", advice="Python's `and` asks whether a whole tensor is true; `&` goes element by element."
)
def python_and(ids, pad=0):
    return padding(ids, pad) and causal(ids.shape[1])


@decoder_mask.mistake(
    "P1",
    "P2",
    advice="You hid the rows of padding. Nobody reads them, and a row without any key is 0/0: hide the "
    "columns, and only these: the padding mask is (batch, 1, target).",
)
def rows(ids, pad=0):
    return (ids != pad)[:, :, None] & causal(ids.shape[1])


@decoder_mask.mistake("M1", advice="You marked what must be hidden: True means that a query may look.")
def inverted(ids, pad=0):
    return ~(padding(ids, pad) & causal(ids.shape[1]))


@decoder_mask.mistake("M1", advice="You marked the padding: `padding_mask` is True for real words already.")
def padding_inverted(ids, pad=0):
    return ~padding(ids, pad) & causal(ids.shape[1])


@decoder_mask.mistake(
    "C1",
    "C4",
    advice="The causal mask is turned: you allow the future and hide the past (`causal_mask` as it is).",
)
def future(ids, pad=0):
    return padding(ids, pad) & ~causal(ids.shape[1])


@decoder_mask.mistake("C2", advice="A word may see itself: it is the input, not the answer.")
def without_diagonal(ids, pad=0):
    return padding(ids, pad) & causal(ids.shape[1]).tril(-1)


@decoder_mask.mistake("C3", advice="One step too many: each row sees exactly the word that it must predict.")
def one_too_many(ids, pad=0):
    return padding(ids, pad) & torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril(1)


@decoder_mask.mistake(
    "V7", "V8", advice="You test against 0: hand the argument `pad` on, `padding_mask(ids, pad)`."
)
def always_zero(ids, pad=0):
    return padding(ids) & causal(ids.shape[1])


@decoder_mask.mistake(
    "P4", advice="One axis too many: heads are not here yet. The shape is (batch, target, target)."
)
def for_heads(ids, pad=0):
    return padding(ids, pad)[:, None] & causal(ids.shape[1])


@decoder_mask.mistake(
    "C10", advice="The size is that of the batch: `ids.shape[0]` counts sentences, `ids.shape[1]` words."
)
def size_of_batch(ids, pad=0):
    return padding(ids, pad) & causal(len(ids))


@decoder_mask.mistake("P3", advice="The padding mask lacks its axis for the queries: (batch, 1, target).")
def raw(ids, pad=0):
    return (ids != pad) & causal(ids.shape[1])


@decoder_mask.mistake(
    "M11", advice="A mask is boolean here: `padding & causal` is already, no 0 and 1 needed."
)
def as_numbers(ids, pad=0):
    return (padding(ids, pad) & causal(ids.shape[1])).float()
