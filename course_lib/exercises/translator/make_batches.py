"""make_batches: pairs of like length together, each batch padded for itself."""

from itertools import islice

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.results import RejectedError, describe
from course_lib.exercises.embedding.pad_batch import pad_batch
from course_lib.exercises.embedding.pad_batch import reference as padded


def pairs_after(make_batches, pairs, size):
    """The list of pairs itself, after make_batches was called with it."""
    make_batches(pairs, size)
    return pairs


make_batches = Exercise(
    "make_batches",
    points=5,
    returns=("batches",),
    hints=[
        "By which number do you sort the pairs, and by which number if two pairs are equal in it? Sort the "
        "pairs first, then cut the sorted list into pieces.",
        "`sorted(pairs, key=...)` makes a new list. Python compares tuples item by item: as a key give the "
        "length of the target and of the source, `lambda pair: (len(pair[1]), len(pair[0]))`.",
        "The pieces are `pairs[i : i + size]` for `i` in `range(0, len(pairs), size)`. `sources, targets = "
        "zip(*piece)` splits a piece, and `pad_batch` makes a tensor of each.",
    ],
    examples=[
        "make_batches([([5, 6], [1, 7, 2])], 1)",
        "make_batches([([8], [1, 9, 2]), ([8], [1, 9, 2])], 2)",
        "make_batches([([8], [1, 9, 2]), ([5, 6], [1, 2])], 1)",
        "make_batches([([5, 6], [1, 2]), ([8], [1, 9, 2])], 2)",
        "make_batches([([4, 5], [1, 7, 2]), ([8], [1, 9, 2])], 2)",
        "make_batches([([4], [1, 7, 2]), ([5, 6, 7], [1, 2])], 1)",
        "make_batches([([4], [1, 2]), ([5], [1, 6, 2]), ([7], [1, 8, 9, 2])], 2)",
        "make_batches([([4], [1, 2]), ([5, 6], [1, 6, 2]), ([7, 8, 9], [1, 8, 9, 2])], 1)",
        "pairs_after(make_batches, [([8], [1, 9, 2]), ([5, 6], [1, 2])], 2)",
    ],
    uses=(pad_batch,),
    names={"pairs_after": pairs_after},
)

LENGTHS = (5, 4), (2, 7), (4, 3), (2, 4), (3, 6), (7, 5), (3, 6), (6, 3)  # source, target; two are equal


@make_batches.reference
def batches_reference(pairs, size):
    in_order = sorted(pairs, key=lambda pair: (len(pair[1]), len(pair[0])))
    pieces = [in_order[i : i + size] for i in range(0, len(in_order), size)]
    return [(padded([pair[0] for pair in piece]), padded([pair[1] for pair in piece])) for piece in pieces]


def pairs_of(inputs, *lengths):
    """For each (source length, target length) a pair whose ids differ from those of all other pairs."""
    draw = lambda count: inputs.integers(30, 60, count).tolist()  # noqa: E731
    first = range(len(lengths) + 3, 3, -1)
    return [
        ([i, *draw(source - 1)], [1, 15 + i, *draw(target - 3), 2])
        for i, (source, target) in zip(first, lengths, strict=True)
    ]


def found(batches):
    """The batches of an answer. Raises RejectedError unless each is a pair of tensors with ids."""
    if not isinstance(batches, (list, tuple)):
        raise RejectedError(f"It returned {describe(batches)}; expected a list of (source, target).")
    for batch in batches:
        if not isinstance(batch, (list, tuple)) or len(batch) != 2:
            told = f"A batch of yours is {describe(batch)}; expected (source, target)."
            if isinstance(batch, (list, tuple)) and batch:
                told += f" Its first item is {describe(batch[0])}."
            raise RejectedError(told)
        for name, ids in zip(("source", "target"), batch, strict=True):
            if not isinstance(ids, torch.Tensor):
                raise RejectedError(
                    f"The {name} of a batch is {describe(ids)}; expected a tensor (batch, seq)."
                )
            if ids.dim() != 2 or ids.dtype != torch.int64:
                kind = f"of shape {tuple(ids.shape)}, {ids.dtype}"
                raise RejectedError(f"The {name} of a batch is {kind}; expected (batch, seq), torch.int64.")
    return batches


def words(ids):
    """The rows of a tensor without the padding after them."""
    rows = ids.tolist()
    for row in rows:
        while row and row[-1] == 0:
            row.pop()
    return rows


