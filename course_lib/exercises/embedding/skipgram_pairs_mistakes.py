"""Wrong answers to skipgram_pairs: name, advice, code."""

from itertools import pairwise

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.embedding.skipgram_pairs import reference

mistake = Mistakes()


@mistake
def with_itself(tokens, window=2):
    """You pair the center with itself. Leave out the place `j == i`."""
    places = range(len(tokens))
    return [(tokens[i], tokens[j]) for i in places for j in places if abs(i - j) <= window]


@mistake
def after_only(tokens, window=2):
    """You take only the words after the center. The words before it are neighbors too."""
    places = range(len(tokens))
    return [(tokens[i], tokens[j]) for i in places for j in places if 0 < j - i <= window]


@mistake
def next_only(tokens, window=2):
    """You pair each word only with the next one. `window` words on each side are neighbors."""
    return list(pairwise(tokens))


@mistake
def before_only(tokens, window=2):
    """You take only the words before the center. The words after it are neighbors too."""
    places = range(len(tokens))
    return [(tokens[i], tokens[j]) for i in places for j in places if 0 < i - j <= window]


@mistake
def stops_early(tokens, window=2):
    """The last neighbor after the center is missing. Ranges and slices stop before their end, so the end is
    `i + window + 1`.
    """
    places = range(len(tokens))
    return [(tokens[i], tokens[j]) for i in places for j in places if j != i and -window <= j - i < window]


@mistake
def less_than_window(tokens, window=2):
    """You leave out the word at the distance `window`. It is a neighbor too: `<=`, not `<`."""
    places = range(len(tokens))
    return [(tokens[i], tokens[j]) for i in places for j in places if 0 < abs(i - j) < window]


@mistake
def first_word_left_out(tokens, window=2):
    """The first word is nobody's neighbor in your pairs. Places begin at 0, so ask for `0 <= j`."""
    pairs = []
    for i in range(len(tokens)):
        for j in range(i - window, i + window + 1):
            if j != i and 0 < j < len(tokens):
                pairs.append((tokens[i], tokens[j]))
    return pairs


@mistake(mentions="except")
def wraps_until_an_error(tokens, window=2):
    """In Python `tokens[-1]` is the last word and raises no error, so the first words get neighbors from the
    end. Ask for `0 <= j < len(tokens)`.
    """
    pairs = []
    for i in range(len(tokens)):
        for offset in range(-window, window + 1):
            try:
                if offset != 0:
                    pairs.append((tokens[i], tokens[i + offset]))
            except IndexError:
                pass
    return pairs


@mistake(mentions="append")
def append_of_two(tokens, window=2):
    """`append` takes one thing, and a pair is one thing. Write `pairs.append((center, neighbor))`, with two
    brackets.
    """
    pairs = []
    for i in range(len(tokens)):
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if j != i:
                pairs.append(tokens[i], tokens[j])
    return pairs


@mistake(mentions=r"\+=|extend")
def words_one_by_one(tokens, window=2):
    """`+=` and `extend` add the two words of a pair one by one. `pairs.append((center, neighbor))` adds the
    pair.
    """
    pairs = []
    for i in range(len(tokens)):
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if j != i:
                pairs += (tokens[i], tokens[j])
    return pairs


@mistake
def wraps_around(tokens, window=2):
    """In Python `tokens[-1]` is the last word, so the first words get neighbors from the end. Begin at
    `max(0, i - window)`.
    """
    pairs = []
    for i in range(len(tokens)):
        for j in range(i - window, min(len(tokens), i + window + 1)):
            if j != i:
                pairs.append((tokens[i], tokens[j]))
    return pairs


@mistake
def runs_over(tokens, window=2):
    """You go past the end of the sentence. The last place is `len(tokens) - 1`, so for the neighbors of place
    i `range` may end at `min(len(tokens), i + window + 1)`.
    """
    pairs = []
    for i in range(len(tokens)):
        for j in range(max(0, i - window), i + window + 1):
            if j != i:
                pairs.append((tokens[i], tokens[j]))
    return pairs


