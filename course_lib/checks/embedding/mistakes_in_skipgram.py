"""What goes wrong in skipgram_pairs: the ends of the sentence, the window, words that stand twice."""

from itertools import pairwise

from course_lib.checks.embedding.skipgram import reference, skipgram_pairs


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


@skipgram_pairs.mistake("G11", advice="You pair neighbors next to each other only; `window` is never used.")
def nearest_only(tokens, window=2):
    return reference(tokens, 1)


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


@skipgram_pairs.mistake("G15", advice="The neighbor is given by its place: write `tokens[j]`, not `j`.")
def place_of_the_neighbor(tokens, window=2):
    return [(tokens[i], j) for i, j in reference(list(range(len(tokens))), window)]


@skipgram_pairs.mistake("G18", advice="`return` inside the loop ends it after the first word: move it out.")
def returns_early(tokens, window=2):
    return [(tokens[0], tokens[j]) for i, j in reference(list(range(len(tokens))), window) if i == 0]


@skipgram_pairs.mistake(
    "G19", advice="The last word is nobody's neighbor: `range` stops before its end, so use `len(tokens)`."
)
def last_word_left_out(tokens, window=2):
    last = len(tokens) - 1
    return [(tokens[i], tokens[j]) for i, j in reference(list(range(len(tokens))), window) if j != last]


@skipgram_pairs.mistake(
    "G16", advice="One tuple for each neighbor: (center, neighbor), not a list of all in one."
)
def neighbors_in_a_list(tokens, window=2):
    return [
        (tokens[i], tokens[max(0, i - window) : i] + tokens[i + 1 : i + window + 1])
        for i in range(len(tokens))
    ]


@skipgram_pairs.mistake(
    "G16", advice="One tuple for each neighbor: (center, neighbor), not all neighbors in one."
)
def all_neighbors_together(tokens, window=2):
    return [
        (tokens[i], *tokens[max(0, i - window) : i], *tokens[i + 1 : i + window + 1])
        for i in range(len(tokens))
    ]
