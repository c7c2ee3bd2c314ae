"""test_translation_loss: a test that tells right losses from broken ones."""

import math

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.exercises.bug_clinic import translation_loss as code
from course_lib.exercises.bug_clinic.code_under_test import accepts, catches
from course_lib.exercises.bug_clinic.pieces import Broken
from course_lib.exercises.bug_clinic.translation_loss import PIECE

EXAMPLES = {
    one.__name__: one
    for one in (
        code.rounded_loss,
        code.always_zero,
        code.counts_padding,
        code.softmax_twice,
        code.by_view,
        code.mean_over_all,
        code.mean_of_sentences,
    )
}

test_translation_loss = Exercise(
    "test_translation_loss",
    points=6,
    returns=(),
    repeatable=False,
    is_test=True,
    hints=[
        "For which logits do you know the right loss without any code? With which logits and targets do "
        "padding, a second softmax, and a wrong order of axes change the loss?",
        "Take two sentences: one of several words with padding after it, and a longer one. Let the logits "
        "differ from place to place.",
        "There are two ways. Use the formula, word by word. Or use logits that are certain (30 for one word, "
        "else 0): of a wrong word in one place and at the padding, else of the right word. Then the right "
        "loss is 30, divided by the number of words without padding, of both sentences together.",
        "`logits, target = torch.randn(2, 4, 9), torch.tensor([[5, 3, 0, 0], [2, 8, 4, 6]])`, `places = "
        "[(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (1, 3)]`, `costs = [-logits[b, "
        "t].log_softmax(dim=0)[target[b, t]] for b, t in places]`, `assert "
        "torch.allclose(translation_loss(logits, target), sum(costs) / 6, atol=1e-5)`.",
    ],
    examples=[f"test_translation_loss({name})" for name in EXAMPLES],
    names=EXAMPLES,
)


COUNTS = Broken(
    "counts padding as words",
    "Shown by: a target with padding, and logits there that predict something else.",
    code.counts_padding,
)


ALL = Broken(
    "divides by the number of all places, with the padding",
    "Shown by: a target with padding, and a loss that is not 0.",
    code.mean_over_all,
)


TWICE = Broken(
    "applies a softmax before `cross_entropy`, which contains one",
    "Shown by: logits that are not all alike. The largest probability is 1, so its loss never comes near 0.",
    code.softmax_twice,
)


VIEW = Broken(
    "swaps axes by `view`, so words are compared with the logits of other words",
    "Shown by: several words in a sentence, with different logits.",
    code.by_view,
)


PLACE = Broken(
    "compares each word with the logits of the place before it, and the first word with those of the last",
    "Shown by: several words in a sentence, with different logits.",
    code.of_the_place_before,
)


SENTENCE = Broken(
    "compares the words of all sentences with the logits of the first sentence",
    "Shown by: two sentences or more, with different logits.",
    code.of_the_first_sentence,
)


SUM = Broken(
    "returns the sum instead of the mean",
    "Shown by: more than one word, and the exact value.",
    code.summed,
)


MEANS = Broken(
    "takes the mean of each sentence, and then of these means, so words of short sentences count more",
    "Shown by: two sentences of different lengths in one batch, whose words differ in their costs.",
    code.mean_of_sentences,
)


part = test_translation_loss.part


part("right code passes, however it is written", points=1)(accepts(PIECE))


part("catches padding that counts", points=1)(catches(PIECE, COUNTS, ALL))


part("catches a second softmax", points=1)(catches(PIECE, TWICE))


part("catches words that are compared with the logits of other words", points=1)(
    catches(PIECE, VIEW, PLACE, SENTENCE)
)


part("catches a sum, or a mean of means, instead of the mean", points=1)(catches(PIECE, SUM, MEANS))


TARGET = torch.tensor([[5, 3, 0, 0], [2, 8, 4, 6]])


def by_hand(logits, target):
    losses = [
        -math.log(logits[b, t].softmax(0)[target[b, t]])
        for b in range(len(target))
        for t in range(target.shape[1])
        if target[b, t] != 0
    ]
    return sum(losses) / len(losses)


@test_translation_loss.reference
def against_the_formula(translation_loss):
    logits = torch.randn(2, 4, 9)
    assert abs(translation_loss(logits, TARGET).item() - by_hand(logits, TARGET)) < 1e-4


@test_translation_loss.accept("the last hint, as it stands")
def last_hint(translation_loss):
    logits, target = torch.randn(2, 4, 9), torch.tensor([[5, 3, 0, 0], [2, 8, 4, 6]])
    places = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (1, 3)]
    costs = [-logits[b, t].log_softmax(dim=0)[target[b, t]] for b, t in places]
    assert torch.allclose(translation_loss(logits, target), sum(costs) / 6, atol=1e-5)


@test_translation_loss.accept("with PyTorch's own loss over flat axes")
def against_pytorch(translation_loss):
    torch.manual_seed(3)
    logits = torch.randn(2, 4, 9) * 3
    right = F.cross_entropy(logits.flatten(0, 1), TARGET.flatten(), ignore_index=0)
    assert torch.allclose(translation_loss(logits, TARGET), right, atol=1e-5), "not PyTorch's loss"


@test_translation_loss.accept("certain logits, with one that is wrong, then uniform ones")
def certain_and_uniform(translation_loss):
    certain = 30.0 * F.one_hot(TARGET, 9)
    certain[0, 2:] = 30.0 * F.one_hot(torch.tensor(7), 9)
    assert translation_loss(certain, TARGET) < 1e-3
    certain[0, 1] = 30.0 * F.one_hot(torch.tensor(7), 9)
    assert abs(translation_loss(certain, TARGET) - 30 / 6) < 1e-3
    assert abs(translation_loss(torch.zeros(2, 4, 9), TARGET) - math.log(9)) < 1e-4


@test_translation_loss.accept("one word at a time, then that padding changes nothing, then two sentences")
def padding_changes_nothing(translation_loss):
    logits = torch.randn(1, 3, 9)
    words = torch.tensor([[5, 3, 8]])
    alone = [translation_loss(logits[:, t : t + 1], words[:, t : t + 1]) for t in range(3)]
    assert torch.allclose(translation_loss(logits, words), sum(alone) / 3, atol=1e-5)
    assert torch.allclose(alone[0], -logits.log_softmax(-1)[0, 0, 5], atol=1e-5)
    longer = torch.cat([logits, torch.randn(1, 2, 9)], dim=1)
    padded = torch.tensor([[5, 3, 8, 0, 0]])
    assert torch.allclose(translation_loss(longer, padded), translation_loss(logits, words), atol=1e-5)
    two, padded = torch.cat([longer, longer.flip(0, 1)]), torch.cat([padded, torch.tensor([[4, 0, 0, 0, 0]])])
    other = translation_loss(two[1:, :1], padded[1:, :1])
    assert torch.allclose(translation_loss(two, padded), (sum(alone) + other) / 4, atol=1e-5)


@test_translation_loss.accept("the gradient: probabilities minus 1 at the right word, 0 at padding")
def gradient(translation_loss):
    logits = torch.randn(2, 4, 9, requires_grad=True)
    translation_loss(logits, TARGET).backward()
    real = (TARGET != 0).unsqueeze(-1)
    right = (logits.detach().softmax(-1) - F.one_hot(TARGET, 9)) * real / 6
    assert torch.allclose(logits.grad, right, atol=1e-5)
