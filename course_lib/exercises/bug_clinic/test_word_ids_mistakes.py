"""Wrong answers to test_word_ids: name, advice, code."""

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake
def prints(word_ids):
    """A test must call its argument and raise on broken code. `print` judges nothing, `assert (a, b)` holds
    for any two values, and `except` around an `assert` swallows it.
    """
    ids = word_ids(["a b a", "c b"])
    print(sorted(ids.values()) == [4, 5, 6])


@mistake
def returns(word_ids):
    """True and False come back to nobody: put `assert` where you have `return`."""
    ids = word_ids(["a b a", "c b"]) or {}
    return sorted(ids.values()) == [4, 5, 6]


@mistake
def one_numbering(word_ids):
    """You ask for the numbers that one way of numbering gives. The order of the words is free: ask for what
    every right numbering has, as with `sorted(ids.values())`.
    """
    assert word_ids(["b a b", "c a d e f g"]) == {"b": 4, "a": 5, "c": 6, "d": 7, "e": 8, "f": 9, "g": 10}


@mistake
def fails_on_right_code(word_ids):
    """Your `assert` fails on right code. What does that give for your sentences? A dict from words to numbers
    4, 5, ..., in any order, for words only. (A set never equals a list.)
    """
    assert word_ids(["c b a"]) == {"a": 4, "b": 5, "c": 6}


@mistake
def ends_only(word_ids):
    """Smallest and largest id are right even if two words between share one. Compare all ids."""
    ids = word_ids(["a b a c", "d b e f g"])
    assert set(ids) == set("abcdefg")
    assert (min(ids.values()), max(ids.values())) == (4, 10)


@mistake
def one_sentence(word_ids):
    """One sentence without repetition cannot show all: use two that share words."""
    ids = word_ids(["a b c"])
    assert set(ids) == {"a", "b", "c"}
    assert sorted(ids.values()) == [4, 5, 6]


@mistake
def keys_only(word_ids):
    """You look at the words only. Look at their ids too."""
    assert set(word_ids(["a b a", "c b d e f g"])) == set("abcdefg")


@mistake
def pad_only(word_ids):
    """You only ask that padding keeps its id. Three more special symbols have theirs."""
    assert 0 not in word_ids(["a b a", "c b d e f g"]).values()


@mistake
def distinct_only(word_ids):
    """You only ask that ids differ. Ask where they begin and end as well."""
    ids = word_ids(["a b a", "c b d e f g"])
    assert set(ids) == set("abcdefg")
    assert len(set(ids.values())) == len(ids)


@mistake
def from_four_only(word_ids):
    """Count the words: there must be as many ids as words, and the largest is 3 + that number."""
    assert min(word_ids(["a b a", "c b d e f g"]).values()) == 4


@mistake
def type_only(word_ids):
    """You look at the type only. Look at the words and at their ids."""
    assert isinstance(word_ids(["a b a", "c b"]), dict)
