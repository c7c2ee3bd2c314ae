"""skipgram_pairs: each word with each of its neighbors (Mikolov et al. 2013)."""

from collections import Counter
from itertools import pairwise

from course_lib.checks.exercise import Exercise

skipgram_pairs = Exercise(
    "skipgram_pairs",
    points=6,
    returns=("pairs",),
    hints=[
        "Two loops: one over the place `i` of the center, one over the place `j` of the neighbor.",
        "Neighbors have places from `i - window` to `i + window`, as far as the sentence goes: "
        "`range(max(0, i - window), min(len(tokens), i + window + 1))`.",
        "Leave out `j == i` only: compare places, since a word may be its own neighbor when it stands twice.",
    ],
    examples=[
        "sorted(skipgram_pairs(['a', 'b'], window=1))",
        "sorted(skipgram_pairs(['a', 'b', 'c'], window=1))",
        "sorted(skipgram_pairs(['a', 'b', 'c'], window=2))",
        "sorted(skipgram_pairs(['a', 'b', 'c', 'd'], window=2))",
        "sorted(skipgram_pairs(['a', 'a'], window=1))",
        "sorted(skipgram_pairs(['a', 'a', 'b'], window=1))",
        "sorted(skipgram_pairs(['a', 'b', 'a'], window=1))",
        "sorted(skipgram_pairs(['a', 'b', 'c', 'd', 'e'], window=3))",
    ],
)


def letters(inputs, length):
    """Different tokens, in a random order."""
    return ["abcdefg"[i] for i in inputs.normal(length).argsort().tolist()]


def compared(pairs, tokens, window):
    """What is missing and what is too much, first in a sentence; the order of the pairs does not matter."""
    got, right = (
        Counter(map(tuple, found)) for found in (pairs(tokens, window=window), reference(tokens, window))
    )
    missing, extra = sorted((right - got).elements()), sorted((got - right).elements())
    told = [
        f"{len(found)} {what}, such as {found[0]}"
        for found, what in ((missing, "missing"), (extra, "too many"))
        if found
    ]
    where = f"{' '.join(tokens)} with window {window}"
    return {
        f"finding ({where})": f"Pairs of `{' '.join(tokens)}` with window {window}: {'; '.join(told)}."
        if told
        else "",
        f"missing ({where})": missing,
        f"too many ({where})": extra,
    }


@skipgram_pairs.reference
def reference(tokens, window=2):
    pairs = []
    for i, center in enumerate(tokens):
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if j != i:
                pairs.append((center, tokens[j]))
    return pairs


@skipgram_pairs.part("two words on either side", points=2)
def either_side(pairs, inputs):
    return compared(pairs, letters(inputs, 6), 2)


@skipgram_pairs.part("as many as the window says", points=1)
def windows(pairs, inputs):
    tokens = letters(inputs, 6)
    return compared(pairs, tokens, 1) | compared(pairs, tokens, 3)


@skipgram_pairs.part("sentences shorter than the window", points=1)
def short_sentences(pairs, inputs):
    tokens = letters(inputs, 2)
    return compared(pairs, tokens, 4) | compared(pairs, tokens[:1], 2)


@skipgram_pairs.part("a word that stands twice", points=1)
def repeated(pairs, inputs):
    a, b, c = letters(inputs, 3)
    return compared(pairs, [a, a, b, c, b], 1)


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


# Mistakes


@skipgram_pairs.mistake("G1", advice="The center is no neighbor of its own: leave out the place `j == i`.")
def with_itself(tokens, window=2):
    places = range(len(tokens))
    return [(tokens[i], tokens[j]) for i in places for j in places if abs(i - j) <= window]


@skipgram_pairs.mistake("G2", advice="You take the words after the center only; those before it count too.")
def after_only(tokens, window=2):
    places = range(len(tokens))
    return [(tokens[i], tokens[j]) for i in places for j in places if 0 < j - i <= window]


@skipgram_pairs.mistake(
    "G17", advice="You pair each word with the next one only: `window` words count, on either side."
)
def next_only(tokens, window=2):
    return list(pairwise(tokens))


