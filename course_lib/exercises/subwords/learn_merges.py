"""learn_merges: the most frequent pair becomes a piece, again and again (Sennrich et al. 2016)."""

from collections import Counter
from itertools import pairwise

from course_lib.checks.exercise import Exercise
from course_lib.checks.results import RejectedError
from course_lib.exercises.subwords.count_pairs import count_pairs
from course_lib.exercises.subwords.merge import merge

learn_merges = Exercise(
    "learn_merges",
    points=6,
    returns=("merges",),
    uses=(count_pairs, merge),
    hints=[
        "Which of your two functions finds the best pair, and which one writes it into each word? What has "
        "to be counted again after a merge?",
        "Begin with `{tuple(word.encode()): count for word, count in counts.items()}`. In each round, count "
        "the pairs, choose one, and build this dict anew with merged words.",
        "`best = min(pairs, key=lambda pair: (-pairs[pair], pair))` takes the largest count, and of equal "
        "ones the smallest pair. Its id is `256 + len(merges)`. Stop when `pairs` is empty.",
    ],
    examples=[
        "learn_merges({'ab': 1}, 1)",
        "learn_merges({'ab': 1, 'cd': 2}, 1)",
        "learn_merges({'ab': 1}, 5)",
        "learn_merges({'abc': 1}, 2)",
        "learn_merges({'ab': 1, 'cd': 2}, 2)",
        "learn_merges({'ba': 1, 'ab': 1}, 1)",
        "learn_merges({'ac': 1, 'ab': 1}, 1)",
        "learn_merges({'abab': 2}, 2)",
        "learn_merges({'aaa': 1, 'bc': 1}, 2)",
        "learn_merges({'bbb': 1, 'ac': 1}, 1)",
        "learn_merges({'我': 1}, 2)",
        "learn_merges({'ab': 3, 'abc': 2}, 2)",
        "learn_merges({'ab': 1}, 0)",
        "learn_merges({}, 1)",
        "learn_merges({'a ': 1}, 1)",
        "learn_merges({'abd': 2, 'xab': 1, 'bd': 2}, 2)",
        "learn_merges({'ab': 9, 'bc': 9, 'abc': 5}, 3)",
    ],
)

WORDS = (
    "low lower lowest new newer newest wide wider widest play playing played reading rain 我 我们 你们 学生"
)


def drawn_counts(inputs, number=9):
    """Words with how often they occur: English and Chinese, whole numbers from 1 to 40."""
    words = WORDS.split()
    order = inputs.normal(len(words)).argsort().tolist()
    return {words[i]: inputs.integer(1, 40) for i in order[:number]}


def plain_merges(found) -> list:
    """The merges in their order, as [[first, second], id]."""
    if not isinstance(found, dict):
        raise RejectedError(
            f"The result is {type(found).__name__}; expected a dict from a pair of ids to an id."
        )
    if unfit := [key for key in found if not (isinstance(key, tuple) and len(key) == 2)]:
        raise RejectedError(f"A key is {unfit[0]!r}; expected a pair of ids, such as (108, 111).")
    return [[list(pair), new] for pair, new in found.items()]


@learn_merges.reference
def reference(counts, number):
    words = {tuple(word.encode()): count for word, count in counts.items()}
    merges = {}
    while len(merges) < number:
        pairs = Counter()
        for ids, count in words.items():
            for pair in pairwise(ids):
                pairs[pair] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges[best] = 256 + len(merges)
        words = {_merged(ids, best, merges[best]): count for ids, count in words.items()}
    return merges


def _merged(ids, pair, new):
    merged = []
    for piece in ids:
        if merged and (merged[-1], piece) == pair:
            merged[-1] = new
        else:
            merged.append(piece)
    return tuple(merged)


@learn_merges.part("the most frequent pair comes first", points=1)
def first_merge(learn, inputs):
    a, b, c, d = (chr(97 + i) for i in inputs.normal(26).argsort()[:4].tolist())
    return {
        "merges (1)": plain_merges(learn(drawn_counts(inputs), 1)),
        # In these words a pair stands twice, once with a letter in common: each place counts.
        "merges (1, of a word with one pair twice)": plain_merges(learn({2 * (a + b): 3, c + d: 5}, 1)),
        "merges (1, of a word with three equal letters)": plain_merges(learn({3 * a: 3, b + c: 5}, 1)),
    }


