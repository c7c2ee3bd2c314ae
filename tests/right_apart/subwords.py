"""Of lesson 11."""

from itertools import pairwise

from course_lib.exercises.subwords.merge import merge


def count_pairs__overlap_of_merged(words):
    counts = {}
    for ids, count in words.items():
        before = None
        for pair in pairwise(ids):
            if pair == before and pair[0] > 255:
                before = None
                continue
            before = pair if pair[0] == pair[1] else None
            counts[pair] = counts.get(pair, 0) + count
    return counts


def merge__right_one_wins_if_merged(ids, pair, new):
    turned = pair[0] == pair[1] > 255
    merged = []
    for piece in reversed(ids) if turned else ids:
        if merged and (merged[-1], piece) == tuple(pair):
            merged[-1] = new
        else:
            merged.append(piece)
    return merged[::-1] if turned else merged


def learn_merges__overlap_of_merged(counts, number):
    words, merges = {tuple(word.encode()): count for word, count in counts.items()}, {}
    while len(merges) < number:
        pairs = {}
        for ids, count in words.items():
            before = None
            for pair in pairwise(ids):
                if pair == before and pair[0] > 255:
                    before = None
                    continue
                before = pair if pair[0] == pair[1] else None
                pairs[pair] = pairs.get(pair, 0) + count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges[best] = 256 + len(merges)
        words = {tuple(merge(ids, best, merges[best])): count for ids, count in words.items()}
    return merges


def encode__most_frequent_pair_first(word, merges):
    ids = list(word.encode())
    while pairs := [pair for pair in pairwise(ids) if pair in merges]:
        best = max(pairs, key=lambda pair: (pairs.count(pair), -merges[pair]))
        ids = merge(ids, best, merges[best])
    return ids


def decode__one_sign_at_the_end(ids, merges):
    pieces = {i: bytes([i]) for i in range(256)}
    for (first, second), new in merges.items():
        pieces[new] = pieces[first] + pieces[second]
    text = b"".join(pieces[i] for i in ids).decode("utf-8", errors="replace")
    return text.rstrip("\ufffd") + "\ufffd" if text.endswith("\ufffd") else text


def merge__gives_a_tuple(ids, pair, new):
    merged = []
    for piece in ids:
        if merged and (merged[-1], piece) == tuple(pair):
            merged[-1] = new
        else:
            merged.append(piece)
    return tuple(merged)


def encode__gives_a_tuple(word, merges):
    ids = [*word.encode()]
    for pair, new in merges.items():
        ids = merge(ids, pair, new)
    return tuple(ids)


def merge__short_words_as_they_are(ids, pair, new):
    return ids if len(ids) < 2 else [*merge__gives_a_tuple(ids, pair, new)]


def count_pairs__words_of_one_piece_raise(words):
    found = [(pair, count) for ids, count in words.items() for pair in pairwise(ids)]
    (pairs, numbers), counts = zip(*found, strict=True), {}
    for pair, count in zip(pairs, numbers, strict=True):
        counts[pair] = counts.get(pair, 0) + count
    return counts


def merge__byte_0_behind_the_end(ids, pair, new):
    merged, taken = [], False
    for both in pairwise([*ids, 0]):
        if not taken:
            merged.append(new if both == pair else both[0])
        taken = not taken and both == pair
    return merged
