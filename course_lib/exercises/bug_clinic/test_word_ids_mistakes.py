"""Wrong answers to test_word_ids: name, advice, code."""

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake(mentions=r"print\(", lacks=r"\b(assert|raise)\b")
def prints(word_ids):
    """`print` judges nothing: whoever runs a test looks whether it raises. Write `assert` before what must
    hold.
    """
    ids = word_ids(["a b a", "c b d e f"])
    print(sorted(ids.values()) == [4, 5, 6, 7, 8, 9])


@mistake
def returns(word_ids):
    """True and False come back to nobody: put `assert` where you have `return`."""
    ids = word_ids(["a b a", "c b"]) or {}
    return sorted(ids.values()) == [4, 5, 6]


@mistake(mentions="except")
def swallows(word_ids):
    """An `except` around an `assert` swallows what it raises, and nothing is left of the complaint. Leave
    `try` and `except` out.
    """
    try:
        assert sorted(word_ids(["a b a", "c b d e f"]).values()) == [4, 5, 6, 7, 8, 9]
    except AssertionError:
        print("wrong")


@mistake
def one_numbering(word_ids):
    """It passes with one order of the words, and fails with others. The order is free: ask for what every
    right numbering has, as with `sorted(ids.values())`.
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
    """What does right code give for your sentences? A dict from words to numbers 4, 5, ..., in any order,
    for words only.
    """
    assert sorted(word_ids(["c b a"]).values()) == [4, 5, 6, 7]


@mistake
def ends_only(word_ids):
    """Where two words share an id in the middle, smallest and largest id may still be right. Compare all
    ids, sorted.
    """
    ids = word_ids(["a b a c", "d b e f g"])
    assert set(ids) == set("abcdefg")
    assert (min(ids.values()), max(ids.values())) == (4, 10)


@mistake
def one_sentence(word_ids):
    """These bugs show in other sentences only: take two that share a word, in one of which a word comes
    twice, with more than five different words together.
    """
    ids = word_ids(["a b c"])
    assert set(ids) == {"a", "b", "c"}
    assert sorted(ids.values()) == [4, 5, 6]


@mistake
def few_words(word_ids):
    """What is asked is right, and there are too few words: the toy numbers five words rightly. Take six or
    more.
    """
    ids = word_ids(["a b a", "c b"])
    assert set(ids) == {"a", "b", "c"}
    assert sorted(ids.values()) == [4, 5, 6]


@mistake
def keys_only(word_ids):
    """Wrong ids pass. Ask for the ids, too: sorted, those of n words are 4, 5, ..., 3 + n."""
    assert set(word_ids(["a b a", "c b d e f g"])) == set("abcdefg")


@mistake
def pad_only(word_ids):
    """An id of 0 is refused, and ids of 1 to 3 pass: bos, eos and unk have them."""
    assert 0 not in word_ids(["a b a", "c b d e f g"]).values()


@mistake
def distinct_only(word_ids):
    """That ids differ is necessary. Ask where they begin and end as well: at 4, and at 3 + the number of
    words.
    """
    ids = word_ids(["a b a", "c b d e f g"])
    assert set(ids) == set("abcdefg")
    assert len(set(ids.values())) == len(ids)


@mistake
def gaps_pass(word_ids):
    """Ids may be too large: one that no word has goes unseen. The largest id must be 3 + the number of
    words.
    """
    ids = word_ids(["a b a", "c b d e f g"])
    assert set(ids) == set("abcdefg")
    assert min(ids.values()) >= 4
    assert len(set(ids.values())) == len(ids)


@mistake
def lost_words_pass(word_ids):
    """A word may have no id: the ids that are there are right. Ask that every word of every sentence has
    one.
    """
    ids = word_ids(["a b a", "c b d e f g"])
    assert sorted(ids.values()) == list(range(4, 4 + len(ids)))


@mistake
def ids_only(word_ids):
    """The ids are asked for, and not the words that they belong to: ask for both."""
    assert sorted(word_ids(["a b a", "c b d e f g"]).values()) == [4, 5, 6, 7, 8, 9, 10]


@mistake
def from_four_only(word_ids):
    """Where the ids begin is asked, and no more. There must be as many different ids as words, and the
    largest is 3 + that number.
    """
    assert min(word_ids(["a b a", "c b d e f g"]).values()) == 4


@mistake
def type_only(word_ids):
    """None of these broken numberings is refused. Ask for the words, and for the ids."""
    assert isinstance(word_ids(["a b a", "c b d e f g"]), dict)
