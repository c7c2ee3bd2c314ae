"""Wrong answers to decoder_mask: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.encoder_decoder.parts import causal, padding

mistake = Mistakes()


@mistake("C7")
def padding_only(ids, pad=0):
    """You do not hide the future, so the decoder would read the words that it has to predict."""
    return padding(ids, pad).expand(-1, ids.shape[1], -1)


@mistake("C7")
def padding_only_unexpanded(ids, pad=0):
    """This is only the padding mask. It does not hide the future, and the shape must be (batch, target,
    target).
    """
    return padding(ids, pad)


@mistake
def causal_only(ids, pad=0):
    """You hide only the future. Combine your mask with `padding_mask(ids, pad)`."""
    return causal(ids.shape[1]).expand(len(ids), -1, -1)


@mistake
def causal_only_unexpanded(ids, pad=0):
    """This is only the causal mask, the same for all sentences. Combine it with `padding_mask(ids, pad)`."""
    return causal(ids.shape[1])


@mistake(mentions=r"\||\+|_or\b")
def either(ids, pad=0):
    """`|` (and `+` on booleans) allows what either mask allows. A word may look where both masks allow it:
    `&`.
    """
    return padding(ids, pad) | causal(ids.shape[1])


@mistake(mentions=r"\band\b")
def python_and(ids, pad=0):
    """Python's `and` asks whether a whole tensor is true. `&` combines two tensors element by element."""
    return padding(ids, pad) and causal(ids.shape[1])


@mistake("P1")
def rows(ids, pad=0):
    """You hide the rows of padding, and a row without any key gives 0/0. Hide only the columns: the padding
    mask is (batch, 1, target).
    """
    return (ids != pad)[:, :, None] & causal(ids.shape[1])


@mistake("M1")
def inverted(ids, pad=0):
    """You marked what must be hidden. True means that a query may look."""
    return ~(padding(ids, pad) & causal(ids.shape[1]))


@mistake("M1")
def padding_inverted(ids, pad=0):
    """You marked the padding. `padding_mask` is already True for real words."""
    return ~padding(ids, pad) & causal(ids.shape[1])


@mistake("C4")
def future(ids, pad=0):
    """You allow the future and hide the past. Use `causal_mask` unchanged."""
    return padding(ids, pad) & ~causal(ids.shape[1])


@mistake("C2")
def without_diagonal(ids, pad=0):
    """A word must see itself: it is the input, not the answer."""
    return padding(ids, pad) & causal(ids.shape[1]).tril(-1)


@mistake("C3")
def one_too_many(ids, pad=0):
    """Your mask allows one word too many: each row sees exactly the word that it has to predict."""
    return padding(ids, pad) & torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril(1)


@mistake
def always_zero(ids, pad=0):
    """You always compare with 0. Pass on the argument `pad`: `padding_mask(ids, pad)`."""
    return padding(ids) & causal(ids.shape[1])


@mistake
def for_heads(ids, pad=0):
    """Your mask has one axis too many. There are no heads yet: the shape is (batch, target, target)."""
    return padding(ids, pad)[:, None] & causal(ids.shape[1])


@mistake
def size_of_batch(ids, pad=0):
    """Your causal mask has the size of the batch. `ids.shape[0]` and `len(ids)` count sentences;
    `ids.shape[1]` counts words.
    """
    return padding(ids, pad) & causal(len(ids))


@mistake("P3")
def raw(ids, pad=0):
    """Your padding mask has no axis for the queries. It must be (batch, 1, target)."""
    return (ids != pad) & causal(ids.shape[1])


@mistake
def as_numbers(ids, pad=0):
    """Your mask has numbers, but a mask is boolean here. `padding & causal` is boolean already."""
    return (padding(ids, pad) & causal(ids.shape[1])).float()


@mistake(mentions=r"\^|_xor|!=")
def exactly_one(ids, pad=0):
    """`^` (and `!=`) allows what exactly one mask allows. A word may look where both masks allow it: `&`."""
    return padding(ids, pad) ^ causal(ids.shape[1])


@mistake("C1")
def transposed(ids, pad=0):
    """Your causal mask is transposed, so a query sees itself and what comes after it. Its rows are the
    queries already: use no transpose and no `triu`.
    """
    return padding(ids, pad) & causal(ids.shape[1]).mT


@mistake
def first_sentence(ids, pad=0):
    """You return the mask of the first sentence only. Every sentence of the batch has its own."""
    return (padding(ids, pad) & causal(ids.shape[1]))[0]


@mistake(mentions=r"causal\w*\(ids\)")
def causal_of_ids(ids, pad=0):
    """`causal_mask` takes a size, not the ids. The number of words in a row is `ids.shape[1]`."""
    return padding(ids, pad) & causal(ids)


@mistake(mentions=r"\(pad, ids\)")
def pad_first(ids, pad=0):
    """The arguments are swapped. `padding_mask` takes the ids first, then `pad`."""
    return padding(pad, ids) & causal(ids.shape[1])


@mistake(mentions=r"@|matmul")
def matrix_product(ids, pad=0):
    """`@` is a matrix product. A word may look where both masks allow it: `&`, element by element."""
    return padding(ids, pad) @ causal(ids.shape[1])
