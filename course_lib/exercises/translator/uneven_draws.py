"""Whether a long training draws all of its batches with the same probability: in words."""

from collections.abc import Sequence
from itertools import pairwise

from course_lib.exercises.translator.training_runs import Mark

TIMES = 380  # steps in which batches are counted
LARGE, SMALL = 9, 2  # sentences in a batch
UNEVEN = (
    "In {0} steps with {1} batches, those from {2} to {3} come {4} times, expected about {5} times. Draw "
    "each batch with the same probability."
)
UNEVEN_FOURTH = (
    "In {0} steps with {1} batches, every fourth batch from {2} on comes {3} times, expected about {4} "
    "times. Draw each batch with the same probability."
)
UNEVEN_TURNS = (
    "In every second one of {0} steps with {1} batches, every second batch from {2} on comes {3} times, "
    "expected about {4} times. Draw each batch with the same probability in each step."
)
UNEVEN_SIZES = (
    "In {0} steps with {1} batches, those of {2} sentences come {3} times, expected about {4} times. Draw "
    "each batch with the same probability, however many sentences it has."
)
NEVER = "In {0} steps you never use `batches[{1}]` of {2} batches."


def drawn_sizes(inputs) -> list[int]:
    """How many sentences each of 8 to 48 batches has: the first many, and the last few."""
    count = 8 * inputs.integer(1, 7)
    between = inputs.normal(count - 2).argsort() % 2
    return [LARGE, *((SMALL, LARGE)[i] for i in between.tolist()), SMALL]


def told_of_uneven(marks: list[Mark], sizes: Sequence[int]) -> str:
    """What is wrong with how often each batch comes in `TIMES` steps. sizes: of a multiple of four batches.

    A right answer has this by a chance below 1e-9: the counts are binomial, or nearer to what is expected.
    """
    drawn, count = [place for place, _ in marks], len(sizes)
    if len(drawn) != TIMES:
        return ""
    groups = [
        (UNEVEN_SIZES, (size,), {i for i in range(count) if sizes[i] == size}) for size in (LARGE, SMALL)
    ]
    for parts in (2, 4):
        edges = [k * count // parts for k in range(parts + 1)]
        groups += [(UNEVEN, (a, b - 1), {*range(a, b)}) for a, b in pairwise(edges)]
    groups += [(UNEVEN_FOURTH, (k,), {*range(k, count, 4)}) for k in range(4)]
    groups = [(drawn, *group) for group in groups]
    groups += [(drawn[k::2], UNEVEN_TURNS, (0,), {*range(0, count, 2)}) for k in (0, 1)]
    for turns, told, which, group in groups:
        times, share = sum(place in group for place in turns), len(group) / count
        if abs(times - share * len(turns)) > 7 * (len(turns) * share * (1 - share)) ** 0.5:
            return told.format(TIMES, count, *which, times, round(share * len(turns)))
    size = -(-count // 14)  # so many in a row come at least once, but for a chance of 1e-10
    missing = [place for place in range(count - size + 1) if not {*range(place, place + size)} & {*drawn}]
    return NEVER.format(TIMES, missing[0], count) if missing else ""