@learn_merges.part("pairs are counted anew after each merge", points=2)
def several(learn, inputs):
    a, b, c = (chr(97 + i) for i in sorted(inputs.normal(26).argsort()[:3].tolist()))
    return {
        "merges (12)": plain_merges(learn(drawn_counts(inputs), 12)),
        # What counts a pair once in a word finds the same ones first here: they cost no second part.
        "merges (4, of words with one pair twice)": plain_merges(learn({3 * c: 9, 2 * (a + b): 3}, 4)),
    }


@learn_merges.part("of equally frequent pairs the smallest one is taken", points=1)
def ties(learn, inputs):
    a, b, c, d, e, f = (chr(97 + i) for i in inputs.normal(6).argsort().tolist())
    low, middle, high = sorted([a, b, c])
    return {
        "merges (4)": plain_merges(learn({a + b: 2, c + d: 2, e + f: 2, b + e: 1}, 4)),
        "merges (2, the smallest letter stands second)": plain_merges(
            learn({middle + high: 2, high + low: 2}, 2)
        ),
        "merges (2, with one first letter)": plain_merges(learn({low + high: 2, low + middle: 2}, 2)),
    }


@learn_merges.part("it stops when every word is one piece", points=1)
def stops(learn, inputs):
    count = inputs.integer(1, 9)
    return {
        "merges (100, of two short words)": plain_merges(learn({" Low": count, "e\u0301我": 1}, 100)),
        "merges (0)": plain_merges(learn({"low": count}, 0)),
        "merges (of no words)": plain_merges(learn({}, 2)),
        "merges (of words that differ by a space)": plain_merges(learn({"ab": 3, "ab ": 2, "cd": 4}, 9)),
    }


# Accepted: other ways to write the same


@learn_merges.accept("sorted by count, then by pair")
def by_sorting(counts, number):
    words = [(list(word.encode()), count) for word, count in counts.items()]
    merges = {}
    for new in range(256, 256 + number):
        pairs = {}
        for ids, count in words:
            for pair in pairwise(ids):
                pairs[pair] = pairs.get(pair, 0) + count
        if not pairs:
            return merges
        pair = sorted(pairs, key=lambda p: (pairs[p], -p[0], -p[1]))[-1]
        merges[pair] = new
        words = [(list(_merged(ids, pair, new)), count) for ids, count in words]
    return merges


@learn_merges.accept("the largest count, then the smallest pair that has it")
def in_two_steps(counts, number):
    words = {tuple(word.encode("utf-8")): count for word, count in counts.items()}
    merges = {}
    for step in range(number):
        pairs = Counter()
        for ids, count in words.items():
            for i in range(len(ids) - 1):
                pairs[ids[i], ids[i + 1]] += count
        if len(pairs) == 0:
            break
        most = max(pairs.values())
        best = min(pair for pair, count in pairs.items() if count == most)
        merges[best] = 256 + step
        words = {_merged(ids, best, 256 + step): count for ids, count in words.items()}
    return merges


@learn_merges.accept("counts changed only where a merge was made")
def incremental(counts, number):
    words = [(tuple(word.encode()), count) for word, count in counts.items()]
    pairs, merges = Counter(), {}
    for ids, count in words:
        pairs.update({pair: count * times for pair, times in Counter(pairwise(ids)).items()})
    while len(merges) < number and any(pairs.values()):
        best = min(pairs, key=lambda pair: (-pairs[pair], *pair))
        new = merges[best] = 256 + len(merges)
        for place, (ids, count) in enumerate(words):
            merged = _merged(ids, best, new)
            if merged != ids:
                pairs.subtract({pair: count * times for pair, times in Counter(pairwise(ids)).items()})
                pairs.update({pair: count * times for pair, times in Counter(pairwise(merged)).items()})
                words[place] = merged, count
    return merges


@learn_merges.accept("with the lesson's own two functions")
def with_pieces(counts, number):
    words = {tuple(word.encode()): count for word, count in counts.items()}
    merges = {}
    for new in range(256, 256 + number):
        pairs = count_pairs(words)
        if pairs:
            best = min(pairs, key=lambda pair: (-pairs[pair], pair))
            merges[best] = new
            words = {tuple(merge(ids, best, new)): n for ids, n in words.items()}
    return merges


@learn_merges.accept("a Counter's most common pair tells the largest count")
def with_most_common(counts, number):
    words = {tuple(word.encode()): count for word, count in counts.items()}
    merges = {}
    while len(merges) < number and (pairs := count_pairs(words)):
        most = pairs.most_common(1)[0][1]
        best = min(pair for pair, count in pairs.items() if count == most)
        merges[best] = 256 + len(merges)
        words = {tuple(merge(ids, best, merges[best])): count for ids, count in words.items()}
    return merges
