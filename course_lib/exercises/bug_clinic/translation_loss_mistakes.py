"""Wrong answers to translation_loss: name, advice, code."""

import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("T9")
def counts_padding(logits, target):
    """Padding is graded like a word: leave it out, with `ignore_index=0`."""
    return F.cross_entropy(logits.mT, target)


@mistake("T10")
def ignores_one(logits, target):
    """You leave out id 1, but padding is id 0."""
    return F.cross_entropy(logits.mT, target, ignore_index=1)


@mistake("T11")
def mean_over_all(logits, target):
    """Padding adds nothing to the sum, but you divide by its number too: divide by real words."""
    return F.cross_entropy(logits.mT, target, ignore_index=0, reduction="none").mean()


@mistake("T12")
def mean_of_sentences(logits, target):
    """You average sentence by sentence, so words of short ones count more: average words."""
    losses = F.cross_entropy(logits.mT, target, ignore_index=0, reduction="none")
    return (losses.sum(dim=1) / (target != 0).sum(dim=1)).mean()


@mistake("T14")
def softmax_twice(logits, target):
    """`F.cross_entropy` contains a softmax already. Give it the logits themselves."""
    return F.cross_entropy(logits.softmax(dim=-1).mT, target, ignore_index=0)


@mistake("T17")
def by_view(logits, target):
    """`view` reads the same numbers in other rows: words meet the logits of others. Swap the axes, with
    `logits.mT`.
    """
    turned = logits.reshape(logits.shape[0], logits.shape[2], logits.shape[1])
    return F.cross_entropy(turned, target, ignore_index=0)


@mistake("T24")
def no_logarithm(logits, target):
    """`F.nll_loss` wants logarithms: give it `log_softmax`, or use `F.cross_entropy`."""
    return F.nll_loss(logits.softmax(dim=-1).mT, target, ignore_index=0)


@mistake
def smoothed(logits, target):
    """Label smoothing was not asked: the right word alone counts."""
    return F.cross_entropy(logits.mT, target, ignore_index=0, label_smoothing=0.1)


@mistake
def zero_logits_at_padding(logits, target):
    """Logits of 0 are no way to leave out padding: they say that all words are alike, which costs ln(vocab).
    Use `ignore_index=0`.
    """
    return F.cross_entropy((logits * (target != 0).unsqueeze(-1)).mT, target)


@mistake
def by_sentences(logits, target):
    """You divide by the number of sentences: divide by that of real words."""
    return F.cross_entropy(logits.mT, target, ignore_index=0, reduction="sum") / len(target)


@mistake
def summed(logits, target):
    """The sum grows with the batch: return the mean."""
    return F.cross_entropy(logits.mT, target, ignore_index=0, reduction="sum")


@mistake
def as_number(logits, target):
    """`.item()` cuts the gradient and gives a number: return the tensor."""
    return F.cross_entropy(logits.mT, target, ignore_index=0).item()
