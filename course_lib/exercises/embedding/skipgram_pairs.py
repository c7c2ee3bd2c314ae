"""skipgram_pairs: each word with each of its neighbors (Mikolov et al. 2013)."""

from collections import Counter

from course_lib.checks.exercise import Exercise
from course_lib.checks.results import RejectedError

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
    """The pairs of a sentence; their order does not matter."""
    found = list(pairs([*tokens], window=window))
    if unfit := [pair for pair in found if not _is_pair(pair)]:
        raise RejectedError(f"Each pair is a tuple of two tokens; one of yours is {unfit[0]!r}.")
    sentence = " ".join(map(str, tokens))
    return {f"pairs ({sentence} with window {window})": sorted(map(tuple, found), key=str)}


def missing_or_too_many(values, expected):
    """What a wrong list lacks and what it has too often, in the first sentence that shows it."""
    for label, right in expected.items():
        got, right = Counter(values.get(label, ())), Counter(right)
        told = [
            f"{count.total()} {what}, such as {next(iter(count))}"
            for count, what in ((right - got, "missing"), (got - right, "too many"))
            if count
        ]
        if told:
            words, _, window = label.removeprefix("pairs (").removesuffix(")").rpartition(" with window ")
            return f"Pairs of `{words}` with window {window}: {'; '.join(told)}."
    return None


def _is_pair(pair) -> bool:
    return isinstance(pair, (tuple, list)) and len(pair) == 2 and not isinstance(pair[1], (tuple, list))


FOUND = (missing_or_too_many,)


@skipgram_pairs.reference
def reference(tokens, window=2):
    pairs = []
    for i, center in enumerate(tokens):
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if j != i:
                pairs.append((center, tokens[j]))
    return pairs


@skipgram_pairs.part("two words on each side", points=2, properties=FOUND)
def either_side(pairs, inputs):
    # One capital letter: words are taken as they are.
    first, *rest = letters(inputs, 6)
    return compared(pairs, [first.upper(), *rest], 2)


@skipgram_pairs.part("as many as the window says, for words and for ids", points=1, properties=FOUND)
def windows(pairs, inputs):
    tokens, ids = letters(inputs, 6), inputs.normal(13).argsort().tolist()
    words = compared(pairs, tokens, 1) | compared(pairs, tokens, 3) | compared(pairs, tokens, 0)
    return words | compared(pairs, ids, 6)


@skipgram_pairs.part("sentences shorter than the window", points=1, properties=FOUND)
def short_sentences(pairs, inputs):
    tokens = letters(inputs, 3)
    return compared(pairs, tokens, 4) | compared(pairs, tokens[:1], 2)


@skipgram_pairs.part("a word that occurs twice", points=1, properties=FOUND)
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
