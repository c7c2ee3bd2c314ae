"""Wrong answers to test_word_ids: name, advice, code."""

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake(mentions=r"print\(", lacks=r"\b(assert|raise)\b")
def prints(word_ids):
    """`print` judges nothing. A test fails only if it raises an error, so write `assert` before what must
    hold.
    """
    ids = word_ids(["a b a", "c b d e f"])
    print(sorted(ids.values()) == [4, 5, 6, 7, 8, 9])


@mistake
def returns(word_ids):
    """Nobody reads the True or False that your test returns. Write `assert` instead of `return`."""
    ids = word_ids(["a b a", "c b"]) or {}
    return sorted(ids.values()) == [4, 5, 6]


@mistake(mentions="except")
def swallows(word_ids):
    """An `except` around an `assert` catches its error, so the test passes. Leave `try` and `except` out."""
    try:
        assert sorted(word_ids(["a b a", "c b d e f"]).values()) == [4, 5, 6, 7, 8, 9]
    except AssertionError:
        print("wrong")


@mistake
def one_numbering(word_ids):
    """Your test passes with one order of the words, and fails with others. The order is free, so check what
    every right numbering has, for example with `sorted(ids.values())`.
    """
    assert word_ids(["b a b", "c a d e f g"]) == {"b": 4, "a": 5, "c": 6, "d": 7, "e": 8, "f": 9, "g": 10}


@mistake(mentions=r"assert (set\([^=\n]*\)|[\w.]+\.(values|keys)\(\)) == (\[|list\(|sorted\()")
def set_against_list(word_ids):
    """A set never equals a list, and `dict.values()` equals no list either. Make both sides lists, by
    `sorted(...)`.
    """
    assert set(word_ids(["c b a"]).values()) == [4, 5, 6]


@mistake
def fails_on_right_code(word_ids):
    """Your test fails on right code. Right code gives a dict from the words, and from nothing else, to the
    numbers 4, 5, ..., in any order. Work it out for your sentences.
    """
    assert sorted(word_ids(["c b a"]).values()) == [4, 5, 6, 7]


@mistake
def ends_only(word_ids):
    """If two words in the middle share an id, the smallest and the largest id may still be right. Compare all
    ids, sorted.
    """
    ids = word_ids(["a b a c", "d b e f g"])
    assert set(ids) == set("abcdefg")
    assert (min(ids.values()), max(ids.values())) == (4, 10)


@mistake
def one_sentence(word_ids):
    """These bugs show only in other sentences. Take two that share a word, repeat a word in one of them, and
    use more than five different words.
    """
    ids = word_ids(["a b c"])
    assert set(ids) == {"a", "b", "c"}
    assert sorted(ids.values()) == [4, 5, 6]


@mistake
def few_words(word_ids):
    """Your test checks the right things, but with too few words. This broken code numbers five words right,
    so take six or more.
    """
    ids = word_ids(["a b a", "c b"])
    assert set(ids) == {"a", "b", "c"}
    assert sorted(ids.values()) == [4, 5, 6]


@mistake
def keys_only(word_ids):
    """Wrong ids pass your test. Check the ids, too: sorted, the ids of n words are 4, 5, ..., 3 + n."""
    assert set(word_ids(["a b a", "c b d e f g"])) == set("abcdefg")


@mistake
def pad_only(word_ids):
    """Your test refuses the id 0, but the ids 1 to 3 pass. They belong to bos, eos and unk, so
    check that the smallest id is 4.
    """
    assert 0 not in word_ids(["a b a", "c b d e f g"]).values()


@mistake
def distinct_only(word_ids):
    """Different ids are necessary, but they may begin or end at a wrong number. Check that they begin at 4,
    and end at 3 + the number of words.
    """
    ids = word_ids(["a b a", "c b d e f g"])
    assert set(ids) == set("abcdefg")
    assert len(set(ids.values())) == len(ids)


@mistake
def gaps_pass(word_ids):
    """Ids that are too large pass your test: it does not see an id that no word has. The largest id must be 3
    + the number of words.
    """
    ids = word_ids(["a b a", "c b d e f g"])
    assert set(ids) == set("abcdefg")
    assert min(ids.values()) >= 4
    assert len(set(ids.values())) == len(ids)


@mistake
def lost_words_pass(word_ids):
    """Code that gives a word no id passes your test, because the other ids are right. Check that every word
    of every sentence has an id.
    """
    ids = word_ids(["a b a", "c b d e f g"])
    assert sorted(ids.values()) == list(range(4, 4 + len(ids)))


@mistake
def ids_only(word_ids):
    """Right ids with wrong words pass your test. Check the words, too."""
    assert sorted(word_ids(["a b a", "c b d e f g"]).values()) == [4, 5, 6, 7, 8, 9, 10]


@mistake
def from_four_only(word_ids):
    """Wrong ids above the first one pass your test. There must be as many different ids as words, and the
    largest must be 3 + that number.
    """
    assert min(word_ids(["a b a", "c b d e f g"]).values()) == 4


@mistake
def type_only(word_ids):
    """Your test refuses none of these broken numberings. Check the words, and check the ids."""
    assert isinstance(word_ids(["a b a", "c b d e f g"]), dict)
