"""test_training: a test that tells right ways to train a model from broken ones, by their losses."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.exercises.bug_clinic import trainings
from course_lib.exercises.bug_clinic.code_under_test import accepts, catches
from course_lib.exercises.bug_clinic.pieces import Broken
from course_lib.exercises.bug_clinic.trainings import PIECE

EXAMPLES = {
    one.__name__: one
    for one in (
        trainings.log_probabilities,
        trainings.small_steps,
        trainings.large_steps,
        trainings.no_losses,
        trainings.wild_start,
        trainings.other_model,
        trainings.softmax_first,
        trainings.half_the_weights,
        trainings.source_unread,
        trainings.reads_the_answer,
    )
}

test_training = Exercise(
    "test_training",
    points=7,
    returns=(),
    repeatable=False,
    is_test=True,
    hints=[
        "Which loss does an untrained model have? Which loss must it reach on a few sentences that it may "
        "learn by heart? And below which loss can it never go, if the same source has two different "
        "translations?",
        "Write three assertions. The first loss is near ln 12. The last loss is near 0 for sentences with "
        "different sources. The last loss is no less than ln 2 for a coin, a word that no model can know, if "
        "it is the only word to predict: the loss is the mean of all.",
        "If two sentences begin with different words, only the source can tell which. For the coin, take "
        "the same source twice, and two targets with one word after the start symbol.",
        "`source, target = torch.tensor([[4, 5], [6, 7]]), torch.tensor([[1, 5, 6, 7], [1, 8, 4, 9]])`, "
        "`losses = training(source, target, 30)`, `assert abs(losses[0] - math.log(12)) < 0.5`, `assert "
        "losses[-1] < 0.2`, and the coin: `coin = training(torch.tensor([[4], [4]]), torch.tensor([[1, 5], "
        "[1, 6]]), 30)`, `assert coin[-1] > 0.6`.",
    ],
    examples=[f"test_training({name})" for name in EXAMPLES],
    names=EXAMPLES,
)


WILD = Broken(
    "begins with weights that are too large, so the first loss is far above ln 12",
    "Shown by: the first loss, which must be about ln 12 = 2.48.",
    trainings.wild_start,
)


SUMMED = Broken(
    "returns the sum of the losses of all words instead of their mean",
    "Shown by: the first loss of a batch of several words, which must be about ln 12 = 2.48.",
    trainings.summed,
)


LATE = Broken(
    "trains 30 steps before it notes the first loss, so the first loss is far below ln 12",
    "Shown by: the first loss, which must be about ln 12 = 2.48.",
    trainings.starts_late,
)


OTHER = Broken(
    "trains nothing, because its optimizer has the weights of another model",
    "Shown by: the last loss, which must be near 0 on a few sentences that can be learned by heart.",
    trainings.other_model,
)


TINY = Broken(
    "has a learning rate of 0.00001, so the loss falls by only a hundredth",
    "Shown by: the last loss, which must be near 0 on a few sentences that can be learned by heart.",
    trainings.tiny_rate,
)


SOFTMAX = Broken(
    "applies a softmax before `cross_entropy`, which contains one, so its loss falls but stays above 1.6",
    "Shown by: the last loss, which must be near 0 on a few sentences that can be learned by heart.",
    trainings.softmax_first,
)


DROPOUT = Broken(
    "drops nine of ten numbers while it trains",
    "Shown by: the last loss, which must be near 0 on a few sentences that can be learned by heart.",
    trainings.heavy_dropout,
)


HALF = Broken(
    "trains only some of the weights, because its optimizer does not have the others",
    "Shown by: the last loss, which must be near 0 after 30 steps.",
    trainings.half_the_weights,
)


SOURCE = Broken(
    "does not read the source",
    "Shown by: sentences with different sources whose targets begin with different words, and a last loss "
    "that must be near 0.",
    trainings.source_unread,
)


ANSWER = Broken(
    "reads the very words that it has to predict",
    "Shown by: a batch whose loss cannot come near 0, with the same source twice and different words "
    "after the start symbol.",
    trainings.reads_the_answer,
)


ASKED = Broken(
    "has to predict the words that it reads, and not the next ones",
    "Shown by: a batch whose loss cannot come near 0, with the same source twice and different words "
    "after the start symbol.",
    trainings.asks_what_is_read,
)


part = test_training.part


part("right training passes, however it is written", points=1)(accepts(PIECE))


part("catches a first loss far from ln 12", points=1)(catches(PIECE, WILD, SUMMED, LATE))


part("catches weights that do not move", points=1)(catches(PIECE, OTHER, TINY))


part("catches a loss that falls but stays too high", points=1)(catches(PIECE, SOFTMAX, DROPOUT, HALF))


part("catches a source that is not read", points=1)(catches(PIECE, SOURCE))


part("catches a model that reads the words that it has to predict", points=1)(catches(PIECE, ANSWER, ASKED))


def batch():
    return torch.tensor([[4, 5], [6, 7]]), torch.tensor([[1, 5, 6, 7], [1, 8, 4, 9]])


def coin():
    return torch.tensor([[4], [4]]), torch.tensor([[1, 5], [1, 6]])


@test_training.reference
def three_questions(training):
    losses = training(*batch(), 30)
    assert abs(losses[0] - math.log(12)) < 0.5, "its first loss is not about ln 12"
    assert losses[-1] < 0.2, "it cannot learn two sentences by heart"
    assert training(*coin(), 30)[-1] > 0.6, "it knows what nobody can know"


@test_training.accept("the last hint, as it stands")
def last_hint(training):
    source, target = torch.tensor([[4, 5], [6, 7]]), torch.tensor([[1, 5, 6, 7], [1, 8, 4, 9]])
    losses = training(source, target, 30)
    assert abs(losses[0] - math.log(12)) < 0.5
    assert losses[-1] < 0.2
    coin = training(torch.tensor([[4], [4]]), torch.tensor([[1, 5], [1, 6]]), 30)
    assert coin[-1] > 0.6


@test_training.accept("with random sentences, and a coin in a longer sentence")
def random_sentences(training):
    torch.manual_seed(4)
    source, target = torch.arange(4, 8)[:, None].repeat(1, 3), torch.randint(4, 12, (4, 6))
    target[:, 0], target[:, 1] = 1, torch.tensor([4, 5, 6, 7])
    losses = torch.tensor(training(source, target, steps=40))
    torch.testing.assert_close(losses[0], torch.tensor(12.0).log(), atol=0.4, rtol=0.0)
    assert losses[-5:].max() < 0.1
    source[1] = source[0]
    assert training(source[:2], target[:2], steps=40)[-1] > 0.9 * math.log(2) / 5


@test_training.accept("three short sentences, two of which have the same words in another order")
def three_sentences(training):
    source = torch.tensor([[4, 5], [5, 4], [8, 9]])
    target = torch.tensor([[1, 5, 6, 7], [1, 8, 4, 9], [1, 10, 11, 4]])
    losses = training(source, target, 30)
    assert abs(losses[0] - math.log(12)) < 0.5
    assert losses[-1] < 0.1
    assert training(*coin(), 30)[-1] > 0.6


@test_training.accept("the first word alone")
def first_word(training):
    source = torch.tensor([[4], [5], [6], [7]])
    target = torch.tensor([[1, 4], [1, 5], [1, 6], [1, 7]])
    losses = training(source, target, 50)
    if not 2.0 < losses[0] < 3.0 or losses[-1] > 0.3:
        raise ValueError(losses)
    blind = training(torch.full((4, 1), 9), target, 50)[-1]
    assert blind > math.log(4) - 0.1, "four words are left to choose from"


@test_training.accept("perplexities")
def perplexities(training):
    start, *_, end = map(math.exp, training(*batch(), 60))
    assert 9 < start < 16 and end < 1.1
    assert math.exp(training(*coin(), 60)[-1]) > 1.8


@test_training.accept("a test for each question")
def several(training):
    def starts_knowing_nothing():
        assert abs(training(*batch(), 1)[0] - 2.485) < 0.3

    def learns_by_heart():
        assert min(training(*batch(), 100)) < 0.05

    def cannot_look_into_the_future():
        assert min(training(*coin(), 20)) > 0.5

    for question in (starts_knowing_nothing, learns_by_heart, cannot_look_into_the_future):
        question()
