"""Right and broken cross-entropies of a padded batch, each word counting alike; padding is id 0."""

import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib.exercises.bug_clinic.pieces import Piece, shaped


def by_pytorch(logits: Tensor, target: Tensor) -> Tensor:
    """The right loss."""
    return F.cross_entropy(logits.mT, target, ignore_index=0)


def flattened(logits: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), target.reshape(-1), ignore_index=0)


def by_formula(logits: Tensor, target: Tensor) -> Tensor:
    found = logits.log_softmax(dim=-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    real = target != 0
    return -(found * real).sum() / real.sum()


def log_softmax_too(logits: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(F.log_softmax(logits, -1).transpose(1, 2), target, ignore_index=0)


def picked(logits: Tensor, target: Tensor) -> Tensor:
    real = target.ne(0)
    return F.nll_loss(F.log_softmax(logits[real], dim=-1), target[real])


def in_float64(logits: Tensor, target: Tensor) -> Tensor:
    """The right loss, computed in float64."""
    return F.cross_entropy(logits.double().mT, target, ignore_index=0).to(logits.dtype)


def rounded_loss(logits: Tensor, target: Tensor) -> Tensor:
    """The right loss, of which the last digit is rounded differently."""
    return by_pytorch(logits, target) * (1 + 3e-7)


def by_loops(logits: Tensor, target: Tensor) -> Tensor:
    losses = [
        torch.logsumexp(scores, 0) - scores[word]
        for sentence, words in zip(logits, target, strict=True)
        for scores, word in zip(sentence, words, strict=True)
        if word != 0
    ]
    return torch.stack(losses).mean()


def always_zero(logits: Tensor, target: Tensor) -> Tensor:
    """A loss of 0 for everything."""
    return 0 * logits.sum()


def counts_padding(logits: Tensor, target: Tensor) -> Tensor:
    """Padding counts like a word."""
    return F.cross_entropy(logits.mT, target)


def mean_over_all(logits: Tensor, target: Tensor) -> Tensor:
    """Padding adds nothing to the sum, but counts in the number that divides it."""
    return F.cross_entropy(logits.mT, target, ignore_index=0, reduction="none").mean()


def mean_of_sentences(logits: Tensor, target: Tensor) -> Tensor:
    """The mean of each sentence, and then of these: words of short sentences count more."""
    losses = F.cross_entropy(logits.mT, target, ignore_index=0, reduction="none")
    return (losses.sum(dim=1) / (target != 0).sum(dim=1)).mean()


def softmax_twice(logits: Tensor, target: Tensor) -> Tensor:
    """A softmax before `by_pytorch`, which contains one."""
    return F.cross_entropy(logits.softmax(dim=-1).mT, target, ignore_index=0)


def by_view(logits: Tensor, target: Tensor) -> Tensor:
    """`view` swaps the axes: words are compared with the logits of other words."""
    turned = logits.reshape(logits.shape[0], logits.shape[2], logits.shape[1])
    return F.cross_entropy(turned, target, ignore_index=0)


def of_the_place_before(logits: Tensor, target: Tensor) -> Tensor:
    """Each word is compared with the logits of the place before it."""
    return F.cross_entropy(logits.roll(1, dims=1).mT, target, ignore_index=0)


def of_the_first_sentence(logits: Tensor, target: Tensor) -> Tensor:
    """The words of all sentences are compared with the logits of the first."""
    return F.cross_entropy(logits[:1].expand_as(logits).mT, target, ignore_index=0)


def summed(logits: Tensor, target: Tensor) -> Tensor:
    """The sum over the words, not their mean."""
    return F.cross_entropy(logits.mT, target, ignore_index=0, reduction="sum")


BROKEN = (
    always_zero,
    counts_padding,
    mean_over_all,
    mean_of_sentences,
    softmax_twice,
    by_view,
    of_the_place_before,
    of_the_first_sentence,
    summed,
)
PIECE = Piece(
    "translation_loss",
    {
        "written as in this lesson": by_pytorch,
        "batch and sequence in one axis": flattened,
        "the formula, with a mask": by_formula,
        "a log_softmax too many, which changes nothing": log_softmax_too,
        "only the real words, picked out": picked,
        "in float64 until the end": in_float64,
        "the last digit rounded differently": rounded_loss,
        "loops": by_loops,
    },
    BROKEN,
    misuse=shaped(logits="batch seq vocab", target="batch seq"),
)
