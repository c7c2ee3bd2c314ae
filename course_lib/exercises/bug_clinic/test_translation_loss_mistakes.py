"""Wrong answers to test_translation_loss: name, advice, code."""

import math

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.test_translation_loss import TARGET, by_hand

mistake = Mistakes()


@mistake(mentions=r"print\(", lacks=r"\b(assert|raise)\b")
def prints(translation_loss):
    """`print` judges nothing. A test fails only if it raises an error, so write `assert` before what must
    hold.
    """
    print(translation_loss(torch.randn(2, 4, 9), TARGET))


@mistake(mentions="except")
def swallows(translation_loss):
    """An `except` around an `assert` catches its error, so the test passes. Leave `try` and `except` out."""
    logits = torch.randn(2, 4, 9)
    try:
        assert abs(translation_loss(logits, TARGET).item() - by_hand(logits, TARGET)) < 1e-4
    except AssertionError:
        print("wrong")


@mistake
def returns(translation_loss):
    """Nobody reads the True or False that your test returns. Write `assert` instead of `return`."""
    logits = torch.randn(2, 4, 9)
    return abs(translation_loss(logits, TARGET).item() - by_hand(logits, TARGET)) < 1e-4


@mistake
def positive(translation_loss):
    """All broken losses that were tried pass your test. Work out which number must come out, and compare
    closely.
    """
    loss = translation_loss(torch.randn(2, 4, 9), TARGET)
    assert isinstance(loss, torch.Tensor)
    assert loss > 0


@mistake
def fails_on_right_code(translation_loss):
    """Your test fails on right code. The right loss is the mean over the real words: padding counts neither
    in the sum nor in the number of words. Print both sides.
    """
    logits = torch.randn(2, 4, 9)
    assert torch.allclose(translation_loss(logits, TARGET), F.cross_entropy(logits.mT, TARGET), atol=1e-5)


@mistake
def no_padding(translation_loss):
    """On your inputs, no bug with padding can show. Use a target with padding, and logits there that predict
    words.
    """
    logits, target = torch.randn(2, 4, 9), torch.tensor([[5, 3, 1, 7], [2, 8, 4, 6]])
    assert abs(translation_loss(logits, target).item() - by_hand(logits, target)) < 1e-4


@mistake
def uniform(translation_loss):
    """If all logits are alike, most bugs leave the loss at ln of the vocabulary's size, which is right. Let
    logits differ from word to word and from place to place: draw them at random.
    """
    assert abs(translation_loss(torch.zeros(2, 4, 9), TARGET) - math.log(9)) < 1e-4


@mistake
def one_word(translation_loss):
    """A sentence of one word has no order of places that could be wrong. Take several words."""
    logits, target = torch.randn(4, 1, 9), torch.tensor([[5], [0], [8], [0]])
    assert abs(translation_loss(logits, target).item() - by_hand(logits, target)) < 1e-4


@mistake
def certain_only(translation_loss):
    """A loss of 0 stays 0 whatever you divide it by. Add a case whose right loss is not 0."""
    logits = 30.0 * F.one_hot(TARGET, 9)
    logits[0, 2:] = 30.0 * F.one_hot(torch.tensor(7), 9)
    assert translation_loss(logits, TARGET) < 1e-3


@mistake
def certain_alike_at_padding(translation_loss):
    """A loss of 0 stays 0 whatever you divide it by, and padding that is predicted as padding costs nothing.
    Take a case whose right loss is not 0, with logits at the padding that predict words.
    """
    assert translation_loss(30.0 * F.one_hot(TARGET, 9), TARGET) < 1e-3


@mistake
def exact(translation_loss):
    """Two right pieces of code may round differently in the seventh digit, so your test fails on one of
    them. Compare floats by `torch.allclose(..., atol=1e-5)`.
    """
    logits = torch.randn(2, 4, 9)
    assert translation_loss(logits, TARGET) == F.cross_entropy(logits.mT, TARGET, ignore_index=0)


@mistake
def equal_lengths(translation_loss):
    """A loss that takes the mean of each sentence first passes your test. Take two sentences of different
    lengths in one batch, with logits that differ from word to word.
    """
    logits, target = torch.randn(2, 4, 9), torch.tensor([[5, 3, 0, 0], [2, 8, 0, 0]])
    assert abs(translation_loss(logits, target).item() - by_hand(logits, target)) < 1e-4
