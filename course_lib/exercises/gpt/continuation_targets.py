"""continuation_targets: what a model of one sequence learns at each position of a translation."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise

PAD, BOS, EOS, UNK = 0, 1, 2, 3

continuation_targets = Exercise(
    "continuation_targets",
    points=5,
    returns=("targets: batch seq",),
    hints=[
        "The model reads all ids but the last one. Which id has to come out at its first position?",
        "`ids[:, 1:]` is the next id of each position of `ids[:, :-1]`. Which of these belong to the source?",
        "At the separator the model writes the first target word, so the separator's position counts. "
        "`(ids[:, :-1] == 1).cumsum(dim=1)` is 0 before the separator, and 1 from there on.",
    ],
    examples=[
        "continuation_targets(torch.tensor([[5, 1, 7, 2]]))",
        "continuation_targets(torch.tensor([[5, 6, 1, 7, 8, 2]]))",
        "continuation_targets(torch.tensor([[5, 6, 1, 7, 2, 0], [5, 1, 7, 8, 9, 2]]))",
        "continuation_targets(torch.tensor([[5, 6, 9, 1, 7, 2, 0], [5, 1, 7, 5, 5, 8, 2]]))",
        "continuation_targets(torch.tensor([[5, 3, 1, 3, 7, 2]]))",
        "continuation_targets(torch.tensor([[5, 6, 1]]))",
    ],
)


@continuation_targets.reference
def reference(ids):
    return ids[:, 1:].masked_fill((ids[:, :-1] == BOS).cumsum(dim=1) == 0, PAD)


def sequences(inputs, lengths, high=30):
    """Rows of source words, separator, target words and end symbol, padded on the right."""
    rows = [
        torch.cat(
            [
                inputs.integers(4, high, source),
                torch.tensor([BOS]),
                inputs.integers(4, high, target),
                torch.tensor([EOS]),
            ]
        )
        for source, target in lengths
    ]
    longest = max(map(len, rows))
    return torch.stack([F.pad(row, (0, longest - len(row))) for row in rows])


@continuation_targets.part("the target words and the end symbol, each at the position before it", points=2)
def one_length(targets, inputs):
    unknown = sequences(inputs, [(3, 4)] * 2)
    unknown[:, [1, 5, 7]] = UNK  # of the source, and two of the target
    return {
        "targets: batch seq": targets(sequences(inputs, [(4, 3), (4, 3)])),
        "targets (one word each): batch seq": targets(sequences(inputs, [(1, 1)])),
        "targets (longer): batch seq": targets(sequences(inputs, [(3, 9), (3, 9), (3, 9)])),
        "targets (some words unknown): batch seq": targets(unknown),
    }


@continuation_targets.part("each row has its own separator; padding stays padding", points=2)
def lengths(targets, inputs):
    ids = sequences(inputs, [(4, 3), (1, 7), (6, 2), (2, 2)])
    source = torch.tensor([[7, 5, BOS], [BOS, 6, EOS]])  # what a model continues, beside one that is whole
    before = ids.clone()
    made = targets(ids)
    return {
        "targets (rows of different lengths): batch seq": made,
        "targets (the first row ends in its separator): batch seq": targets(source),
        "the ids are unchanged": bool((ids == before).all()),
    }


# Accepted: other ways to write the same


@continuation_targets.accept("the place of the separator")
def by_place(ids):
    places = (ids == BOS).int().argmax(dim=1, keepdim=True)
    return torch.where(torch.arange(ids.shape[1] - 1) >= places, ids[:, 1:], 0)


@continuation_targets.accept("a product with what has been seen")
def product(ids):
    return ids[:, 1:] * (ids[:, :-1] == BOS).int().cummax(dim=1).values


@continuation_targets.accept("a loop over rows")
def loop(ids):
    rows = []
    for row in ids.tolist():
        start = row.index(BOS)
        rows.append([PAD] * start + row[start + 1 :])
    return torch.tensor(rows)


@continuation_targets.accept("a copy that is overwritten")
def overwritten(ids):
    targets = ids[:, 1:].clone()
    for row, own in zip(targets, ids, strict=True):
        row[: (own == BOS).nonzero()[0, 0]] = PAD
    return targets


@continuation_targets.accept("the separator is never a target, so what precedes it is the source")
def after_the_target(ids):
    later = (ids == BOS).flip(1).cumsum(1).flip(1)[:, 1:]
    return ids[:, 1:].masked_fill(later.bool(), PAD)
