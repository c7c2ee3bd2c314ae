"""translation_loss: cross-entropy of the real words of a padded batch, each word counting alike."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of

translation_loss = Exercise(
    "translation_loss",
    points=5,
    returns=("loss:",),
    hints=[
        "`F.cross_entropy` contains a softmax: give it logits.",
        "It wants the words of the vocabulary on axis 1: (batch, vocab, seq). Which operation swaps axes "
        "without reading numbers in other rows?",
        "`ignore_index=0` leaves padding out, of the sum and of the number of words.",
        "`return F.cross_entropy(logits.mT, target, ignore_index=0)`",
    ],
    examples=[
        "translation_loss(torch.tensor([[[0., 1., 2.]]]), torch.tensor([[2]]))",
        "translation_loss(torch.tensor([[[0., 1., 2.], [3., 0., 0.]]]), torch.tensor([[1, 0]]))",
        "translation_loss(torch.tensor([[[0., 1., 2.], [0., 5., 0.], [1., 0., 0.]]]), torch.tensor([[1, "
        "2, 0]]))",
        "translation_loss(torch.tensor([[[0., 1.], [0., 1.]], [[0., 1.], [0., 1.]]]), torch.tensor([[1, 1], "
        "[1, 0]]))",
        "translation_loss(torch.tensor([[[0., 1., 2.], [1., 1., 1.]], [[0., 1., 2.], [0., 1., 2.]]]), "
        "torch.tensor([[1, 2], [2, 0]]))",
    ],
)


@translation_loss.reference
def reference(logits, target):
    return F.cross_entropy(logits.mT, target, ignore_index=0)


@translation_loss.part("one word: minus the logarithm of its probability", points=1)
def one_word(loss, inputs):
    return {"loss:": loss(inputs.normal(1, 1, 7), torch.tensor([[5]]))}


@translation_loss.part("every word meets its own logits", points=1)
def own_logits(loss, inputs):
    target = inputs.integers(2, 7, 3, 5)
    return {"loss:": loss(inputs.normal(3, 5, 7), target)}


@translation_loss.part("padding does not count", points=1)
def padding(loss, inputs):
    # alike at all places: a slip in the order of axes costs no point here
    target = torch.tensor([[2, 2, 2, 0, 0], [2, 2, 2, 2, 2], [1, 0, 0, 0, 0]])
    return {"loss:": loss(torch.tensor([0.0, 0.5, 1.0, 0.0, -1.0, 0.0, 0.3]).expand(3, 5, 7).clone(), target)}


@translation_loss.part("gradients reach the logits", points=1)
def gradients(loss, inputs):
    logits = inputs.normal(3, 5, 7).requires_grad_()
    return gradients_of(loss(logits, inputs.integers(2, 7, 3, 5)), {"logits": logits})


@translation_loss.accept("batch and sequence in one axis")
def flattened(logits, target):
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), target.reshape(-1), ignore_index=0)


@translation_loss.accept("the formula, with a mask")
def formula(logits, target):
    found = logits.log_softmax(dim=-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    real = target != 0
    return -(found * real).sum() / real.sum()


@translation_loss.accept("a log_softmax too many, which changes nothing")
def log_softmax_too(logits, target):
    return F.cross_entropy(F.log_softmax(logits, -1).transpose(1, 2), target, ignore_index=0)


@translation_loss.accept("only the real words, picked out")
def picked(logits, target):
    real = target.ne(0)
    return F.nll_loss(F.log_softmax(logits[real], dim=-1), target[real])


@translation_loss.accept("in float64 until the end")
def precise(logits, target):
    return F.cross_entropy(logits.double().mT, target, ignore_index=0).to(logits.dtype)


@translation_loss.accept("loops")
def loops(logits, target):
    losses = [
        torch.logsumexp(scores, 0) - scores[word]
        for sentence, words in zip(logits, target, strict=True)
        for scores, word in zip(sentence, words, strict=True)
        if word != 0
    ]
    return sum(loss / len(losses) for loss in losses)
