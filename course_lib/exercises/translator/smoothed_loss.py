"""smoothed_loss: cross-entropy of real words, with some probability left to the other words."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of

smoothed_loss = Exercise(
    "smoothed_loss",
    points=7,
    returns=("loss:",),
    hints=[
        "Which two terms does the sum have at one position? One has the log-probability of the right word, "
        "the other the mean of the log-probabilities of all words except padding.",
        "Take `log_probs = logits.log_softmax(dim=-1)` first. `log_probs.gather(-1, target[..., None])` "
        "picks that of the right word at every position, and `.squeeze(-1)` removes the last axis.",
        "The other term is the mean over all words except padding: the sum of `log_probs` over the "
        "vocabulary, without column `pad`, divided by V - 1.",
        "With `loss` of shape (batch, seq) and `real = target != pad`: `loss[real].mean()`.",
    ],
    examples=[
        "smoothed_loss(torch.tensor([[[0.0, 3.0, 1.0]]]), torch.tensor([[1]]), smoothing=0.0)",
        "smoothed_loss(torch.tensor([[[0.0, 3.0, 1.0]]]), torch.tensor([[1]]), smoothing=0.3)",
        "smoothed_loss(2 * torch.eye(4).view(2, 2, 4), torch.tensor([[3, 1], [2, 0]]), smoothing=0.0)",
        "smoothed_loss(torch.eye(2, 3)[None], torch.tensor([[1, 0]]), smoothing=0.3)",
        "smoothed_loss(torch.arange(6.0).view(1, 2, 3), torch.tensor([[0, 1]]), smoothing=0.0, pad=2)",
        "smoothed_loss(torch.eye(2, 4)[None], torch.tensor([[0, 1]]), smoothing=0.3, pad=2)",
        "smoothed_loss(torch.tensor([[[0.0, 150.0, 0.0]]]), torch.tensor([[2]]), smoothing=0.0)",
    ],
)


SEVERE = 4.0  # logits are drawn this much wider than the standard normal


@smoothed_loss.reference
def smoothed_reference(logits, target, smoothing=0.1, pad=0):
    words = torch.arange(logits.shape[-1]) != pad
    share = smoothing * words / words.sum()
    wanted = share + (1 - smoothing) * F.one_hot(target, logits.shape[-1])
    loss = -(wanted * logits.log_softmax(dim=-1)).sum(dim=-1)
    return loss[target != pad].mean()


def words(inputs, pad=0, lengths=(6, 2, 4)):
    """Logits (3, 6, 11) and targets (3, 6), of which `lengths` are words and the rest `pad`."""
    ids = inputs.integers(4, 11, 3, 6)
    for row, length in enumerate(lengths):
        ids[row, length:] = pad
    return SEVERE * inputs.normal(3, 6, 11), ids


FULL = (6, 6, 6)


@smoothed_loss.part("without smoothing it is the mean cross-entropy", points=1)
def cross_entropy(loss, inputs):
    logits, target = words(inputs, lengths=FULL)
    sure = torch.zeros(2, 3, 11)
    sure[..., 4] = 150.0  # e^-150 is no float32
    return {
        "loss:": loss(logits, target, smoothing=0.0),
        "loss (sentences of one word):": loss(logits[:, :1], target[:, :1], smoothing=0.0),
        "loss (float64):": loss(logits.double(), target, smoothing=0.0),
        "loss (one logit is 150, another word is right):": loss(sure, torch.full((2, 3), 5), smoothing=0.0),
    }


@smoothed_loss.part("padding is ignored, and every real word has the same weight", points=1)
def skips_padding(loss, inputs):
    logits, target = words(inputs)
    moved = logits.roll(1, dims=-1).where((target == 0)[..., None], logits)
    change = loss(moved, target, smoothing=0.3) - loss(logits, target, smoothing=0.3)
    return {
        "loss:": loss(logits, target, smoothing=0.0),
        "change of the loss when only padding changes:": change,
    }


@smoothed_loss.part("takes another pad id", points=1)
def other_pad(loss, inputs):
    logits, target = words(inputs, pad=3)
    target[0, 0], target[2, 1] = 0, 1
    # the same words under other numbers, in which padding is 0: 0, whatever the smoothing is worth
    renumbered = loss(logits.roll(-3, dims=-1), (target - 3) % 11, smoothing=0.3)
    return {
        "loss:": loss(logits, target, smoothing=0.0, pad=3),
        "difference from the same words with padding 0 (smoothing 0.3):": loss(
            logits, target, smoothing=0.3, pad=3
        )
        - renumbered,
    }


@smoothed_loss.part("all words except padding share the smoothing", points=2)
def smooths(loss, inputs):
    logits, target = words(inputs, lengths=FULL)
    other, ids = SEVERE * inputs.normal(2, 3, 7), inputs.integers(4, 7, 2, 3)
    return {
        "loss:": loss(logits, target, smoothing=0.3),
        "loss (smoothing 0.1):": loss(logits, target),
        "loss (7 words in the vocabulary):": loss(other, ids, smoothing=0.3),
    }


@smoothed_loss.part("gradients flow to the logits", points=1, alone=False)
def flows(loss, inputs):
    logits, target = words(inputs)
    logits.requires_grad_()
    # of one word, so that a term that is cut off is a large part of the whole
    few, word = torch.tensor([[[0.0, 1.0, 2.0, 3.0]]], requires_grad=True), torch.tensor([[1]])
    return gradients_of(loss(logits, target, smoothing=0.6), {"logits": logits}) | gradients_of(
        loss(few, word, smoothing=0.6), {"logits of one word": few}
    )


@smoothed_loss.accept("gather")
def gathered(logits, target, smoothing=0.1, pad=0):
    real = target != pad
    log_probs = logits.log_softmax(dim=-1)
    right = log_probs.gather(-1, target[..., None]).squeeze(-1)
    others = (log_probs.sum(dim=-1) - log_probs[..., pad]) / (logits.shape[-1] - 1)
    return (-(1 - smoothing) * right - smoothing * others)[real].mean()


@smoothed_loss.accept("cross_entropy with ignore_index")
def library(logits, target, smoothing=0.1, pad=0):
    right = F.cross_entropy(logits.transpose(1, 2), target, ignore_index=pad)
    log_probs = logits.log_softmax(dim=-1)[target != pad]
    others = torch.cat([log_probs[:, :pad], log_probs[:, pad + 1 :]], dim=1).mean()
    return (1 - smoothing) * right - smoothing * others


@smoothed_loss.accept("cross_entropy of wanted probabilities, after log_softmax (T15: redundant, not wrong)")
def wanted_probabilities(logits, target, smoothing=0.1, pad=0):
    real, vocab = target != pad, logits.shape[-1]
    wanted = torch.full((int(real.sum()), vocab), smoothing / (vocab - 1))
    wanted[:, pad] = 0
    wanted.scatter_add_(1, target[real][:, None], torch.full((len(wanted), 1), 1 - smoothing))
    return F.cross_entropy(logits[real].log_softmax(dim=-1), wanted)


@smoothed_loss.accept("loops")
def loops(logits, target, smoothing=0.1, pad=0):
    total, count, vocab = 0.0, 0, logits.shape[-1]
    for row, ids in enumerate(target.tolist()):
        for t, word in enumerate(ids):
            if word == pad:
                continue
            log_probs = logits[row, t] - logits[row, t].logsumexp(dim=0)
            share = sum(log_probs[k] for k in range(vocab) if k != pad) / (vocab - 1)
            total, count = total - (1 - smoothing) * log_probs[word] - smoothing * share, count + 1
    return total / count


@smoothed_loss.accept("sum over a flat batch")
def flat(logits, target, smoothing=0.1, pad=0):
    log_probs, ids = logits.log_softmax(dim=-1).flatten(0, 1), target.flatten()
    right = F.nll_loss(log_probs, ids, ignore_index=pad, reduction="sum")
    keep = torch.arange(log_probs.shape[1]) != pad
    others = -log_probs[:, keep].mean(dim=1) @ (ids != pad).to(logits.dtype)
    return ((1 - smoothing) * right + smoothing * others) / (ids != pad).sum()
