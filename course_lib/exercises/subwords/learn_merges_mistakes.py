"""Wrong answers to learn_merges: name, advice, code."""

from collections import Counter
from itertools import pairwise

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


def _join(ids, pair, new):
    merged = []
    for piece in ids:
        if merged and (merged[-1], piece) == pair:
            merged[-1] = new
        else:
            merged.append(piece)
    return tuple(merged)


def _learned(
    counts,
    number,
    weight=lambda count: count,
    choose=lambda pairs: min(pairs, key=lambda pair: (-pairs[pair], pair)),
    first=256,
    least=1,
    split=lambda word: tuple(word.encode()),
    pairs_of=pairwise,
    join=_join,
    stops=True,
):
    words = [(split(word), count) for word, count in counts.items()]
    merges = {}
    while len(merges) < number:
        pairs = Counter()
        for ids, count in words:
            for pair in pairs_of(ids):
                pairs[pair] += weight(count)
        pairs = Counter({pair: count for pair, count in pairs.items() if count >= least})
        if not pairs and stops:
            break
        best = choose(pairs)
        merges[best] = first + len(merges)
        words = [(join(ids, best, merges[best]), count) for ids, count in words]
    return merges


@mistake
def counted_once(counts, number):
    """You count the pairs once and take the most frequent ones. After a merge other pairs are there, with
    other counts: count again in each round.
    """
    pairs = Counter()
    for word, count in counts.items():
        for pair in pairwise(word.encode()):
            pairs[pair] += count
    best = sorted(pairs, key=lambda pair: (-pairs[pair], pair))[:number]
    return {pair: 256 + i for i, pair in enumerate(best)}


@mistake
def words_count_once(counts, number):
    """You let each word count once. A frequent word matters more: multiply by its count."""
    return _learned(counts, number, weight=lambda count: 1)


@mistake
def largest_of_ties(counts, number):
    """Of equally frequent pairs you take the largest. The exercise asks for the smallest pair."""
    return _learned(counts, number, choose=lambda pairs: max(pairs, key=lambda pair: (pairs[pair], pair)))


@mistake(mentions=r"max\(|most_common|sort|>")
def first_of_ties(counts, number):
    """Of equally frequent pairs you take the one that you met first. Then the merges depend on the order of
    the words. The exercise asks for the smallest pair.
    """
    return _learned(counts, number, choose=lambda pairs: max(pairs, key=lambda pair: pairs[pair]))


@mistake
def first_id_of_ties(counts, number):
    """Of equally frequent pairs you take the one with the smallest first id. If two pairs begin with the same
    id, the second id decides: compare whole pairs.
    """
    return _learned(counts, number, choose=lambda pairs: max(pairs, key=lambda pair: (pairs[pair], -pair[0])))


@mistake
def rarest(counts, number):
    """You merge the rarest pair. The most frequent pair saves the most pieces."""
    return _learned(counts, number, choose=lambda pairs: min(pairs, key=lambda pair: (pairs[pair], pair)))


@mistake
def ids_from_zero(counts, number):
    """Your new ids begin at 0, which is the id of a byte. The bytes have the ids 0 to 255, so the first
    merge gets 256.
    """
    return _learned(counts, number, first=0)


@mistake
def ids_from_257(counts, number):
    """Your first new id is 257. The bytes have the ids 0 to 255, so 256 is free."""
    return _learned(counts, number, first=257)


@mistake
def ids_from_255(counts, number):
    """Your first new id is 255, which is a byte's. The first merge gets 256."""
    return _learned(counts, number, first=255)


@mistake
def one_too_few(counts, number):
    """One merge is missing. Learn `number` merges."""
    return _learned(counts, number - 1)


@mistake
def one_too_many(counts, number):
    """You learn one merge too many. Stop when there are `number`."""
    return _learned(counts, number + 1)


@mistake
def at_least_twice(counts, number):
    """You do not merge a pair that occurs only once. The exercise stops only when there is no pair left."""
    return _learned(counts, number, least=2)


@mistake
def fails_for_no_words(counts, number):
    """Your code raises an error if there are no words. Then no pair is left, so there is nothing to merge:
    give back an empty dict.
    """
    if number:
        max(map(len, counts))
    return _learned(counts, number)


@mistake(mentions=r"strip|split")
def stripped(counts, number):
    """You strip the spaces of a word. They are bytes of it, and `low` and `low ` are two words with counts of
    their own.
    """
    return _learned({word.strip(): count for word, count in counts.items()}, number)


@mistake
def characters(counts, number):
    """You begin with characters (`ord`), so a Chinese character is one id far above 255. Begin with the bytes
    of `word.encode()`.
    """
    return _learned(counts, number, split=lambda word: tuple(map(ord, word)))


@mistake
def words_unmerged(counts, number):
    """You do not write the merge into the words, or not into the dict that you count. So the same pair is the
    most frequent in each round.
    """
    merges = _learned(counts, min(number, 1))
    return dict.fromkeys(merges, 256 + number - 1)


def _once(ids, pair, new):
    places = [i for i, found in enumerate(pairwise(ids)) if found == pair]
    return (*ids[: places[0]], new, *ids[places[0] + 2 :]) if places else ids


@mistake
def first_place_only(counts, number):
    """You merge only the first place of the pair in each word. It may stand in a word more than once: merge
    it at every place.
    """
    return _learned(counts, number, join=_once)


def _apart(ids):
    text = "".join(map(chr, ids))
    return [pair for pair in set(pairwise(ids)) for _ in range(text.count("".join(map(chr, pair))))]


@mistake(mentions=r"\bcount\(|replace|findall")
def counted_apart(counts, number):
    """You count places of a pair only where they have no letter in common, as `str.count` does. In `aaa` the
    pair `aa` occurs twice: count every two neighbors.
    """
    return _learned(counts, number, pairs_of=_apart)


@mistake
def never_out_of_pairs(counts, number):
    """When each word is one piece, there is no pair left, and `min` of nothing is an error. Leave the loop
    there: `if not pairs: break`.
    """
    return _learned(counts, number, stops=False)
