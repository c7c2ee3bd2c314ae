"""Wrong answers to count_pairs: name, advice, code."""

from collections import Counter
from itertools import combinations, pairwise

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


def _counted(words, pairs, weight=lambda count: count):
    counts = Counter()
    for ids, count in words.items():
        for pair in pairs(ids):
            counts[pair] += weight(count)
    return dict(counts)


@mistake
def words_count_once(words):
    """You count each word once. A pair occurs as often as its word does, so add the word's count."""
    return _counted(words, pairwise, lambda count: 1)


@mistake
def last_word_only(words):
    """A later word overwrites what an earlier word gave to the same pair. Add to the entry, with `+=`."""
    counts = {}
    for ids, count in words.items():
        counts |= _counted({ids: count}, pairwise)
    return counts


@mistake
def once_a_word(words):
    """You count a pair once in a word, even where it occurs twice. Count it each time that it occurs."""
    return _counted(words, lambda ids: dict.fromkeys(pairwise(ids)))


@mistake
def assigned(words):
    """You set the entry of a pair instead of adding to it, so only the last place counts. Use `+=`."""
    return {pair: count for ids, count in words.items() for pair in pairwise(ids)}


@mistake
def without_overlap(words):
    """You skip a pair that shares a piece with the pair before. For counting, 1 1 1 holds the pair (1, 1)
    twice. Only the merge has to choose.
    """

    def pairs(ids):
        i = 0
        while i < len(ids) - 1:
            yield ids[i], ids[i + 1]
            i += 2 if ids[i] == ids[i + 1] else 1

    return _counted(words, pairs)


@mistake
def every_second(words):
    """You move on by two places, so you see every second pair. Each piece but the last begins a pair."""
    return _counted(words, lambda ids: zip(ids[::2], ids[1::2], strict=False))


@mistake
def last_pair_left_out(words):
    """The last pair of each word is missing. A word of n pieces has n - 1 pairs, so run to `len(ids) - 1`."""
    return _counted(words, lambda ids: list(pairwise(ids))[:-1])


@mistake
def first_pair_left_out(words):
    """The first pair of each word is missing. Places begin at 0."""
    return _counted(words, lambda ids: list(pairwise(ids))[1:])


@mistake
def any_two(words):
    """You count any two pieces of a word. Only neighbors can be merged."""
    return _counted(words, lambda ids: combinations(ids, 2))


@mistake
def without_order(words):
    """You count (a, b) and (b, a) as one pair. A merge joins them in this order, so keep the order."""
    return _counted(words, lambda ids: (tuple(sorted(pair)) for pair in pairwise(ids)))


@mistake
def turned_around(words):
    """Your pairs are turned around: the piece that comes first in the word is second in the pair."""
    return _counted(words, lambda ids: (pair[::-1] for pair in pairwise(ids)))


@mistake
def across_words(words):
    """You count the end of one word and the beginning of the next as a pair. Merges never cross words."""
    everything = [i for ids, count in words.items() for i in ids * count]
    return dict(Counter(pairwise(everything)))


@mistake
def with_one_piece(words):
    """You pair a word of one piece with itself. It has no neighbors, and so no pair."""
    return _counted(words, lambda ids: pairwise(ids) if len(ids) > 1 else [(ids[0], ids[0])])


@mistake
def new_pair_without_entry(words):
    """A pair that comes for the first time has no entry yet, so you cannot add to it. Write
    `counts.get(pair, 0) + count`, or begin with `Counter()`.
    """
    counts = {}
    for ids, count in words.items():
        for pair in pairwise(ids):
            counts[pair] += count
    return counts


@mistake
def first_word_only(words):
    """You count the pairs of the first word and return. Write `return` after the loop, not in it."""
    return _counted(dict(list(words.items())[:1]), pairwise)
