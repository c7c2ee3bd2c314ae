"""Wrong answers to test_translate: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.test_translate import sum_model

mistake = Mistakes()


@mistake
def prints(translate):
    """A test must call its argument and reach an `assert` that compares words. `print` judges nothing,
    `assert (a, b)` always holds, and `except` swallows an `assert`.
    """
    print(translate(sum_model, torch.tensor([[4, 5]]), torch.tensor([[1, 9, 9, 9]])))


@mistake
def fails_on_right_code(translate):
    """Your `assert` fails on right code: work the words out again, without the start symbol. A tensor never
    equals a list: compare `.tolist()`.
    """
    assert translate(sum_model, torch.tensor([[4, 5]]), torch.tensor([[1, 9, 9]])).tolist() == [[1, 6, 3]]


@mistake
def shape_only(translate):
    """Words that broken code gives, too: the shape says nothing, nor does a model that always answers alike.
    Work out words that depend on all before them.
    """
    words = translate(sum_model, torch.tensor([[4, 5], [5, 5]]), torch.tensor([[1, 9, 9, 9, 9]] * 2))
    assert words.shape == (2, 4)


@mistake
def right_target(translate):
    """Your target holds the very words that the model chooses. Code that reads them is right by chance: put
    others there.
    """
    source, target = torch.tensor([[4, 5], [5, 5]]), torch.tensor([[1, 6, 3, 7, 5], [1, 7, 5, 1, 3]])
    assert translate(sum_model, source, target).tolist() == [[6, 3, 7, 5], [7, 5, 1, 3]]


@mistake
def one_word(translate):
    """The first word depends on the start symbol only. Take a translation of several words."""
    source, target = torch.tensor([[4, 5], [5, 5]]), torch.tensor([[1, 9], [1, 9]])
    assert translate(sum_model, source, target).tolist() == [[6], [7]]


@mistake
def one_sentence(translate):
    """One sentence cannot show whether each gets its own words: take two different ones."""
    words = translate(sum_model, torch.tensor([[5, 5]]), torch.tensor([[1, 9, 9, 9, 9]]))
    assert words.tolist() == [[7, 5, 1, 3]]


@mistake
def short_memory(translate):
    """Your model looks at the last word alone, so code that forgets the others does as well. Let its answer
    depend on all of them.
    """

    def model(source, ids):
        return torch.eye(10)[(3 * ids + source[:, :1]) % 10]

    words = translate(model, torch.tensor([[4, 5], [5, 5]]), torch.tensor([[1, 9, 9, 9, 9]] * 2))
    assert words.tolist() == [[7, 5, 9, 1], [8, 9, 2, 1]]


@mistake
def answer_unread(translate):
    """That another answer in the target changes nothing is half of the proof. Compare the words with those
    that must come out, too.
    """
    source = torch.tensor([[4, 5], [5, 5]])
    one = translate(sum_model, source, torch.tensor([[1, 9, 9, 9, 9]] * 2))
    other = translate(sum_model, source, torch.tensor([[1, 2, 3, 2, 3]] * 2))
    assert torch.equal(one, other)