@mistake(mentions=r"\[.*:.*\]")
def negative_slice(tokens, window=2):
    """A slice with a negative start counts from the end and is empty here, so the first words lose the
    neighbors before them. Use `max(0, i - window)`.
    """
    pairs = []
    for i in range(len(tokens)):
        for neighbor in tokens[i - window : i] + tokens[i + 1 : i + window + 1]:
            pairs.append((tokens[i], neighbor))
    return pairs


@mistake
def skips_the_ends(tokens, window=2):
    """You skip the words at the ends. They are centers too, with fewer neighbors."""
    inner = range(window, len(tokens) - window)
    return [(tokens[i], tokens[i + d]) for i in inner for d in range(-window, window + 1) if d]


@mistake
def half_the_window(tokens, window=2):
    """You divide the window between both sides. `window` words on each side are neighbors."""
    return reference(tokens, window // 2)


@mistake
def at_the_distance(tokens, window=2):
    """You take only the word at the distance `window`. Nearer words are neighbors too."""
    places = range(len(tokens))
    return [(tokens[i], tokens[j]) for i in places for j in places if abs(i - j) == window]


@mistake
def nearest_only(tokens, window=2):
    """You pair only words that are next to each other. Words up to `window` places away are neighbors, on
    each side.
    """
    return reference(tokens, 1)


@mistake
def window_ignored(tokens, window=2):
    """Your window is always 2. Use the argument `window`."""
    return reference(tokens)


@mistake
def equal_words_skipped(tokens, window=2):
    """You leave out pairs of equal words, but a word that occurs twice may be its own neighbor. Compare
    places (`j != i`), not words.
    """
    return [(center, neighbor) for center, neighbor in reference(tokens, window) if center != neighbor]


@mistake
def each_pair_once(tokens, window=2):
    """You keep each pair only once, but a pair that occurs twice counts twice in the loss. Use a list instead
    of a set, and do not test whether the pair is there already.
    """
    return list(dict.fromkeys(reference(tokens, window)))


@mistake(mentions="index")
def first_of_equal_words(tokens, window=2):
    """`tokens.index(word)` finds the first of two equal words. Use `enumerate` to get the place."""
    pairs = []
    for center in tokens:
        i = tokens.index(center)
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if j != i:
                pairs.append((center, tokens[j]))
    return pairs


@mistake
def places_for_tokens(tokens, window=2):
    """Your pairs hold places. Give the tokens at these places."""
    return reference(list(range(len(tokens))), window)


@mistake
def place_of_the_neighbor(tokens, window=2):
    """You give the neighbor's place. Write `tokens[j]`, not `j`."""
    return [(tokens[i], j) for i, j in reference(list(range(len(tokens))), window)]


@mistake(mentions="for ")
def returns_early(tokens, window=2):
    """`return` inside the loop ends it after the first word. Move it out of the loop."""
    pairs = []
    for i in range(len(tokens)):
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if j != i:
                pairs.append((tokens[i], tokens[j]))
        return pairs


@mistake
def last_word_left_out(tokens, window=2):
    """The last word is nobody's neighbor in your pairs. Ranges and slices stop before their end, so the end
    is `len(tokens)`.
    """
    pairs = []
    for i in range(len(tokens)):
        for j in range(max(0, i - window), min(len(tokens) - 1, i + window + 1)):
            if j != i:
                pairs.append((tokens[i], tokens[j]))
    return pairs


@mistake
def neighbors_in_a_list(tokens, window=2):
    """You put all neighbors of a center in one list. Make one tuple (center, neighbor) for each of them."""
    return [
        (tokens[i], tokens[max(0, i - window) : i] + tokens[i + 1 : i + window + 1])
        for i in range(len(tokens))
    ]


@mistake
def all_neighbors_together(tokens, window=2):
    """You put all neighbors of a center in one tuple. Make one tuple (center, neighbor) for each of them."""
    return [
        (tokens[i], *tokens[max(0, i - window) : i], *tokens[i + 1 : i + window + 1])
        for i in range(len(tokens))
    ]
