"""pad_batch: sentences of different lengths in one tensor."""

import torch

from course_lib.checks.exercise import Exercise


def lists_after(pad_batch, sequences):
    """The sequences themselves, after pad_batch was called with them."""
    pad_batch(sequences)
    return sequences


pad_batch = Exercise(
    "pad_batch",
    points=5,
    returns=("ids: batch seq",),
    hints=[
        "How long must every row become, and how many pads does a row of three ids then need?",
        "The length of the longest sequence is `max(len(sequence) for sequence in sequences)`.",
        "Each row is its sequence, followed by `[pad] * (longest - len(sequence))`. `torch.tensor` makes one "
        "tensor of rows with equal lengths.",
    ],
    examples=[
        "pad_batch([[5, 6], [7]])",
        "pad_batch([[7], [5, 6]])",
        "pad_batch([[5, 6], [7]], pad=3)",
        "pad_batch([[5, 6, 7], [8]])",
        "lists_after(pad_batch, [[7], [5, 6]])",
    ],
    names={"lists_after": lists_after},
)


def sequences(inputs):
    """Four sequences of ids above 3: of 3, 7, 1 and 5. The longest begins with the smallest id of all."""
    return [
        [first, *inputs.integers(5, 40, length - 1).tolist()]
        for first, length in ((7, 3), (4, 7), (9, 1), (8, 5))
    ]


@pad_batch.reference
def reference(sequences, pad=0):
    longest = max(map(len, sequences))
    return torch.tensor([[*sequence, *[pad] * (longest - len(sequence))] for sequence in sequences])


# It comes first, because a list that the answer changes costs the first part that is right otherwise.
@pad_batch.part("the caller's lists are not changed", points=1, alone=False)
def unchanged(padded, inputs):
    padded(sequences(inputs))
    return {"finding": ""}


@pad_batch.part("every row is filled up to the length of the longest", points=2)
def fills(padded, inputs):
    long = [inputs.integers(4, 40_000, length).tolist() for length in (2, 4, 12, 1, 3)]
    return {
        "ids: batch seq": padded(sequences(inputs)),
        "ids (a longer batch): batch seq": padded(long),
        "ids (sequences of one id): batch seq": padded([[7], [4], [9]]),
    }


@pad_batch.part("padding has the id `pad`", points=1)
def given_pad(padded, inputs):
    rows = sequences(inputs)
    rows[0][1], rows[1][2] = 0, 3  # ids stay, whatever they are
    return {"ids: batch seq": padded(rows, pad=3)}


# Accepted: other ways to write the same


@pad_batch.accept("a full tensor, filled row by row")
def row_by_row(sequences, pad=0):
    longest = max(len(sequence) for sequence in sequences)
    ids = torch.full((len(sequences), longest), pad)
    for i, sequence in enumerate(sequences):
        ids[i, : len(sequence)] = torch.tensor(sequence)
    return ids


@pad_batch.accept("torch.nn.utils.rnn.pad_sequence")
def pad_sequence(sequences, pad=0):
    tensors = [torch.tensor(sequence) for sequence in sequences]
    return torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=pad)


@pad_batch.accept("torch.nn.functional.pad")
def functional_pad(sequences, pad=0):
    longest = len(max(sequences, key=len))
    rows = [
        torch.nn.functional.pad(torch.tensor(row), (0, longest - len(row)), value=pad) for row in sequences
    ]
    return torch.stack(rows)


@pad_batch.accept("loops over all places")
def loops(sequences, pad=0):
    longest = max([len(sequence) for sequence in sequences])
    return torch.LongTensor([[row[i] if i < len(row) else pad for i in range(longest)] for row in sequences])
