"""skipgram_pairs: each word with each of its neighbors (Mikolov et al. 2013)."""

from collections import Counter

from course_lib.checks.exercise import Exercise

skipgram_pairs = Exercise(
    "skipgram_pairs",
    points=6,
    returns=("pairs",),
    hints=[
        "Which places may a neighbor have when the center is at place i? Which of these places are outside "
        "of the sentence? One loop can run over the centers, and a second loop over the neighbors.",
        "The neighbors are at the places from `i - window` to `i + window` that are in the sentence: "
        "`range(max(0, i - window), min(len(tokens), i + window + 1))`.",
        "Leave out only `j == i`. Compare places, because a word that occurs twice may be its own neighbor.",
    ],
    examples=[
        "sorted(map(tuple, skipgram_pairs(['a', 'b'], window=1)))",
        "sorted(map(tuple, skipgram_pairs(['a', 'b', 'c'], window=1)))",
        "sorted(map(tuple, skipgram_pairs(['a', 'b', 'c'], window=2)))",
        "sorted(map(tuple, skipgram_pairs(['a', 'b', 'c', 'd'], window=2)))",
        "sorted(map(tuple, skipgram_pairs(['a', 'a'], window=1)))",
        "sorted(map(tuple, skipgram_pairs(['a', 'a', 'b'], window=1)))",
        "sorted(map(tuple, skipgram_pairs(['a', 'b', 'a'], window=1)))",
        "sorted(map(tuple, skipgram_pairs(['a', 'b', 'c', 'd', 'e'], window=3)))",
    ],
)


def letters(inputs, length):
    """Different tokens, in a random order."""
    return ["abcdefghijklm"[i] for i in inputs.normal(length).argsort().tolist()]


def compared(pairs, tokens, window):
    """What is missing and what is too much, first in a sentence; the order of the pairs does not matter."""
    sentence = " ".join(map(str, tokens))
    found, where = pairs(tokens, window=window), f"{sentence} with window {window}"
    if unfit := [pair for pair in found if not _is_pair(pair)]:
        told = f"Each pair is a tuple of two tokens; one of yours is {unfit[0]!r}."
        return {f"finding ({where})": told, f"missing ({where})": None, f"too many ({where})": None}
    got, right = (Counter(map(tuple, found)) for found in (found, reference(tokens, window)))
    missing, extra = sorted((right - got).elements()), sorted((got - right).elements())
    told = [
        f"{len(found)} {what}, such as {found[0]}"
        for found, what in ((missing, "missing"), (extra, "too many"))
        if found
    ]
    return {
        f"finding ({where})": f"Pairs of `{sentence}` with window {window}: {'; '.join(told)}."
        if told
        else "",
        f"missing ({where})": missing,
        f"too many ({where})": extra,
    }


def _is_pair(pair) -> bool:
    return isinstance(pair, (tuple, list)) and len(pair) == 2 and not isinstance(pair[1], (tuple, list))


@skipgram_pairs.reference
def reference(tokens, window=2):
    pairs = []
    for i, center in enumerate(tokens):
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if j != i:
                pairs.append((center, tokens[j]))
    return pairs


@skipgram_pairs.part("two words on each side", points=2)
def either_side(pairs, inputs):
    # One capital letter: words are taken as they are.
    first, *rest = letters(inputs, 6)
    return compared(pairs, [first.upper(), *rest], 2)


@skipgram_pairs.part("as many as the window says, for words and for ids", points=1)
def windows(pairs, inputs):
    tokens, ids = letters(inputs, 6), inputs.normal(13).argsort().tolist()
    return compared(pairs, tokens, 1) | compared(pairs, tokens, 3) | compared(pairs, ids, 6)


@skipgram_pairs.part("sentences shorter than the window", points=1)
def short_sentences(pairs, inputs):
    tokens = letters(inputs, 3)
    return compared(pairs, tokens, 4) | compared(pairs, tokens[:1], 2)


@skipgram_pairs.part("a word that occurs twice", points=1)
def repeated(pairs, inputs):
    a, b, c = letters(inputs, 3)
    return compared(pairs, [a, a, b, c, b], 1) | compared(pairs, [a, b, a, a, c], 2)


# Accepted: other ways to write the same


@skipgram_pairs.accept("slices before and after")
def slices(tokens, window=2):
    pairs = []
    for i in range(len(tokens)):
        for neighbor in tokens[max(i - window, 0) : i] + tokens[i + 1 : i + window + 1]:
            pairs.append((tokens[i], neighbor))
    return pairs


@skipgram_pairs.accept("all pairs of places, filtered")
def filtered(tokens, window=2):
    places = range(len(tokens))
    return [(tokens[i], tokens[j]) for i in places for j in places if 0 < abs(i - j) <= window]


@skipgram_pairs.accept("by distance, each pair both ways")
def by_distance(tokens, window=2):
    pairs = []
    for distance in range(1, window + 1):
        for left, right in zip(tokens, tokens[distance:], strict=False):
            pairs += [(left, right), (right, left)]
    return pairs


@skipgram_pairs.accept("offsets, checked against the ends, lists of two")
def offsets(tokens, window=2):
    pairs = []
    for i, center in enumerate(tokens):
        for offset in range(-window, window + 1):
            if offset != 0 and 0 <= i + offset < len(tokens):
                pairs.append([center, tokens[i + offset]])
    return pairs