def told_of(pairs, batches):
    """What is wrong with the pairs that stand in the batches; mostly nothing."""
    there = [pair for source, target in batches for pair in zip(words(source), words(target), strict=False)]
    for source, target in sorted(there):
        if (source, target) not in pairs:
            return f"{source} is together with {target}, and this is not one of the given pairs."
    for pair in sorted(pairs):
        if there.count(pair) != 1:
            return f"The pair {pair} is in your batches {there.count(pair)} times, expected once."
    return ""


# It comes first, because a list that the answer changes costs the first part that is right otherwise.
@make_batches.part("the list of the caller does not change", points=1, alone=False)
def stays(make_batches, inputs):
    make_batches(pairs_of(inputs, *LENGTHS), 3)
    return {"finding": ""}


@make_batches.part("every pair is in one batch, each source with its own target", points=1)
def once(make_batches, inputs):
    pairs = pairs_of(inputs, *LENGTHS)
    batches = make_batches(pairs, 3)
    told = "" if isinstance(batches, list) else f"It returned {describe(batches)}; expected a list."
    equal, silent = pairs_of(inputs.named("twice"), (4, 5)) * 2, ([9, 8], [1, 2])  # it translates to nothing
    twice = found(make_batches([*pairs, *equal, silent], 3))
    return {
        "kind": told,
        "pairs": told_of(pairs, found(batches)),
        "pairs in all batches (of 11, two of which are equal, and one without target words)": sum(
            len(source) for source, _ in twice
        ),
    }


@make_batches.part("each batch has `size` pairs, and the last may have fewer", points=1)
def sizes(make_batches, inputs):
    results = {}
    for count, size in ((8, 3), (8, 4), (5, 2), (3, 1), (2, 6)):
        batches = found(make_batches(pairs_of(inputs, *LENGTHS[:count]), size))
        for part, name in enumerate(("sources", "targets")):
            label = f"{name} in each batch ({count} pairs, size {size})"
            results[label] = [len(batch[part]) for batch in batches]
    return results


@make_batches.part("pairs of similar length are together, without unneeded padding", points=1)
def together(make_batches, inputs):
    batches = found(make_batches(pairs_of(inputs, *LENGTHS), 3))
    results = {}
    for part, name in ((1, "target"), (0, "source")):
        lengths = [[len(row) for row in words(batch[part])] for batch in batches]
        results[f"lengths of the {name}s, batch by batch"] = lengths
    for part, name in ((1, "target"), (0, "source")):
        results[f"columns of each {name}"] = [batch[part].shape[1] for batch in batches]
    return results


# Accepted: other ways to write the same


@make_batches.accept("sorted indices")
def by_index(pairs, size):
    order = sorted(range(len(pairs)), key=lambda i: (len(pairs[i][1]), len(pairs[i][0])))
    batches = []
    for start in range(0, len(order), size):
        rows = order[start : start + size]
        source = padded([pairs[i][0] for i in rows])
        target = padded([pairs[i][1] for i in rows])
        batches.append((source, target))
    return batches


@make_batches.accept("a copy that is sorted twice, and an iterator")
def with_islice(pairs, size):
    copy, batches = list(pairs), []
    copy.sort(key=lambda pair: len(pair[0]))
    copy.sort(key=lambda pair: len(pair[1]))  # keeps the order of equal ones
    waiting = iter(copy)
    while piece := list(islice(waiting, size)):
        source, target = zip(*piece, strict=True)
        batches += [(padded(source), padded(target))]
    return batches


@make_batches.accept("a batch that is filled")
def filled_up(pairs, size):
    batches, sources, targets = [], [], []
    for source, target in sorted(pairs, key=lambda pair: [len(pair[1]), len(pair[0])]):
        sources.append(source)
        targets.append(target)
        if len(sources) == size:
            batches.append((padded(sources), padded(targets)))
            sources, targets = [], []
    if sources:
        batches.append((padded(sources), padded(targets)))
    return batches


@make_batches.accept("one number to sort by, split, pad_sequence")
def with_split(pairs, size):
    wide = 1 + max(len(source) for source, _ in pairs)
    order = torch.tensor([len(target) * wide + len(source) for source, target in pairs]).argsort()
    pad = lambda rows: torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)  # noqa: E731
    return [
        [pad([torch.tensor(pairs[i][part]) for i in piece.tolist()]) for part in (0, 1)]
        for piece in order.split(size)
    ]
