"""Lesson 11's merges, encoding and decoding equal those of Hugging Face's package `tokenizers`."""

import json
from collections import Counter
from itertools import islice

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from course_lib.corpus import draw_pairs
from course_lib.exercises.subwords.count_pairs import reference as count_pairs
from course_lib.exercises.subwords.decode import reference as decode
from course_lib.exercises.subwords.encode import reference as encode
from course_lib.exercises.subwords.learn_merges import reference as learn_merges
from course_lib.exercises.subwords.merge import reference as merge

tokenizers = pytest.importorskip("tokenizers")

PLAIN = [*range(33, 127), *range(161, 173), *range(174, 256)]  # bytes that GPT-2 writes as themselves
OTHERS = [byte for byte in range(256) if byte not in PLAIN]
LETTERS = {byte: chr(byte) for byte in PLAIN} | {byte: chr(256 + i) for i, byte in enumerate(OTHERS)}
BYTES = {letter: byte for byte, letter in LETTERS.items()}
MERGES = 300

words = st.text("ab 我你学é🙂👩🏽", max_size=12) | st.text(max_size=8)
counted = st.dictionaries(st.text("ab 我你学é🙂👩🏽", min_size=1, max_size=12), st.integers(1, 9), max_size=8)
ascii_counted = st.dictionaries(st.text("abcd", min_size=1, max_size=9), st.integers(1, 9), max_size=8)


def corpus(side):
    """How often each word occurs in the course's sentences; a sentence in Chinese is one word."""
    texts = [getattr(pair, side) for pair in islice(draw_pairs(), 1500)]
    if side == "target":
        return Counter("".join(text) for text in texts)
    return Counter(" " + word for text in texts for word in text)


def their_tokenizer(merges=None):
    """Theirs, with our ids; None where two merges make the same piece, to which they can give one id only."""
    pieces, pairs = [LETTERS[byte] for byte in range(256)], []
    for first, second in merges or {}:
        pairs.append((pieces[first], pieces[second]))
        pieces.append(pieces[first] + pieces[second])
    if len({*pieces}) < len(pieces):
        return None
    vocab = {piece: i for i, piece in enumerate(pieces)}
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocab, merges=pairs))
    # Without a pattern of words: each text is one word.
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    theirs.decoder = tokenizers.decoders.ByteLevel()
    return theirs


def their_merges(counts, number):
    """The pairs of pieces that their trainer joins, in its order; a piece is written in GPT-2's letters."""
    theirs = their_tokenizer()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    assert {*alphabet} == {*BYTES}
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=256 + number, min_frequency=0, initial_alphabet=alphabet, show_progress=False
    )
    theirs.train_from_iterator((word for word, count in counts.items() for _ in range(count)), trainer)
    return [tuple(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]


def our_merges(counts, number):
    pieces = [LETTERS[byte] for byte in range(256)]
    for first, second in (merges := learn_merges(counts, number)):
        pieces.append(pieces[first] + pieces[second])
    return [(pieces[first], pieces[second]) for first, second in merges]


def follow(counts, pairs):
    """Assert that each of these pairs is, when its turn comes, a most frequent one; returns the ties."""
    ids, ties = dict(BYTES), 0
    found = Counter(tuple(word.encode()) for word in counts.elements())
    for first, second in pairs:
        pair, frequent = (ids[first], ids[second]), count_pairs(found)
        assert frequent[pair] == max(frequent.values()), f"{first} + {second} is not the most frequent pair"
        ties += [*frequent.values()].count(frequent[pair]) > 1
        new = ids.setdefault(first + second, len(ids))
        found = Counter({tuple(merge(word, pair, new)): count for word, count in found.items()})
    return ties


@pytest.mark.parametrize("side", ["source", "target"])
def test_on_the_corpus_both_join_a_most_frequent_pair_each_time(side):
    """Of equally frequent pairs they take the smallest by GPT-2's letters, and we by bytes."""
    counts = corpus(side)
    theirs, ours = their_merges(counts, MERGES), our_merges(counts, MERGES)
    assert len(theirs) == len(ours) == MERGES
    assert follow(counts, theirs) > 0 < follow(counts, ours)


def test_on_letters_that_both_order_alike_the_merges_are_equal_with_their_ties():
    counts = Counter()
    for word, count in corpus("source").items():
        counts[word.replace(" ", "_")] += count
    theirs = their_merges(counts, MERGES)
    assert theirs == our_merges(counts, MERGES) and follow(counts, theirs) > 0


@settings(deadline=None)
@given(ascii_counted, st.integers(0, 30))
def test_merges_of_any_letters_are_equal(counts, number):
    assert their_merges(counts, number) == our_merges(counts, number)


@pytest.mark.parametrize("side", ["source", "target"])
def test_the_corpus_is_encoded_alike(side):
    counts = corpus(side)
    theirs = their_tokenizer(merges := learn_merges(counts, MERGES))
    other = corpus("target" if side == "source" else "source")
    for word in [*counts, *other, "replaying", "naïve 🙂", "x = [1]\n"]:
        assert encode(word, merges) == theirs.encode(word).ids
        assert decode(encode(word, merges), merges) == theirs.decode(theirs.encode(word).ids) == word


@settings(deadline=None)
@given(counted, st.integers(0, 30), st.lists(words, max_size=4), st.lists(st.integers(0, 285), max_size=20))
def test_any_text_is_encoded_and_any_ids_are_decoded_alike(counts, number, texts, ids):
    merges = learn_merges(counts, number)
    theirs = their_tokenizer(merges)
    assume(theirs is not None)
    for text in [*counts, *texts, "".join(texts)]:
        assert encode(text, merges) == theirs.encode(text).ids
    known = [i for i in ids if i < 256 + len(merges)]
    assert decode(known, merges) == theirs.decode(known, skip_special_tokens=False)
