"""Wrong answers to decoder_mask: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.encoder_decoder.parts import causal, padding

mistake = Mistakes()


@mistake("C7")
def padding_only(ids, pad=0):
    """The future is not hidden: the decoder would read the answer that it is to predict."""
    return padding(ids, pad).expand(-1, ids.shape[1], -1)


@mistake("C7")
def padding_only_unexpanded(ids, pad=0):
    """This is the padding mask alone: the future is not hidden, and the shape must be (batch, target,
    target).
    """
    return padding(ids, pad)


@mistake
def causal_only(ids, pad=0):
    """Only the future is hidden: combine it with `padding_mask(ids, pad)`."""
    return causal(ids.shape[1]).expand(len(ids), -1, -1)


@mistake
def causal_only_unexpanded(ids, pad=0):
    """This is the causal mask alone, the same for all sentences: combine it with `padding_mask(ids, pad)`."""
    return causal(ids.shape[1])


@mistake(mentions=r"\||\+|_or\b")
def either(ids, pad=0):
    """`|` (and `+` on booleans) allows what either mask allows. A word may look where both do: `&`."""
    return padding(ids, pad) | causal(ids.shape[1])


@mistake(mentions=r"\band\b")
def python_and(ids, pad=0):
    """Python's `and` asks whether a whole tensor is true; `&` goes element by element."""
    return padding(ids, pad) and causal(ids.shape[1])


@mistake("P1")
def rows(ids, pad=0):
    """You hid the rows of padding. Nobody reads them, and a row without any key is 0/0: hide the columns, and
    only these: the padding mask is (batch, 1, target).
    """
    return (ids != pad)[:, :, None] & causal(ids.shape[1])


@mistake("M1")
def inverted(ids, pad=0):
    """You marked what must be hidden: True means that a query may look."""
    return ~(padding(ids, pad) & causal(ids.shape[1]))


@mistake("M1")
def padding_inverted(ids, pad=0):
    """You marked the padding: `padding_mask` is True for real words already."""
    return ~padding(ids, pad) & causal(ids.shape[1])


@mistake("C4")
def future(ids, pad=0):
    """The causal mask is turned: you allow the future and hide the past (`causal_mask` as it is)."""
    return padding(ids, pad) & ~causal(ids.shape[1])


@mistake("C2")
def without_diagonal(ids, pad=0):
    """A word may see itself: it is the input, not the answer."""
    return padding(ids, pad) & causal(ids.shape[1]).tril(-1)


@mistake("C3")
def one_too_many(ids, pad=0):
    """One step too many: each row sees exactly the word that it must predict."""
    return padding(ids, pad) & torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril(1)


@mistake
def always_zero(ids, pad=0):
    """You test against 0: hand the argument `pad` on, `padding_mask(ids, pad)`."""
    return padding(ids) & causal(ids.shape[1])


@mistake
def for_heads(ids, pad=0):
    """One axis too many: heads are not here yet. The shape is (batch, target, target)."""
    return padding(ids, pad)[:, None] & causal(ids.shape[1])


@mistake
def size_of_batch(ids, pad=0):
    """The causal mask has the size of the batch: `ids.shape[0]` and `len(ids)` count sentences,
    `ids.shape[1]` words.
    """
    return padding(ids, pad) & causal(len(ids))


@mistake("P3")
def raw(ids, pad=0):
    """The padding mask lacks its axis for the queries: (batch, 1, target)."""
    return (ids != pad) & causal(ids.shape[1])


@mistake
def as_numbers(ids, pad=0):
    """A mask is boolean here: `padding & causal` is already, no 0 and 1 needed."""
    return (padding(ids, pad) & causal(ids.shape[1])).float()


@mistake(mentions=r"\^|_xor|!=")
def exactly_one(ids, pad=0):
    """`^` (and `!=`) allows what exactly one mask allows. A word may look where both do: `&`."""
    return padding(ids, pad) ^ causal(ids.shape[1])


@mistake("C1")
def transposed(ids, pad=0):
    """The causal mask is turned over: a query sees itself and what comes after it. Its rows are the queries
    already, so no transpose and no `triu`.
    """
    return padding(ids, pad) & causal(ids.shape[1]).mT


@mistake
def first_sentence(ids, pad=0):
    """This is the first sentence's mask alone: every sentence of the batch has its own."""
    return (padding(ids, pad) & causal(ids.shape[1]))[0]


@mistake(mentions=r"causal\w*\(ids\)")
def causal_of_ids(ids, pad=0):
    """`causal_mask` takes a size, not the ids: the number of words in a row is `ids.shape[1]`."""
    return padding(ids, pad) & causal(ids)


@mistake(mentions=r"\(pad, ids\)")
def pad_first(ids, pad=0):
    """`padding_mask` takes the ids first, then `pad`."""
    return padding(pad, ids) & causal(ids.shape[1])


@mistake(mentions=r"@|matmul")
def matrix_product(ids, pad=0):
    """`@` is a product of matrices. A word may look where both masks allow it: `&`, element by element."""
    return padding(ids, pad) @ causal(ids.shape[1])
