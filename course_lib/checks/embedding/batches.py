"""pad_batch: sentences of different lengths in one tensor."""

import torch

from course_lib.checks.exercise import Exercise

pad_batch = Exercise(
    "pad_batch",
    points=5,
    returns=("ids: batch seq",),
    hints=[
        "How long is the longest? `max(len(sequence) for sequence in sequences)`.",
        "Each row is its sequence and then `[pad] * (longest - len(sequence))`; `torch.tensor` makes one "
        "tensor of equally long rows.",
    ],
    examples=[
        "pad_batch([[5, 6], [7]])",
        "pad_batch([[7], [5, 6]])",
        "pad_batch([[5, 6], [7]], pad=3)",
        "(sequences := [[7], [5, 6]], pad_batch(sequences), sequences)[2]",
    ],
)


def sequences(inputs):
    """Four sequences of ids above 3: of 3, 7, 1 and 5."""
    return [inputs.integers(4, 40, length).tolist() for length in (3, 7, 1, 5)]


@pad_batch.reference
def reference(sequences, pad=0):
    longest = max(map(len, sequences))
    return torch.tensor([[*sequence, *[pad] * (longest - len(sequence))] for sequence in sequences])


@pad_batch.part("fills up to the longest", points=2)
def fills(padded, inputs):
    return {"ids: batch seq": padded(sequences(inputs))}


@pad_batch.part("with the pad id that it is given", points=1)
def given_pad(padded, inputs):
    return {"ids: batch seq": padded(sequences(inputs), pad=3)}


@pad_batch.part("the caller's lists stay as they are", points=1)
def unchanged(padded, inputs):
    lists = sequences(inputs)
    padded(lists)
    return {"the lists after the call": lists}


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


# Mistakes


@pad_batch.mistake("V7", advice="The filler is 0, but the pad id is the argument `pad`.")
def always_zero(sequences, pad=0):
    return reference(sequences, pad=0)


@pad_batch.mistake("V30", advice="Your padding stands before the words. Here it comes after them.")
def on_the_left(sequences, pad=0):
    longest = max(map(len, sequences))
    return torch.tensor([[pad] * (longest - len(row)) + row for row in sequences])


@pad_batch.mistake(
    "V31", advice="You cut all sequences to the shortest: words are lost. Fill up to the longest instead."
)
def cut_to_the_shortest(sequences, pad=0):
    shortest = min(map(len, sequences))
    return torch.tensor([row[:shortest] for row in sequences])


@pad_batch.mistake(
    "V32", advice="The first sequence is not always the longest: take the maximum of all lengths."
)
def as_long_as_the_first(sequences, pad=0):
    longest = len(sequences[0])
    return torch.tensor([(row + [pad] * longest)[:longest] for row in sequences])


@pad_batch.mistake(
    "V33", advice="A fixed length wastes work on short batches and fails on long ones: use the longest one."
)
def fixed_length(sequences, pad=0):
    return torch.tensor([row + [pad] * (10 - len(row)) for row in sequences])


@pad_batch.mistake("V33", advice="One place too many: the longest sequence needs no padding.")
def one_too_many(sequences, pad=0):
    longest = max(map(len, sequences)) + 1
    return torch.tensor([row + [pad] * (longest - len(row)) for row in sequences])


@pad_batch.mistake(
    "V34", advice="Without padding the rows differ in length, and a tensor is a rectangle. Fill up first."
)
def no_padding(sequences, pad=0):
    return torch.tensor(sequences)


@pad_batch.mistake(
    "V35", advice="Your axes are (seq, batch), the default of `pad_sequence`; it has `batch_first=True`."
)
def sequence_first(sequences, pad=0):
    return reference(sequences, pad).T


@pad_batch.mistake(
    "V36",
    advice="Ids are integers: `torch.zeros` and `torch.Tensor` make floats, which cannot look anything up.",
)
def floats(sequences, pad=0):
    return reference(sequences, pad).float()


@pad_batch.mistake(
    "V37",
    advice="`+=`, `append` and `extend` change the caller's lists; the next batch has padding in its words. "
    "`row + [pad] * n` makes a new list.",
)
def extends_in_place(sequences, pad=0):
    longest = max(map(len, sequences))
    for row in sequences:
        row += [pad] * (longest - len(row))
    return torch.tensor(sequences)


@pad_batch.mistake("V38", advice="You sort by length, but row i of the batch must stay sentence i.")
def sorts(sequences, pad=0):
    return reference(sorted(sequences, key=len, reverse=True), pad)


@pad_batch.mistake("V39", advice="All is right but the type: wrap the list of rows in `torch.tensor`.")
def a_list(sequences, pad=0):
    return reference(sequences, pad).tolist()


@pad_batch.mistake(
    "V41", advice="`max(sequences)` is a sequence; the largest length is asked: `max(map(len, sequences))`."
)
def longest_is_a_list(sequences, pad=0):
    longest = max(sequences)
    return torch.tensor([row + [pad] * (longest - len(row)) for row in sequences])


@pad_batch.mistake("V42", advice="To a list a list is added: `row + [pad] * n`, with the pad id in brackets.")
def pad_without_brackets(sequences, pad=0):
    longest = max(map(len, sequences))
    return torch.tensor([row + pad * (longest - len(row)) for row in sequences])


@pad_batch.mistake("V42", advice="Every row gets as many pads: take off what it has, `longest - len(row)`.")
def equally_many_pads(sequences, pad=0):
    longest = max(map(len, sequences))
    return torch.tensor([row + [pad] * longest for row in sequences])
