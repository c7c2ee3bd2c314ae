"""shift_targets: what the decoder reads, and what it must say."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.exercises.translator.stand_ins import BOS, EOS, PAD

shift_targets = Exercise(
    "shift_targets",
    points=4,
    returns=("read: batch target", "answer: batch target"),
    hints=[
        "Write the row `<bos> 我 是 学生 <eos>` twice, and move the second copy one column to the left. "
        "Which columns have a partner?",
        "The decoder reads all but the last column; the answers are all but the first. The columns are "
        "the second axis: `target[:, ...]`.",
    ],
    examples=[
        "shift_targets(torch.tensor([[1, 7, 8, 2]]))",
        "shift_targets(torch.tensor([[1, 7, 8, 2], [1, 9, 2, 0]]))",
    ],
)


@shift_targets.reference
def shift_reference(target):
    return target[:, :-1], target[:, 1:]


def translations(inputs, lengths=(4, 2, 1)):
    """Sentences of so many words between bos and eos, padded: (batch 3, seq 6)."""
    ids = inputs.integers(4, 40, len(lengths), max(lengths) + 2)
    for row, words in enumerate(lengths):
        ids[row, 0], ids[row, words + 1], ids[row, words + 2 :] = BOS, EOS, PAD
    return ids


MORE = (7, 3)  # lengths of the words of a second batch


def as_read(read, target):
    """What an answer reads. Where the answer is padding, the end may be read as padding too: here it is."""
    if read.shape != target[:, 1:].shape:
        return read
    return read.masked_fill(((read == EOS) | (read == PAD)) & (target[:, 1:] == PAD), PAD)


@shift_targets.part("the decoder reads the begin symbol and all words", points=1)
def reads(shift, inputs):
    results = {}
    for label, target in {
        "read": translations(inputs),
        "read (2 sentences)": translations(inputs, MORE),
    }.items():
        results[f"{label}: batch target"] = as_read(shift(target.clone())[0], target)
    return results


@shift_targets.part("each answer is the word that comes next", points=1)
def answers(shift, inputs):
    return {
        "answer: batch target": shift(translations(inputs))[1],
        "answer (2 sentences): batch target": shift(translations(inputs, MORE))[1],
    }


@shift_targets.part("the end symbol is an answer in every sentence", points=1, alone=False)
def ends(shift, inputs):
    answer = shift(translations(inputs))[1]
    return {"number of end symbols: batch": (answer == EOS).sum(dim=1)}


@shift_targets.accept("narrow")
def narrowed(target):
    size = target.shape[1] - 1
    return target.narrow(1, 0, size), target.narrow(1, 1, size)


@shift_targets.accept("index_select")
def selected(target):
    columns = torch.arange(target.shape[1] - 1)
    return target.index_select(1, columns), target.index_select(1, columns + 1)


@shift_targets.accept("lists")
def from_lists(target):
    rows = target.tolist()
    return torch.tensor([row[:-1] for row in rows]), torch.tensor([row[1:] for row in rows])


@shift_targets.accept("rolled")
def rolled(target):
    return target[:, :-1].clone(), target.roll(-1, dims=1)[:, :-1]


@shift_targets.accept("pairs of neighbors")
def unfolded(target):
    pairs = target.unfold(1, 2, 1)  # (batch, seq - 1, 2)
    return pairs[..., 0], pairs[..., 1]


@shift_targets.accept("the end symbol is not read (T7: not needed, and no harm)")
def end_not_read(target):
    read = target[:, :-1]
    return read.masked_fill(read == EOS, PAD), target[:, 1:]
