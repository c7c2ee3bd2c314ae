"""count_pairs: how often two pieces are neighbors (Sennrich et al. 2016, algorithm 1)."""

from collections import Counter
from itertools import pairwise

from course_lib.checks.exercise import Exercise
from course_lib.checks.results import RejectedError

count_pairs = Exercise(
    "count_pairs",
    points=4,
    returns=("counts",),
    hints=[
        "A word of four pieces has three pairs of neighbors. How often does each of them occur, if the word "
        "occurs 10 times?",
        "Go over `words.items()`, and in each word over `zip(ids, ids[1:])`. Add `count` to the entry of the "
        "pair, which is 0 if it is new: `counts.get(pair, 0) + count`.",
    ],
    examples=[
        "count_pairs({(1, 2): 1})",
        "count_pairs({(1, 2): 3})",
        "count_pairs({(1, 2, 3): 1})",
        "count_pairs({(2, 1): 1})",
        "count_pairs({(1, 1, 1): 1})",
        "count_pairs({(1, 2): 1, (1, 2, 3): 1})",
        "count_pairs({(1, 2, 1, 2): 5})",
        "count_pairs({(1,): 4, (2, 3): 1})",
    ],
)


def drawn_words(inputs, words=6, kinds=4, longest=6):
    """Words of random ids, with how often they occur: none twice, some pairs in several of them."""
    found = {}
    for length in range(2, 2 + words):
        ids = inputs.integers(97, 97 + kinds, min(length, longest)).tolist()
        found[tuple(ids)] = inputs.integer(2, 30)
    return found


def plain_counts(found) -> dict:
    """The counts, without pairs that are counted 0 times."""
    if not isinstance(found, dict):
        raise RejectedError(
            f"The result is {type(found).__name__}; expected a dict from a pair of ids to a number."
        )
    if unfit := [key for key in found if not (isinstance(key, tuple) and len(key) == 2)]:
        raise RejectedError(f"A key is {unfit[0]!r}; expected a pair of ids, such as (108, 111).")
    return {key: count for key, count in sorted(found.items(), key=str) if count}


@count_pairs.reference
def reference(words):
    counts = Counter()
    for ids, count in words.items():
        for pair in pairwise(ids):
            counts[pair] += count
    return counts  # a Counter, as the model answer's: learn_merges may ask it for `most_common`


@count_pairs.part("each pair of neighbors is counted, in its order", points=1)
def neighbors(count, inputs):
    a, b, c, d = (97 + inputs.normal(4).argsort()).tolist()
    return {"counts (one word, once)": plain_counts(count({(a, b, c, d): 1}))}


@count_pairs.part("a pair counts as often as its words occur", points=1)
def weighted(count, inputs):
    return {"counts (six words)": plain_counts(count(drawn_words(inputs)))}


@count_pairs.part("a pair that occurs twice in a word counts twice", points=1)
def twice(count, inputs):
    a, b = (97 + inputs.normal(2).argsort()).tolist()
    times = inputs.integer(2, 9)
    return {
        "counts (a b a b a)": plain_counts(count({(a, b, a, b, a): times})),
        "counts (a a a)": plain_counts(count({(a, a, a): times, (b,): 3})),
    }


# Accepted: other ways to write the same


@count_pairs.accept("a plain dict with get")
def with_get(words):
    counts = {}
    for ids, count in words.items():
        for pair in list(pairwise(ids)):
            counts[pair] = counts.get(pair, 0) + count
    return counts


@count_pairs.accept("by places")
def by_places(words):
    counts = Counter()
    for ids in words:
        for i in range(len(ids) - 1):
            counts[ids[i], ids[i + 1]] += words[ids]
    return counts


@count_pairs.accept("a Counter of all, repeated")
def repeated(words):
    return Counter(pair for ids, count in words.items() for pair in list(pairwise(ids)) * count)


@count_pairs.accept("setdefault")
def with_setdefault(words):
    counts = {}
    for ids, count in words.items():
        for pair in pairwise(ids):
            counts.setdefault(pair, 0)
            counts[pair] += count
    return counts
