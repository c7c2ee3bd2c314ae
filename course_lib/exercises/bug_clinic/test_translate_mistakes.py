"""Wrong answers to test_translate: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.test_translate import sum_model

mistake = Mistakes()
SOURCE, TARGET = torch.tensor([[4, 5], [5, 5]]), torch.tensor([[1, 9, 9, 9, 9], [2, 9, 9, 9, 9]])
WORDS = [[6, 3, 7, 5], [8, 7, 5, 1]]


@mistake(mentions=r"print\(", lacks=r"\b(assert|raise)\b")
def prints(translate):
    """`print` judges nothing. A test fails only if it raises an error, so write `assert` before what must
    hold.
    """
    print(translate(sum_model, SOURCE, TARGET).tolist() == WORDS)


@mistake(mentions="except")
def swallows(translate):
    """An `except` around an `assert` catches its error, so the test passes. Leave `try` and `except` out."""
    try:
        assert translate(sum_model, SOURCE, TARGET).tolist() == WORDS
    except Exception as error:
        print(error)


@mistake
def returns(translate):
    """Nobody reads the True or False that your test returns. Write `assert` instead of `return`."""
    return translate(sum_model, SOURCE, TARGET).tolist() == WORDS


@mistake(mentions=r"== \[", lacks=r"tolist|equal\(|allclose")
def tensor_against_list(translate):
    """A tensor never equals a list, so compare `.tolist()`. (And the words are those after
    the start symbol.)
    """
    assert translate(sum_model, torch.tensor([[4, 5]]), torch.tensor([[1, 9, 9]])) == [[6, 3]]


@mistake
def fails_on_right_code(translate):
    """Your test fails on right code. Work out again which words must come on your inputs: those that the
    model chooses, one after another, without the start symbol. (A tensor never equals a list: compare
    `.tolist()`.)
    """
    assert translate(sum_model, torch.tensor([[4, 5]]), torch.tensor([[1, 9, 9]])).tolist() == [[1, 6, 3]]


@mistake
def shape_only(translate):
    """All wrong words that were tried pass your test. Work out which words must come, and
    compare with them.
    """
    words = translate(sum_model, SOURCE, TARGET)
    assert words.shape == (2, 4)


@mistake
def right_target(translate):
    """Code that reads the words of the target passes your test, because on your inputs these are the words
    that the model chooses. Put other words into the target.
    """
    target = torch.cat([TARGET[:, :1], torch.tensor(WORDS)], dim=1)
    assert translate(sum_model, SOURCE, target).tolist() == WORDS


@mistake
def one_word(translate):
    """One word cannot show what the second and the third word depend on. Take a translation
    of several words.
    """
    assert translate(sum_model, SOURCE, TARGET[:, :2]).tolist() == [[6], [8]]


@mistake
def start_symbol_one(translate):
    """Code that always begins with 1 passes your test. Give some sentence another start symbol, for example
    2.
    """
    target = torch.tensor([[1, 9, 9, 9, 9], [1, 9, 9, 9, 9]])
    assert translate(sum_model, SOURCE, target).tolist() == [[6, 3, 7, 5], [7, 5, 1, 3]]


@mistake
def one_sentence(translate):
    """Code that gives all sentences the words of the first passes your test. Use two sentences that the model
    translates differently.
    """
    words = translate(sum_model, torch.tensor([[5, 5]]), torch.tensor([[2, 9, 9, 9, 9]]))
    assert words.tolist() == [[8, 7, 5, 1]]


@mistake
def one_sentence_from_one(translate):
    """Two bugs cannot show if there is one sentence, or several that the model translates alike, and if the
    start symbols are 1. Take two different sentences, and two start symbols.
    """
    words = translate(sum_model, torch.tensor([[5, 5]]), torch.tensor([[1, 9, 9, 9, 9]]))
    assert words.tolist() == [[7, 5, 1, 3]]


@mistake
def source_unread(translate):
    """With your model, code that does not read the source passes your test. Let the next word depend on the
    source as well, as in `sum_model`.
    """

    def model(source, ids):
        return torch.eye(10)[(ids + 1).cumsum(dim=1) % 10]

    assert translate(model, SOURCE, TARGET).tolist() == [[2, 5, 1, 3], [3, 7, 5, 1]]


@mistake
def short_memory(translate):
    """Code that feeds only the last word passes your test, because with your model it gives the right words.
    The next word must depend on all words so far.
    """

    def model(source, ids):
        return torch.eye(10)[(3 * ids + source[:, :1]) % 10]

    assert translate(model, SOURCE, TARGET).tolist() == [[7, 5, 9, 1], [1, 8, 9, 2]]


@mistake
def answer_unread(translate):
    """Another answer in the target must change nothing, but this is half of the proof. Compare the words with
    those that must come out, too.
    """
    one = translate(sum_model, SOURCE, TARGET)
    other = translate(sum_model, SOURCE, torch.tensor([[1, 2, 3, 2, 3], [2, 2, 3, 2, 3]]))
    assert torch.equal(one, other)


@mistake
def two_words(translate):
    """Code that forgets all words but the last two passes your test, because you compare two words. Compare
    all words of the sentence.
    """
    assert translate(sum_model, SOURCE, TARGET)[:, :2].tolist() == [[6, 3], [8, 7]]


@mistake(mentions=r"zip|range\(len\(")
def only_words_that_come(translate):
    """Code that returns too few words passes your test, because you compare only the words that it returns.
    Compare whole lists, or the number of words, too.
    """
    for words, right in zip(translate(sum_model, SOURCE, TARGET).tolist(), WORDS, strict=True):
        assert all(one == other for one, other in zip(words, right, strict=False))
