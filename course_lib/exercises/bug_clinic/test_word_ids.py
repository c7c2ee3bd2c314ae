"""test_word_ids: a test that tells right numberings of words from broken ones."""

from collections.abc import Sequence

from course_lib.checks.exercise import Exercise
from course_lib.exercises.bug_clinic import word_ids_mistakes as wrong
from course_lib.exercises.bug_clinic.code_under_test import accepts, catches
from course_lib.exercises.bug_clinic.pieces import Broken, Piece
from course_lib.exercises.bug_clinic.word_ids import in_sorted_order, word_ids

test_word_ids = Exercise(
    "test_word_ids",
    points=6,
    returns=(),
    repeatable=False,
    is_test=True,
    hints=[
        "Give it two sentences that share a word. Which words must have an id? Which ids must no word have? "
        "And how many different words do you need before the toy's numbering goes wrong?",
        "Do not ask for the id of one word, because the order is free. What is true of every right "
        "numbering?",
        "Sorted, the ids of n words must be 4, 5, ..., 3 + n. This excludes ids below 4, shared ids and "
        "gaps at once. In the toy, all words from the fifth on share an id, so take six words or more.",
        "`ids = word_ids(['a b a', 'c d e f'])`, then `assert set(ids) == set('abcdef')` and `assert "
        "sorted(ids.values()) == [4, 5, 6, 7, 8, 9]`.",
    ],
    examples=[
        "test_word_ids(in_sorted_order)",
        "test_word_ids(from_zero)",
        "test_word_ids(from_one)",
        "test_word_ids(all_at_four)",
        "test_word_ids(by_token)",
        "test_word_ids(by_sentence)",
        "test_word_ids(first_sentence)",
        "test_word_ids(second_like_first)",
        "test_word_ids(with_blanks)",
        "test_word_ids(the_rest_shares)",
    ],
)


def from_two(sentences: Sequence[str]) -> dict[str, int]:
    """The first id is 2."""
    return {word: number - 2 for word, number in wrong.in_order(sentences).items()}


def second_like_first(sentences: Sequence[str]) -> dict[str, int]:
    """Two words share the first id, all other ids are as they should be."""
    ids = wrong.in_order(sentences)
    return ids | dict.fromkeys(list(ids)[1:2], 4)


def three_like_second(sentences: Sequence[str]) -> dict[str, int]:
    """The first and the third word get the id of the second, so the sum of all ids stays the same."""
    ids = wrong.in_order(sentences)
    return ids | dict.fromkeys(list(ids)[:3:2], 5)


def with_blanks(sentences: Sequence[str]) -> dict[str, int]:
    """Each word keeps the blank behind it."""
    return {f"{word} ": number for word, number in wrong.in_order(sentences).items()}


def one_with_a_blank(sentences: Sequence[str]) -> dict[str, int]:
    """A word in the middle keeps the blank behind it."""
    words = list(ids := wrong.in_order(sentences))
    return {word + " " * (word == words[len(words) // 2]): number for word, number in ids.items()}


def all_at_four(sentences: Sequence[str]) -> dict[str, int]:
    """Every word has the id 4."""
    return dict.fromkeys(wrong.in_order(sentences), 4)


test_word_ids.names = {
    code.__name__: code
    for code in (
        in_sorted_order,
        wrong.from_zero,
        wrong.from_one,
        all_at_four,
        wrong.by_token,
        wrong.by_sentence,
        wrong.first_sentence,
        second_like_first,
        with_blanks,
        wrong.the_rest_shares,
    )
}
OTHERS = from_two, all_at_four, second_like_first, three_like_second, with_blanks, one_with_a_blank
PIECE = Piece.of(word_ids, *OTHERS, *(mistake.implementation for mistake in wrong.mistake))


FROM_ZERO = Broken(
    "numbers the words from 0, so one of them has the id of padding",
    "Shown by: a check that no word has the id 0.",
    wrong.from_zero,
)


FROM_ONE = Broken(
    "numbers the words from 1, so three of them have the ids of bos, eos and unk",
    "Shown by: a check that no id is below 4.",
    wrong.from_one,
)


FROM_TWO = Broken(
    "numbers the words from 2, so two of them have the ids of eos and unk",
    "Shown by: a check that no id is below 4.",
    from_two,
)


FROM_THREE = Broken(
    "numbers the words from 3, so one of them has the id of unk",
    "Shown by: a check that no id is below 4.",
    wrong.from_three,
)


BY_SENTENCE = Broken(
    "numbers each sentence on its own, so words of different sentences share an id",
    "Shown by: two sentences with different words, and as many different ids as words.",
    wrong.by_sentence,
)


SHARED = Broken(
    "gives the same id to all words from the fifth on, as the toy does",
    "Shown by: more than five words, and as many different ids as words.",
    wrong.the_rest_shares,
)


BY_TOKEN = Broken(
    "numbers tokens, so a repeated word leaves an id unused",
    "Shown by: a sentence that repeats a word, and the largest id, which must be 3 + the number of words.",
    wrong.by_token,
)


TWICE = Broken(
    "gives its second word the id of the first, but the smallest and the largest id are right",
    "Shown by: as many different ids as words, or the sorted list of all ids.",
    second_like_first,
)


THREE = Broken(
    "gives its first and its third word the id of the second, so the sum of all ids is right",
    "Shown by: as many different ids as words, or the sorted list of all ids.",
    three_like_second,
)


FIRST = Broken(
    "reads the first sentence only",
    "Shown by: a second sentence with a new word, which must have an id.",
    wrong.first_sentence,
)


BLANKS = Broken(
    "adds a space to each word, so the words themselves have no ids",
    "Shown by: every word looked up in the dict.",
    with_blanks,
)


BLANK = Broken(
    "adds a space to one word, and all ids are right",
    "Shown by: every word looked up in the dict, not only some of them.",
    one_with_a_blank,
)


SPECIAL = Broken(
    "has the special symbols in its dict, too, which are no words of the sentences",
    "Shown by: all keys of the dict, which must be the words and nothing else.",
    wrong.with_special_words,
)


part = test_word_ids.part


part("right code passes, however it is written", points=1)(accepts(PIECE))


part("catches a word with the id of padding", points=1)(catches(PIECE, FROM_ZERO))


part("catches words with the ids of bos, eos and unk", points=1)(
    catches(PIECE, FROM_ONE, FROM_TWO, FROM_THREE)
)


part("catches words that share an id", points=1)(catches(PIECE, BY_SENTENCE, SHARED, TWICE, THREE))


part("catches words without an id and ids without a word", points=1)(
    catches(PIECE, FIRST, BY_TOKEN, BLANKS, BLANK, SPECIAL)
)


@test_word_ids.reference
def sorted_ids(word_ids):
    ids = word_ids(["a b a c", "d b e f g"])
    assert set(ids) == set("abcdefg")
    assert sorted(ids.values()) == [4, 5, 6, 7, 8, 9, 10]


@test_word_ids.accept("the last hint, as it stands")
def last_hint(word_ids):
    ids = word_ids(["a b a", "c d e f"])
    assert set(ids) == set("abcdef")
    assert sorted(ids.values()) == [4, 5, 6, 7, 8, 9]


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


@test_word_ids.accept("if and raise instead of assert")
def raising(word_ids):
    ids = word_ids(["a b a", "c d e f"])
    if sorted(ids) != list("abcdef"):
        raise ValueError("words are missing")
    if sorted(ids.values()) != list(range(4, 10)):
        raise ValueError(f"wrong ids: {ids}")
