"""test_word_ids: a test that tells right numberings of words from broken ones."""

from course_lib.checks.exercise import Exercise
from course_lib.exercises.bug_clinic import word_ids_mistakes as wrong
from course_lib.exercises.bug_clinic.code_under_test import Broken, accepts, catches
from course_lib.exercises.bug_clinic.word_ids import in_order, word_ids

test_word_ids = Exercise(
    "test_word_ids",
    points=6,
    returns=(),
    hints=[
        "Give it two sentences that share a word. Which words must have an id? Which ids must nobody have?",
        "Do not ask for one certain number of a word: the order is free. Ask what holds for every right "
        "numbering.",
        "Sorted, the ids of n words must be 4, 5, ..., 3 + n: this excludes ids below 4, shared ids and gaps "
        "at once.",
        "`ids = word_ids(['a b a', 'c b'])`, then `assert set(ids) == {'a', 'b', 'c'}` and "
        "`assert sorted(ids.values()) == [4, 5, 6]`.",
    ],
    examples=[
        "test_word_ids(lambda sentences: {word: i for i, word in enumerate(sorted(set(' '.join(sentences)"
        ".split())), start=4)})",
        "test_word_ids(lambda sentences: {word: i for i, word in enumerate(dict.fromkeys(' '.join(sentences)"
        ".split()), start=4)})",
        "test_word_ids(lambda sentences: {word: 0 for s in sentences for word in s.split()})",
        "test_word_ids(lambda sentences: {word: i for i, word in enumerate(dict.fromkeys(' '.join(sentences)"
        ".split()), start=1)})",
        "test_word_ids(lambda sentences: {word: 4 for s in sentences for word in s.split()})",
        "test_word_ids(lambda sentences: {word: i for i, word in enumerate(' '.join(sentences).split(), "
        "start=4)})",
        "test_word_ids(lambda sentences: {word: i for s in sentences for i, word in enumerate(dict.fromkeys("
        "s.split()), start=4)})",
        "test_word_ids(lambda sentences: {word: i for i, word in enumerate(sentences[0].split(), start=4)})",
        "test_word_ids(lambda sentences: {word: i + 4 * (i != 1) + 3 * (i == 1) for i, word in "
        "enumerate(dict.fromkeys(' '.join(sentences).split()))})",
    ],
)


def second_like_first(sentences):
    """Two words share the first id, all other ids are as they should be."""
    ids = in_order(sentences)
    return ids | dict.fromkeys(list(ids)[1:2], 4)


FROM_ZERO = Broken(
    "numbers the words from 0, so that one of them has the id of padding",
    "Shown by: no word's id is 0.",
    wrong.from_zero,
)


FROM_ONE = Broken(
    "numbers the words from 1, so that three of them have the ids of bos, eos and unk",
    "Shown by: no word's id is below 4.",
    wrong.from_one,
)


BY_SENTENCE = Broken(
    "numbers each sentence on its own, so that words of different sentences share an id",
    "Shown by: two sentences with different words, and as many different ids as words.",
    wrong.by_sentence,
)


SHARED = Broken(
    "gives the same id to all words from the fifth on, as the toy does",
    "Shown by: more than five words, and as many different ids as words.",
    wrong.the_rest_shares,
)


BY_TOKEN = Broken(
    "numbers tokens, so that a repeated word leaves an id unused",
    "Shown by: a sentence in which a word comes twice, and the largest id, which is 3 + the number of words.",
    wrong.by_token,
)


TWICE = Broken(
    "gives its second word the id of the first, while smallest and largest id are right",
    "Shown by: as many different ids as words, or the sorted list of all ids.",
    second_like_first,
)


FIRST = Broken(
    "reads the first sentence only",
    "Shown by: a second sentence with a new word, which must have an id.",
    wrong.first_sentence,
)


part = test_word_ids.part


part("right code passes, however it is written", points=1)(accepts(word_ids))


part("catches a word with the id of padding", points=1)(catches(word_ids, FROM_ZERO))


part("catches words with the ids of bos, eos and unk", points=1)(catches(word_ids, FROM_ONE))


part("catches words that share an id", points=1)(catches(word_ids, BY_SENTENCE, SHARED, TWICE))


part("catches words without an id and ids without a word", points=1)(catches(word_ids, FIRST, BY_TOKEN))


@test_word_ids.reference
def sorted_ids(word_ids):
    ids = word_ids(["a b a c", "d b e f g"])
    assert set(ids) == set("abcdefg")
    assert sorted(ids.values()) == [4, 5, 6, 7, 8, 9, 10]


@test_word_ids.accept("one assertion for each property")
def properties(word_ids):
    sentences = ["i like the games", "we like the winter games the most"]
    ids = word_ids(sentences)
    for sentence in sentences:
        for word in sentence.split():
            assert word in ids, f"{word} has no id"
    assert min(ids.values()) >= 4
    assert len(set(ids.values())) == len(ids)
    assert max(ids.values()) == 3 + len(ids)


@test_word_ids.accept("as a set of ids")
def as_sets(word_ids):
    words = [chr(ord("a") + n) for n in range(20)]
    ids = word_ids([" ".join(words[:9] + words[:3]), " ".join(words[5:])])
    assert set(ids.values()) == set(range(4, 24)), "the ids are not 4 to 23"
    assert ids.keys() == set(words)


@test_word_ids.accept("decoding what was encoded")
def round_trip(word_ids):
    sentences = ["one two three two", "four five one six"]
    ids = word_ids(sentences)
    table = [None] * (4 + 6)
    for word, number in ids.items():
        assert number > 3
        table[number] = word
    for sentence in sentences:
        assert [table[ids[word]] for word in sentence.split()] == sentence.split()


@test_word_ids.accept("if and raise in place of assert")
def raising(word_ids):
    ids = word_ids(["a b a", "c d e f"])
    if sorted(ids) != list("abcdef"):
        raise ValueError("words are missing")
    if sorted(ids.values()) != list(range(4, 10)):
        raise ValueError(f"wrong ids: {ids}")
