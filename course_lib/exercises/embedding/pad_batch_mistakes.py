"""Wrong answers to pad_batch: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.embedding.pad_batch import reference

mistake = Mistakes()


@mistake("V7")
def always_zero(sequences, pad=0):
    """You fill up with 0, but the pad id is the argument `pad`."""
    return reference(sequences, pad=0)


@mistake
def on_the_left(sequences, pad=0):
    """You put the padding before the words. Put it after them."""
    longest = max(map(len, sequences))
    return torch.tensor([[pad] * (longest - len(row)) + row for row in sequences])


@mistake
def cut_to_the_shortest(sequences, pad=0):
    """You cut all sequences to the length of the shortest, so words are lost. Fill up to the longest
    instead.
    """
    shortest = min(map(len, sequences))
    return torch.tensor([row[:shortest] for row in sequences])


@mistake
def as_long_as_the_first(sequences, pad=0):
    """You use the length of the first sequence, but it is not always the longest. Take the maximum of all
    lengths.
    """
    longest = len(sequences[0])
    return torch.tensor([(row + [pad] * longest)[:longest] for row in sequences])


@mistake
def fixed_length(sequences, pad=0):
    """A fixed length wastes work on short batches and fails on long ones. Use the length of the longest
    sequence.
    """
    return torch.tensor([row + [pad] * (10 - len(row)) for row in sequences])


@mistake
def power_of_two(sequences, pad=0):
    """You fill up to a power of two, but the longest sequence needs no padding. Fill up to its length."""
    length = 1
    while length < max(map(len, sequences)):
        length *= 2
    return torch.tensor([row + [pad] * (length - len(row)) for row in sequences])


@mistake
def one_too_few(sequences, pad=0):
    """Your rows are one place too short. They must be as long as the longest sequence."""
    longest = max(map(len, sequences)) - 1
    return torch.tensor([row + [pad] * (longest - len(row)) for row in sequences])


@mistake(mentions=r"\w\[0\]")
def up_to_the_first(sequences, pad=0):
    """You use the length of the first sequence, but it is not always the longest. Take the maximum of all
    lengths.
    """
    longest = len(sequences[0])
    return torch.tensor([row + [pad] * (longest - len(row)) for row in sequences])


@mistake(mentions=r"\w\[-1\]")
def up_to_the_last(sequences, pad=0):
    """You use the length of the last sequence, but it is not always the longest. Take the maximum of all
    lengths.
    """
    longest = len(sequences[-1])
    return torch.tensor([row + [pad] * (longest - len(row)) for row in sequences])


@mistake(mentions=r"len\(max\(")
def last_in_order(sequences, pad=0):
    """`max(sequences)` compares the ids, not the lengths. The largest length is
    `max(map(len, sequences))`.
    """
    longest = len(max(sequences))
    return torch.tensor([row + [pad] * (longest - len(row)) for row in sequences])


@mistake
def one_too_many(sequences, pad=0):
    """Your rows are one place too long. The longest sequence needs no padding."""
    longest = max(map(len, sequences)) + 1
    return torch.tensor([row + [pad] * (longest - len(row)) for row in sequences])


@mistake
def no_padding(sequences, pad=0):
    """Your rows still differ in length, but a tensor is a rectangle. Fill every row up to the longest."""
    return torch.tensor(sequences)


@mistake(mentions="pad_sequence")
def pad_sequence_default(sequences, pad=0):
    """Your axes are (seq, batch), which is the default of `pad_sequence`. Pass `batch_first=True`."""
    tensors = [torch.tensor(sequence) for sequence in sequences]
    return torch.nn.utils.rnn.pad_sequence(tensors, padding_value=pad)


@mistake
def sequence_first(sequences, pad=0):
    """Your axes are (seq, batch). A row of the batch is a sentence, so they must be (batch, seq)."""
    return reference(sequences, pad).T


@mistake(mentions="pad_sequence")
def lists_to_pad_sequence(sequences, pad=0):
    """`pad_sequence` takes a list of tensors, but you give it lists. Make a tensor of each with
    `torch.tensor`.
    """
    return torch.nn.utils.rnn.pad_sequence(sequences, batch_first=True, padding_value=pad)


@mistake
def floats(sequences, pad=0):
    """Ids are integers, but you return floats, which cannot look up rows of a table. `torch.tensor` of
    integers, or `dtype=torch.long`, makes integers.
    """
    return reference(sequences, pad).float()


@mistake(mentions="extend|append")
def result_of_extend(sequences, pad=0):
    """`extend` and `append` change a list and return None. `row + [pad] * n` makes a new list."""
    longest = max(map(len, sequences))
    return torch.tensor([row.extend([pad] * (longest - len(row))) for row in sequences])


@mistake
def one_long_row(sequences, pad=0):
    """You put all rows one after another on a single axis. `torch.stack` puts rows of equal length below one
    another.
    """
    return reference(sequences, pad).flatten()


@mistake(mentions=r"\+=|append|extend|insert")
def extends_in_place(sequences, pad=0):
    """`+=`, `append` and `extend` change the caller's lists, and the caller still needs them as they are.
    `row + [pad] * n` makes a new list.
    """
    longest = max(map(len, sequences))
    for row in sequences:
        row += [pad] * (longest - len(row))
    return torch.tensor(sequences)


@mistake
def sorts(sequences, pad=0):
    """You sort by length, but row i of the batch must be sentence i. Keep the order of `sequences`."""
    return reference(sorted(sequences, key=len, reverse=True), pad)


@mistake(mentions=r"tensor\(", lacks=r"tolist|stack")
def list_of_tensors(sequences, pad=0):
    """You return a list of tensors. `torch.stack` makes one tensor of them."""
    longest = max(map(len, sequences))
    return [torch.tensor(row + [pad] * (longest - len(row))) for row in sequences]


@mistake
def a_list(sequences, pad=0):
    """You return a list of rows. Make a tensor of it with `torch.tensor`."""
    longest = max(map(len, sequences))
    return [row + [pad] * (longest - len(row)) for row in sequences]


@mistake(mentions=r"\bmax\(sequences\b")
def longest_is_a_list(sequences, pad=0):
    """`max(sequences)` is a sequence, but you need the largest length: `max(map(len, sequences))`."""
    longest = max(sequences)
    return torch.tensor([row + [pad] * (longest - len(row)) for row in sequences])


@mistake
def pad_without_brackets(sequences, pad=0):
    """Only a list can be added to a list. Put the pad id in brackets: `row + [pad] * n`."""
    longest = max(map(len, sequences))
    return torch.tensor([row + pad * (longest - len(row)) for row in sequences])


@mistake
def equally_many_pads(sequences, pad=0):
    """You add the same number of pads to every row. Subtract what the row already has: `longest -
    len(row)`.
    """
    longest = max(map(len, sequences))
    return torch.tensor([row + [pad] * longest for row in sequences])
