"""Wrong answers to test_translation_loss: name, advice, code."""

import math

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.test_translation_loss import TARGET, by_hand

mistake = Mistakes()


@mistake
def prints(translation_loss):
    """Ask for the value of the loss, in an `assert`. `print` judges nothing, `except` swallows an `assert`.
    That a loss is finite, or falls in training, says little: broken ones do, too.
    """
    print(translation_loss(torch.randn(2, 4, 9), TARGET))


@mistake
def positive(translation_loss):
    """Broken losses pass. Which number must come out? Work it out, and compare closely."""
    loss = translation_loss(torch.randn(2, 4, 9), TARGET)
    assert isinstance(loss, torch.Tensor)
    assert loss > 0


@mistake
def fails_on_right_code(translation_loss):
    """Your `assert` fails on right code. Your expected value must leave padding out, of the sum and of the
    number of words, and use logits, with the vocabulary as the last axis.
    """
    logits = torch.randn(2, 4, 9)
    assert torch.allclose(translation_loss(logits, TARGET), F.cross_entropy(logits.mT, TARGET), atol=1e-5)


@mistake
def no_padding(translation_loss):
    """What happens to padding cannot show: have padding, and logits there that predict words."""
    logits, target = torch.randn(2, 4, 9), torch.tensor([[5, 3, 1, 7], [2, 8, 4, 6]])
    assert abs(translation_loss(logits, target).item() - by_hand(logits, target)) < 1e-4


@mistake
def uniform(translation_loss):
    """With all logits alike every word has the same loss, ln of the vocabulary's size, whatever goes wrong.
    Draw them at random.
    """
    assert abs(translation_loss(torch.zeros(2, 4, 9), TARGET) - math.log(9)) < 1e-4


@mistake
def one_word(translation_loss):
    """A sentence of one word has no order of places that could go wrong: take several words."""
    logits, target = torch.randn(4, 1, 9), torch.tensor([[5], [0], [8], [0]])
    assert abs(translation_loss(logits, target).item() - by_hand(logits, target)) < 1e-4


@mistake
def certain_only(translation_loss):
    """A loss of 0 stays 0 whatever it is divided by. Add a case in which the right loss is not 0."""
    logits = 30.0 * F.one_hot(TARGET, 9)
    logits[0, 2:] = 30.0 * F.one_hot(torch.tensor(7), 9)
    assert translation_loss(logits, TARGET) < 1e-3


@mistake
def exact(translation_loss):
    """You compare floats with `==`: right code that rounds otherwise in the seventh digit fails. Use
    `torch.allclose`, or a small difference.
    """
    logits = torch.randn(2, 4, 9)
    assert translation_loss(logits, TARGET) == F.cross_entropy(logits.mT, TARGET, ignore_index=0)
