"""encode: the merges of the training text, on a new text, in the order in which they were learned."""

from itertools import pairwise

from course_lib.checks.exercise import Exercise
from course_lib.checks.results import RejectedError
from course_lib.exercises.subwords.learn_merges import drawn_counts
from course_lib.exercises.subwords.learn_merges import reference as learned
from course_lib.exercises.subwords.merge import as_list, merge
from course_lib.exercises.subwords.merge import reference as merged

encode = Exercise(
    "encode",
    points=6,
    returns=("ids",),
    uses=(merge,),
    hints=[
        "Which of the pairs in this word was learned first? A merge can make a new pair, so look again after "
        "each one. When are you done?",
        "Begin with `ids = list(word.encode())`. The merges are in the order in which they were learned, "
        "and a dict keeps its order: you may go over all of them once.",
        "`for pair, new in merges.items(): ids = merge(ids, pair, new)`. This is right because a merge can "
        "only make pairs that were learned later.",
    ],
    examples=[
        "encode('a', {})",
        "encode('ab', {})",
        "encode('ab', {(97, 98): 256})",
        "encode('ab', {(97, 98): 300})",
        "encode(' a', {})",
        "encode('abc', {(97, 98): 256, (256, 99): 257})",
        "encode('abc', {(98, 99): 256, (97, 98): 257})",
        "encode('abc', {(98, 99): 256, (97, 98): 257, (257, 99): 258})",
        "encode('abab', {(97, 98): 256})",
        "encode('aaa', {(97, 97): 256})",
        "encode('', {(97, 98): 256})",
        "encode('é', {})",
        "encode('ababab', {(97, 98): 256, (256, 256): 257})",
        "encode('cab', {(97, 98): 256, (99, 256): 257})",
        "encode('我', {(230, 136): 256})",
        "encode('abc', {(98, 99): 256, (97, 98): 257, (97, 256): 258})",
        "[encode('ab', merges) and list(merges) for merges in [{(97, 98): 256}]]",
    ],
)

NEW_WORDS = "lowly widely newlywed rereading plays slow 我们的 学 bold"


def learned_merges(inputs, number=14):
    return learned(drawn_counts(inputs), number)


@encode.reference
def reference(word, merges):
    ids = list(word.encode())
    while pairs := [pair for pair in pairwise(ids) if pair in merges]:
        best = min(pairs, key=merges.__getitem__)
        ids = merged(ids, best, merges[best])
    return ids


def plain_ids(ids) -> list:
    found = as_list(ids)
    if unfit := [one for one in found if isinstance(one, bool) or not isinstance(one, int)]:
        raise RejectedError(f"An id is {unfit[0]!r}; expected a whole number.")
    return found


@encode.part("without merges, a word is its bytes", points=1)
def only_bytes(encode, inputs):
    words = ["low", " Low ", "naïve", "nai\u0308ve", "我们", "🙂", "", "\n"]  # ï as one character and as two
    return {f"ids ({word!r})": plain_ids(encode(word, {})) for word in words}


@encode.part("words of the training text", points=1)
def known_words(encode, inputs):
    counts = drawn_counts(inputs)
    merges = learned(counts, 14)
    return {f"ids ({word})": plain_ids(encode(word, merges)) for word in counts}


@encode.part("new words", points=1)
def new_words(encode, inputs):
    merges = learned_merges(inputs)
    return {f"ids ({word})": plain_ids(encode(word, merges)) for word in NEW_WORDS.split()}


@encode.part("of two pairs that overlap, the one that was learned first is merged", points=1)
def order(encode, inputs):
    a, b, c, d = (97 + inputs.normal(4).argsort()).tolist()
    word = bytes([a, b, c, d]).decode()
    return {
        "ids (a piece that grows to the left)": plain_ids(
            encode(word, {(c, d): 256, (b, c): 257, (b, 256): 258})
        ),
        "ids (a pair whose right neighbor is merged twice)": plain_ids(
            encode(word, {(c, d): 256, (b, 256): 257, (a, b): 258})
        ),
        "ids (the right pair first)": plain_ids(encode(word, {(b, c): 256, (a, b): 257, (c, d): 258})),
        "ids (the longer piece last)": plain_ids(
            encode(word, {(c, d): 256, (a, b): 257, (b, c): 258, (257, c): 259})
        ),
        "ids (a a a)": plain_ids(encode(3 * word[0], {(a, a): 256})),
        "ids (a pair that occurs twice)": plain_ids(encode(word[:3] + word[1:3], {(b, c): 256, (a, b): 257})),
    }


@encode.part("merges of merges", points=1)
def merged_again(encode, inputs):
    a, b, c = (97 + inputs.normal(3).argsort()).tolist()
    merges = {(a, b): 256, (256, 256): 257, (257, c): 258}
    word = bytes([a, b, a, b, c, a, b]).decode()
    gaps = {(a, b): 300, (300, 300): 400, (400, c): 401}
    return {
        "ids": plain_ids(encode(word, merges)),
        "ids (new ids with gaps between them)": plain_ids(encode(word, gaps)),
    }


# Accepted: other ways to write the same


@encode.accept("all merges in their order, once")
def in_order(word, merges):
    ids = list(word.encode("utf-8"))
    for pair, new in merges.items():
        ids = merge(ids, pair, new)
    return ids


@encode.accept("one pair at a time, the lowest rank first")
def lowest_rank(word, merges):
    ids = list(word.encode())
    while len(ids) > 1:
        ranks = [merges.get((ids[i], ids[i + 1]), float("inf")) for i in range(len(ids) - 1)]
        best = min(ranks)
        if best == float("inf"):
            break
        i = ranks.index(best)
        ids[i : i + 2] = [best]
    return ids


@encode.accept("recursion")
def recursion(word, merges):
    def go(ids):
        known = [merges[pair] for pair in pairwise(ids) if pair in merges]
        if not known:
            return ids
        pair = next(pair for pair, new in merges.items() if new == min(known))
        return go(merge(ids, pair, min(known)))

    return go([*word.encode()])


@encode.accept("sorted by their ids")
def sorted_merges(word, merges):
    ids = list(bytes(word, "utf8"))
    for (first, second), new in sorted(merges.items(), key=lambda item: item[1]):
        out = []
        for one in ids:
            if out and out[-1] == first and one == second:
                out[-1] = new
            else:
                out.append(one)
        ids = out
    return ids
