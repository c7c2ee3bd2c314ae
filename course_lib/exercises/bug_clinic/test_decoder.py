"""test_decoder: a test that tells decoders that see the past from decoders that see the future."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.exercises.bug_clinic import decoders
from course_lib.exercises.bug_clinic.code_under_test import accepts, catches
from course_lib.exercises.bug_clinic.decoders import PIECE
from course_lib.exercises.bug_clinic.pieces import Broken, Seen

EXAMPLES = {
    one.__name__: one
    for one in (
        decoders.StepByStep,
        decoders.NoMask,
        decoders.FilledWithSix,
        decoders.OneTooMany,
        decoders.LastLayer,
        decoders.OnlyTraining,
        decoders.OnlyEvaluation,
        decoders.FirstWords,
        decoders.LastWords,
        decoders.MiddleWords,
        decoders.FourWords,
        decoders.OneNorm,
        decoders.WordAfterNext,
        decoders.FirstSeesLast,
    )
}

test_decoder = Exercise(
    "test_decoder",
    points=7,
    returns=(),
    repeatable=False,
    is_test=True,
    hints=[
        "If you change a word, which outputs may change, and which must stay the same? Is one changed word "
        "enough, or one position? And in which modes is a decoder used?",
        "There are two ways. Change x from position t on: the outputs before t must stay the same. Or take "
        "the gradient of the output at position t: it must be 0 at all later positions of x. Do this for "
        "each t, in a sentence of six words.",
        "`decoder.train()` and `decoder.eval()` set the mode: test both. In training mode, dropout draws "
        "other numbers at every call, so call `torch.manual_seed(0)` before each of two outputs that you "
        "compare. A gradient needs only one call, and it stays 0 whatever is dropped.",
        "`x, memory = torch.randn(2, 6, 8, requires_grad=True), torch.randn(2, 3, 8)`, then `for mode in "
        "(True, False):` set `decoder.train(mode)` and `for t in range(5):` write `(gradient,) = "
        "torch.autograd.grad(decoder(x, memory)[:, t].sum(), x)` and `assert gradient[:, t + 1 "
        ":].abs().max() < 1e-6`.",
    ],
    examples=[f"test_decoder({name}())" for name in EXAMPLES],
    names=EXAMPLES,
)


def only_in(training: bool, name: str) -> Seen:
    """Says that a test never runs a decoder in the mode in which it leaks."""

    def seen(calls):
        used = {call.training for call in calls}
        return "" if training in used else f"Your test never runs it in {name} mode."

    return seen


NONE = Broken(
    "has no mask",
    "Shown by: a later word that is changed, or the gradient of an output with respect to later words.",
    decoders.NoMask,
)

ZERO = Broken(
    "fills hidden scores with -1e-12, which is almost zero",
    "Shown by: a later word that is changed, or the gradient of an output with respect to later words.",
    decoders.FilledWithZero,
)

SIX = Broken(
    "fills hidden scores with -6, so later words still count a little",
    "Shown by: the numbers of the outputs, compared with a small tolerance.",
    decoders.FilledWithSix,
)

UPPER = Broken(
    "uses `triu` instead of `tril`, so each word sees itself and all words after it",
    "Shown by: a later word that is changed, and the outputs before it.",
    decoders.Upper,
)

NEXT = Broken(
    "is off by one, so each word sees the next one",
    "Shown by: the output at position t while word t + 1 changes.",
    decoders.OneTooMany,
)

LAST = Broken(
    "has a mask in the first layer and none in the last",
    "Shown by: outputs of the whole decoder, compared number by number.",
    decoders.LastLayer,
)

CROSS = Broken(
    "lets cross-attention look at the target's own words, too",
    "Shown by: outputs of the whole decoder, compared number by number.",
    decoders.CrossLeak,
)

NORM = Broken(
    "takes one mean and one variance of the whole sentence in its layer norm",
    "Shown by: outputs of the whole decoder, compared number by number.",
    decoders.OneNorm,
)

TRAINING = Broken(
    "has its mask in training mode only, so it leaks in evaluation mode",
    "Shown by: `decoder.eval()` before some of the calls.",
    decoders.OnlyTraining,
    only_in(False, "evaluation"),
)

EVALUATION = Broken(
    "has its mask in evaluation mode only, so it leaks in training mode",
    "Shown by: `decoder.train()` before some of the calls.",
    decoders.OnlyEvaluation,
    only_in(True, "training"),
)

END_TRAINING = Broken(
    "lets the last two words see each other in training mode only",
    "Shown by: the output just before the last position while the last word changes, in each mode.",
    decoders.LastInTraining,
    only_in(True, "training"),
)

END_EVALUATION = Broken(
    "lets the last two words see each other in evaluation mode only",
    "Shown by: the output just before the last position while the last word changes, in each mode.",
    decoders.LastInEvaluation,
    only_in(False, "evaluation"),
)

FOURTH_TRAINING = Broken(
    "has one layer, in which the second word sees the fourth, in training mode only",
    "Shown by: the output at the second position while the fourth word changes, in each mode.",
    decoders.FourthInTraining,
    only_in(True, "training"),
)

FOURTH_EVALUATION = Broken(
    "has one layer, in which the second word sees the fourth, in evaluation mode only",
    "Shown by: the output at the second position while the fourth word changes, in each mode.",
    decoders.FourthInEvaluation,
    only_in(False, "evaluation"),
)

FIRST = Broken(
    "lets the first three words see each other, and hides all other later words",
    "Shown by: the outputs at the first positions while the second or third word changes.",
    decoders.FirstWords,
)

END = Broken(
    "lets the last two words see each other, and hides all other later words",
    "Shown by: the output just before the last position while the last word changes.",
    decoders.LastWords,
)

MIDDLE = Broken(
    "lets the third and the fourth word see each other, and hides all other later words",
    "Shown by: the output at the third position while the fourth word changes.",
    decoders.MiddleWords,
)

FOUR = Broken(
    "has a mask for four words, so all words see those after the fourth",
    "Shown by: a sentence of more than four words, for example six.",
    decoders.FourWords,
)

AFTER_NEXT = Broken(
    "has one layer, in which each word sees the word after the next, and no other later word",
    "Shown by: the output at position t while word t + 2 changes.",
    decoders.WordAfterNext,
)

ENDS = Broken(
    "has one layer, in which the first word sees the last, and no other later word",
    "Shown by: the output at the first position while the last word changes.",
    decoders.FirstSeesLast,
)

part = test_decoder.part

part("right decoders pass, however they are built", points=1)(accepts(PIECE))

part("catches a mask that hides nothing", points=1)(catches(PIECE, NONE, ZERO, SIX))

part("catches a mask that is reversed, or off by one", points=1)(catches(PIECE, UPPER, NEXT))

part("catches a leak in one place of the decoder", points=1)(catches(PIECE, LAST, CROSS, NORM))

part("catches a leak in one mode only", points=1)(
    catches(PIECE, TRAINING, EVALUATION, END_TRAINING, END_EVALUATION, FOURTH_TRAINING, FOURTH_EVALUATION)
)

part("catches a leak between some words only", points=1)(
    catches(PIECE, FIRST, END, MIDDLE, FOUR, AFTER_NEXT, ENDS)
)


@test_decoder.reference
def by_gradients(decoder):
    x, memory = torch.randn(2, 6, 8, requires_grad=True), torch.randn(2, 3, 8)
    for mode in (True, False):
        decoder.train(mode)
        for t in range(5):
            (gradient,) = torch.autograd.grad(decoder(x, memory)[:, t].sum(), x)
            assert gradient[:, t + 1 :].abs().max() < 1e-6, f"position {t} sees what comes after it"


@test_decoder.accept("the last hint, as it stands")
def last_hint(decoder):
    x, memory = torch.randn(2, 6, 8, requires_grad=True), torch.randn(2, 3, 8)
    for mode in (True, False):
        decoder.train(mode)
        for t in range(5):
            (gradient,) = torch.autograd.grad(decoder(x, memory)[:, t].sum(), x)
            assert gradient[:, t + 1 :].abs().max() < 1e-6


@test_decoder.accept("by changing later words, with the same dropout")
def by_changes(decoder):
    x, memory = torch.randn(1, 7, 8), torch.randn(1, 4, 8)

    def logits(x):
        torch.manual_seed(5)
        return decoder(x, memory)

    for mode in (decoder.train, decoder.eval):
        mode()
        before = logits(x)
        for t in range(1, 7):
            other = x.clone()
            other[:, t:] = torch.linspace(-2, 2, 8)
            assert torch.allclose(logits(other)[:, :t], before[:, :t], atol=1e-5)


@test_decoder.accept("one word changed at a time, dropout switched off")
def without_dropout(decoder):
    for module in decoder.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
        if isinstance(module, torch.nn.MultiheadAttention):
            module.dropout = 0.0
    x, memory = torch.randn(3, 5, 8), torch.randn(3, 2, 8)
    for training in (False, True):
        decoder.train(training)
        before = decoder(x, memory)
        for t in range(5):
            other = x.clone()
            other[:, t] = other[:, t].flip(-1)
            torch.testing.assert_close(decoder(other, memory)[:, :t], before[:, :t], atol=1e-5, rtol=1e-4)


@test_decoder.accept("a sentence cut short: its outputs are those of the beginning")
def cut_short(decoder):
    x, memory = torch.randn(2, 6, 8), torch.randn(2, 3, 8)
    decoder.eval()
    whole = decoder(x, memory)
    for t in range(1, 6):
        assert (decoder(x[:, :t], memory) - whole[:, :t]).abs().max() < 1e-4
    decoder.train()
    x.requires_grad_()
    for t in range(6):
        x.grad = None
        decoder(x, memory)[:, t].square().sum().backward()
        assert not x.grad[:, t + 1 :].any()


@test_decoder.accept("the whole Jacobian")
def jacobian(decoder):
    memory = torch.randn(1, 2, 8)
    for mode in (True, False):
        decoder.train(mode)
        slopes = torch.autograd.functional.jacobian(lambda x: decoder(x, memory), torch.randn(1, 5, 8))
        leak = slopes[0, :, :, 0].abs().sum(dim=(1, 3)).triu(1)
        assert leak.max() < 1e-5, leak
