"""What learners write for decoder_mask when it goes wrong."""

import torch

from course_lib.checks.attention.masks import causal_reference, padding_reference
from course_lib.checks.encoder_decoder.masks import causal, decoder_mask, padding

mistake = decoder_mask.mistake


@mistake("C7", advice="The future is not hidden: the decoder would read the answer that it is to predict.")
def padding_only(ids, pad=0):
    return padding(ids, pad).expand(-1, ids.shape[1], -1)


@mistake(
    "C7",
    advice="This is the padding mask alone: the future is not hidden, and the shape must be (batch, target, "
    "target).",
)
def padding_only_unexpanded(ids, pad=0):
    return padding(ids, pad)


@mistake("P10", advice="Only the future is hidden: combine it with `padding_mask(ids, pad)`.")
def causal_only(ids, pad=0):
    return causal(ids.shape[1]).expand(len(ids), -1, -1)


@mistake(
    "P10",
    advice="This is the causal mask alone, the same for all sentences: combine it with `padding_mask(ids, "
    "pad)`.",
)
def causal_only_unexpanded(ids, pad=0):
    return causal(ids.shape[1])


@mistake(
    "M19",
    advice="`|` (and `+` on booleans) allows what either mask allows. A word may look where both do: `&`.",
)
def either(ids, pad=0):
    return padding(ids, pad) | causal(ids.shape[1])


@mistake("M20", advice="Python's `and` asks whether a whole tensor is true; `&` goes element by element.")
def python_and(ids, pad=0):
    return padding(ids, pad) and causal(ids.shape[1])


@mistake(
    "P1",
    "P2",
    advice="You hid the rows of padding. Nobody reads them, and a row without any key is 0/0: hide the "
    "columns, and only these: the padding mask is (batch, 1, target).",
)
def rows(ids, pad=0):
    return (ids != pad)[:, :, None] & causal(ids.shape[1])


@mistake("M1", advice="You marked what must be hidden: True means that a query may look.")
def inverted(ids, pad=0):
    return ~(padding(ids, pad) & causal(ids.shape[1]))


@mistake("M1", advice="You marked the padding: `padding_mask` is True for real words already.")
def padding_inverted(ids, pad=0):
    return ~padding(ids, pad) & causal(ids.shape[1])


@mistake(
    "C1",
    "C4",
    advice="The causal mask is turned: you allow the future and hide the past (`causal_mask` as it is).",
)
def future(ids, pad=0):
    return padding(ids, pad) & ~causal(ids.shape[1])


@mistake("C2", advice="A word may see itself: it is the input, not the answer.")
def without_diagonal(ids, pad=0):
    return padding(ids, pad) & causal(ids.shape[1]).tril(-1)


@mistake("C3", advice="One step too many: each row sees exactly the word that it must predict.")
def one_too_many(ids, pad=0):
    return padding(ids, pad) & torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril(1)


@mistake("V7", "V8", advice="You test against 0: hand the argument `pad` on, `padding_mask(ids, pad)`.")
def always_zero(ids, pad=0):
    return padding(ids) & causal(ids.shape[1])


@mistake("P4", advice="One axis too many: heads are not here yet. The shape is (batch, target, target).")
def for_heads(ids, pad=0):
    return padding(ids, pad)[:, None] & causal(ids.shape[1])


@mistake(
    "C10", advice="The size is that of the batch: `ids.shape[0]` counts sentences, `ids.shape[1]` words."
)
def size_of_batch(ids, pad=0):
    return padding(ids, pad) & causal(len(ids))


@mistake("P3", advice="The padding mask lacks its axis for the queries: (batch, 1, target).")
def raw(ids, pad=0):
    return (ids != pad) & causal(ids.shape[1])


@mistake("M11", advice="A mask is boolean here: `padding & causal` is already, no 0 and 1 needed.")
def as_numbers(ids, pad=0):
    return (padding(ids, pad) & causal(ids.shape[1])).float()


@mistake("M19", advice="`^` allows what exactly one mask allows. A word may look where both do: `&`.")
def exactly_one(ids, pad=0):
    return padding(ids, pad) ^ causal(ids.shape[1])


@mistake("C1", advice="`causal_mask` is turned over: its rows are the queries already, no transpose.")
def transposed(ids, pad=0):
    return padding(ids, pad) & causal(ids.shape[1]).mT


@mistake("P11", advice="This is the first sentence's mask alone: every sentence of the batch has its own.")
def first_sentence(ids, pad=0):
    return (padding(ids, pad) & causal(ids.shape[1]))[0]


@mistake(
    "C10", advice="`causal_mask` takes a size, not the ids: the number of words in a row is `ids.shape[1]`."
)
def causal_of_ids(ids, pad=0):
    return padding(ids, pad) & causal_reference(ids)


@mistake("P12", advice="`padding_mask` takes the ids first, then `pad`.")
def pad_first(ids, pad=0):
    return padding_reference(pad, ids) & causal(ids.shape[1])
