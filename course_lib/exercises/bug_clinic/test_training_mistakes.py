"""Wrong answers to test_training: name, advice, code."""

import math

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.test_training import batch, coin

mistake = Mistakes()
START = math.log(12)


@mistake(mentions=r"print\(", lacks=r"\b(assert|raise)\b")
def prints(training):
    """`print` judges nothing: whoever runs a test looks whether it raises. Write `assert` before what must
    hold.
    """
    losses = training(*batch(), 30)
    print(losses[0], losses[-1])


@mistake(mentions="except")
def swallows(training):
    """An `except` around an `assert` swallows what it raises, and nothing is left of the complaint. Leave
    `try` and `except` out.
    """
    try:
        assert training(*batch(), 30)[-1] < 0.2
    except AssertionError:
        print("wrong")


@mistake
def returns(training):
    """True and False come back to nobody: put `assert` where you have `return`."""
    losses = training(*batch(), 30)
    return abs(losses[0] - START) < 0.5 and losses[-1] < 0.2


@mistake
def fails_on_right_code(training):
    """Which losses does right training give on your batches? About ln 12 at first; near 0 in the end, if each
    next word follows from the source and the words before it. Print them.
    """
    losses = training(*batch(), 30)
    assert losses[0] < 1.0


@mistake
def exact_start(training):
    """Some right training begins a little above or below ln 12, for its weights are no zeros. Leave room: a
    difference below 0.5.
    """
    losses = training(*batch(), 30)
    assert abs(losses[0] - START) < 0.001
    assert losses[-1] < 0.2
    assert training(*coin(), 30)[-1] > 0.6


@mistake
def falls(training):
    """A loss that falls a little passes. How far must it fall? Near 0, where a few sentences can be learned
    by heart.
    """
    losses = training(*batch(), 30)
    assert losses[-1] < losses[0] - 0.001


@mistake
def start_only(training):
    """The first loss is asked alone. Ask what the training must reach, too: near 0 on a few sentences."""
    assert abs(training(*batch(), 1)[0] - START) < 0.5


@mistake
def end_only(training):
    """A wrong start passes, and words that are read and asked at once. Ask for the first loss, ln 12, and for
    a batch that nobody can learn by heart.
    """
    assert training(*batch(), 30)[-1] < 0.2


@mistake
def no_start(training):
    """A wrong first loss passes. A model that knows nothing gives each of 12 words the same chance: ln 12."""
    assert training(*batch(), 30)[-1] < 0.2
    assert training(*coin(), 30)[-1] > 0.6


@mistake
def no_coin(training):
    """A training that reads what it is asked passes, and it learns by heart best of all. Give it a batch that
    nobody can know: the same source twice, with different words behind the start symbol.
    """
    losses = training(*batch(), 30)
    assert abs(losses[0] - START) < 0.5
    assert losses[-1] < 0.2


@mistake
def one_sentence(training):
    """One sentence can be learned by heart without a look at its source. Take two with different sources, and
    with different words behind the start symbol.
    """
    source, target = batch()
    losses = training(source[:1], target[:1], 30)
    assert abs(losses[0] - START) < 0.5
    assert losses[-1] < 0.2
    assert training(*coin(), 30)[-1] > 0.6


@mistake
def one_sentence_without_coin(training):
    """One sentence can be learned by heart without a look at its source, and best of all by a training that
    reads what it is asked. Take two with different first words, and a batch that nobody can know.
    """
    source, target = batch()
    losses = training(source[:1], target[:1], 30)
    assert abs(losses[0] - START) < 0.5
    assert losses[-1] < 0.2


@mistake
def high_threshold(training):
    """A last loss that is too high passes: with a softmax too many it stays above 1.6. Right training comes
    below 0.1 within 30 steps.
    """
    losses = training(*batch(), 30)
    assert abs(losses[0] - START) < 0.5
    assert losses[-1] < 2.2
    assert training(*coin(), 30)[-1] > 0.6


@mistake
def kinds_only(training):
    """Broken training gives a list of numbers, too. Ask which ones they are, at first and in the end."""
    losses = training(*batch(), 30)
    assert len(losses) == 30
    assert all(isinstance(loss, float) for loss in losses)
    assert torch.tensor(losses).isfinite().all()