@skipgram_pairs.mistake("G3", advice="You take the words before the center only; those after it count too.")
def before_only(tokens, window=2):
    places = range(len(tokens))
    return [(tokens[i], tokens[j]) for i in places for j in places if 0 < i - j <= window]


@skipgram_pairs.mistake(
    "G4", advice="The last neighbor is missing: `range` stops before its end, so the end is `i + window + 1`."
)
def stops_early(tokens, window=2):
    places = range(len(tokens))
    return [(tokens[i], tokens[j]) for i in places for j in places if j != i and -window <= j - i < window]


@skipgram_pairs.mistake(
    "G5",
    advice="In Python `tokens[-1]` is the last word: the first words get neighbors from the end. Begin at "
    "`max(0, i - window)`.",
)
def wraps_around(tokens, window=2):
    pairs = []
    for i in range(len(tokens)):
        for j in range(i - window, min(len(tokens), i + window + 1)):
            if j != i:
                pairs.append((tokens[i], tokens[j]))
    return pairs


@skipgram_pairs.mistake(
    "G6", advice="You run over the end of the sentence: stop at `min(len(tokens), i + window + 1)`."
)
def runs_over(tokens, window=2):
    pairs = []
    for i in range(len(tokens)):
        for j in range(max(0, i - window), i + window + 1):
            if j != i:
                pairs.append((tokens[i], tokens[j]))
    return pairs


@skipgram_pairs.mistake(
    "G7",
    advice="A slice with a negative start counts from the end and is empty here: the first words lose the "
    "neighbors before them. Use `max(0, i - window)`.",
)
def negative_slice(tokens, window=2):
    pairs = []
    for i in range(len(tokens)):
        for neighbor in tokens[i - window : i] + tokens[i + 1 : i + window + 1]:
            pairs.append((tokens[i], neighbor))
    return pairs


@skipgram_pairs.mistake(
    "G8", advice="The words at the ends are centers too, with fewer neighbors: do not skip them."
)
def skips_the_ends(tokens, window=2):
    inner = range(window, len(tokens) - window)
    return [(tokens[i], tokens[i + d]) for i in inner for d in range(-window, window + 1) if d]


@skipgram_pairs.mistake("G9", advice="`window` words on either side, not on both together.")
def half_the_window(tokens, window=2):
    return reference(tokens, window // 2)


@skipgram_pairs.mistake(
    "G10", advice="You take only the word at the distance `window`; nearer ones count too."
)
def at_the_distance(tokens, window=2):
    places = range(len(tokens))
    return [(tokens[i], tokens[j]) for i in places for j in places if abs(i - j) == window]


@skipgram_pairs.mistake("G11", advice="The argument `window` is never used.")
def window_ignored(tokens, window=2):
    return reference(tokens)


@skipgram_pairs.mistake(
    "G12", advice="A word that stands twice may neighbor itself. Compare places (`j != i`), not words."
)
def equal_words_skipped(tokens, window=2):
    return [(center, neighbor) for center, neighbor in reference(tokens, window) if center != neighbor]


@skipgram_pairs.mistake(
    "G13", advice="A pair that occurs twice counts twice, that is what is learned from: no set, no `in`."
)
def each_pair_once(tokens, window=2):
    return list(dict.fromkeys(reference(tokens, window)))


@skipgram_pairs.mistake(
    "G14", advice="`tokens.index(word)` finds the first of two equal words. Use `enumerate` for the place."
)
def first_of_equal_words(tokens, window=2):
    pairs = []
    for center in tokens:
        i = tokens.index(center)
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if j != i:
                pairs.append((center, tokens[j]))
    return pairs


@skipgram_pairs.mistake("G15", advice="These are places: give the tokens that stand there.")
def places_for_tokens(tokens, window=2):
    return reference(list(range(len(tokens))), window)


@skipgram_pairs.mistake(
    "G16", advice="One tuple for each neighbor: (center, neighbor), not all neighbors in one."
)
def all_neighbors_together(tokens, window=2):
    return [
        (tokens[i], *tokens[max(0, i - window) : i], *tokens[i + 1 : i + window + 1])
        for i in range(len(tokens))
    ]
