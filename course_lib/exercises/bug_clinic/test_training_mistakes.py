"""Wrong answers to test_training: name, advice, code."""

import itertools
import math

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.test_training import batch, coin

mistake = Mistakes()
START = math.log(12)


@mistake(mentions=r"print\(", lacks=r"\b(assert|raise)\b")
def prints(training):
    """`print` judges nothing. A test fails only if it raises an error, so write `assert` before what must
    hold.
    """
    losses = training(*batch(), 30)
    print(losses[0], losses[-1])


@mistake(mentions="except")
def swallows(training):
    """An `except` around an `assert` catches its error, so the test passes. Leave `try` and `except` out."""
    try:
        assert training(*batch(), 30)[-1] < 0.2
    except AssertionError:
        print("wrong")


@mistake
def returns(training):
    """Nobody reads the True or False that your test returns. Write `assert` instead of `return`."""
    losses = training(*batch(), 30)
    return abs(losses[0] - START) < 0.5 and losses[-1] < 0.2


@mistake
def fails_on_right_code(training):
    """Your test fails on right training. Its first loss is about ln 12. Its last loss is near 0, if each next
    word follows from the source and the words before it. Print the losses on your batches.
    """
    losses = training(*batch(), 30)
    assert losses[0] < 1.0


@mistake
def exact_start(training):
    """Right training may begin a little above or below ln 12, because its weights are not zeros. Allow a
    difference below 0.5.
    """
    losses = training(*batch(), 30)
    assert abs(losses[0] - START) < 0.001
    assert losses[-1] < 0.2
    assert training(*coin(), 30)[-1] > 0.6


@mistake
def too_few_steps(training):
    """Your test stops too early: right training may need more steps. Give it 30, as the text says."""
    losses = training(*batch(), 8)
    assert abs(losses[0] - START) < 0.5
    assert losses[-1] < 0.2
    assert training(*coin(), 30)[-1] > 0.6


@mistake(mentions=r"pairwise\(|\bzip\(|sorted\(|range\(|diff\(|\[i\b")
def never_rises(training):
    """The loss of right training may rise between two steps. Compare the first loss and the last one only."""
    losses = training(*batch(), 30)
    assert abs(losses[0] - START) < 0.5
    assert all(later <= loss for loss, later in itertools.pairwise(losses))
    assert losses[-1] < 0.2
    assert training(*coin(), 30)[-1] > 0.6


@mistake
def falls(training):
    """A loss that falls a little passes your test. On a few sentences that can be learned by heart, it must
    fall to near 0.
    """
    losses = training(*batch(), 30)
    assert losses[-1] < losses[0] - 0.001


@mistake
def start_only(training):
    """Your test does not check what the training reaches. On a few sentences, its last loss
    must be near 0.
    """
    assert abs(training(*batch(), 1)[0] - START) < 0.5


@mistake
def end_only(training):
    """Two bugs pass your test: a wrong first loss, and a model that reads the words it has to predict. Check
    the first loss, ln 12, and try a batch that no model can learn by heart.
    """
    assert training(*batch(), 30)[-1] < 0.2


@mistake
def no_start(training):
    """A wrong first loss passes your test. A model that has learned nothing gives each of 12 words about
    the same probability. Check that the first loss is near ln 12.
    """
    assert training(*batch(), 30)[-1] < 0.2
    assert training(*coin(), 30)[-1] > 0.6


@mistake
def no_coin(training):
    """A model that reads the words it has to predict passes your test, because it learns every batch by
    heart. Use a batch that no model can know: the same source twice, with different words after the start
    symbol.
    """
    losses = training(*batch(), 30)
    assert abs(losses[0] - START) < 0.5
    assert losses[-1] < 0.2


@mistake
def one_sentence(training):
    """A model can learn one sentence by heart without its source. Take two with different sources, and with
    different words after the start symbol.
    """
    source, target = batch()
    losses = training(source[:1], target[:1], 30)
    assert abs(losses[0] - START) < 0.5
    assert losses[-1] < 0.2
    assert training(*coin(), 30)[-1] > 0.6


@mistake
def one_sentence_without_coin(training):
    """A model can learn one sentence by heart without its source, and most easily if it reads the words it
    has to predict. Take two sentences with different first words, and a batch that no model can know.
    """
    source, target = batch()
    losses = training(source[:1], target[:1], 30)
    assert abs(losses[0] - START) < 0.5
    assert losses[-1] < 0.2


@mistake
def high_threshold(training):
    """A last loss that is too high passes your test: with a second softmax, it stays above 1.6. Right
    training comes below 0.1 within 30 steps.
    """
    losses = training(*batch(), 30)
    assert abs(losses[0] - START) < 0.5
    assert losses[-1] < 2.2
    assert training(*coin(), 30)[-1] > 0.6


@mistake
def kinds_only(training):
    """Broken training gives a list of numbers, too. Check which numbers they are, at first and at the end."""
    losses = training(*batch(), 30)
    assert len(losses) == 30
    assert all(isinstance(loss, float) for loss in losses)
    assert torch.tensor(losses).isfinite().all()
