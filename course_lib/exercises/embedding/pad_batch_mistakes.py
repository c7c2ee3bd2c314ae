"""Wrong answers to pad_batch: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.embedding.pad_batch import reference

mistake = Mistakes()


@mistake("V7")
def always_zero(sequences, pad=0):
    """The filler is 0, but the pad id is the argument `pad`."""
    return reference(sequences, pad=0)


@mistake
def on_the_left(sequences, pad=0):
    """Your padding stands before the words. Here it comes after them."""
    longest = max(map(len, sequences))
    return torch.tensor([[pad] * (longest - len(row)) + row for row in sequences])


@mistake
def cut_to_the_shortest(sequences, pad=0):
    """You cut all sequences to the shortest: words are lost. Fill up to the longest instead."""
    shortest = min(map(len, sequences))
    return torch.tensor([row[:shortest] for row in sequences])


@mistake
def as_long_as_the_first(sequences, pad=0):
    """The first sequence is not always the longest: take the maximum of all lengths."""
    longest = len(sequences[0])
    return torch.tensor([(row + [pad] * longest)[:longest] for row in sequences])


@mistake
def fixed_length(sequences, pad=0):
    """A fixed length wastes work on short batches and fails on long ones: use the longest one."""
    return torch.tensor([row + [pad] * (10 - len(row)) for row in sequences])


@mistake
def one_too_many(sequences, pad=0):
    """One place too many: the longest sequence needs no padding."""
    longest = max(map(len, sequences)) + 1
    return torch.tensor([row + [pad] * (longest - len(row)) for row in sequences])


@mistake
def no_padding(sequences, pad=0):
    """Without padding the rows differ in length, and a tensor is a rectangle. Fill up first."""
    return torch.tensor(sequences)


@mistake
def sequence_first(sequences, pad=0):
    """Your axes are (seq, batch), the default of `pad_sequence`; it has `batch_first=True`."""
    return reference(sequences, pad).T


@mistake
def floats(sequences, pad=0):
    """Ids are integers: `torch.zeros` and `torch.Tensor` make floats, which cannot look anything up."""
    return reference(sequences, pad).float()


@mistake
def extends_in_place(sequences, pad=0):
    """`+=`, `append` and `extend` change the caller's lists; the next batch has padding in its words. `row +
    [pad] * n` makes a new list.
    """
    longest = max(map(len, sequences))
    for row in sequences:
        row += [pad] * (longest - len(row))
    return torch.tensor(sequences)


@mistake
def sorts(sequences, pad=0):
    """You sort by length, but row i of the batch must stay sentence i."""
    return reference(sorted(sequences, key=len, reverse=True), pad)


@mistake
def a_list(sequences, pad=0):
    """All is right but the type: wrap the list of rows in `torch.tensor`."""
    return reference(sequences, pad).tolist()


@mistake
def longest_is_a_list(sequences, pad=0):
    """`max(sequences)` is a sequence; the largest length is asked: `max(map(len, sequences))`."""
    longest = max(sequences)
    return torch.tensor([row + [pad] * (longest - len(row)) for row in sequences])


@mistake
def pad_without_brackets(sequences, pad=0):
    """To a list a list is added: `row + [pad] * n`, with the pad id in brackets."""
    longest = max(map(len, sequences))
    return torch.tensor([row + pad * (longest - len(row)) for row in sequences])


@mistake
def equally_many_pads(sequences, pad=0):
    """Every row gets as many pads: take off what it has, `longest - len(row)`."""
    longest = max(map(len, sequences))
    return torch.tensor([row + [pad] * longest for row in sequences])
