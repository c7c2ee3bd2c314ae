"""Wrong answers to negative_sampling_loss: name, advice, code."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.embedding.negative_sampling_loss import reference

mistake = Mistakes()


def scores(center, context, negatives):
    return (center * context).sum(dim=-1), (center[:, None] * negatives).sum(dim=-1)


@mistake
def no_minus(center, context, negatives):
    """The minus before the whole is missing: a loss falls when the true pairs get likelier."""
    return -reference(center, context, negatives)


@mistake
def negatives_as_true(center, context, negatives):
    """You pull the negatives near, too. Their scores need a minus, inside: `F.logsigmoid(-scores)`."""
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(false).sum(dim=-1)).mean()


@mistake
def signs_swapped(center, context, negatives):
    """The signs are swapped: you push the true pairs apart and pull the negatives near."""
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(-true) + F.logsigmoid(false).sum(dim=-1)).mean()


@mistake
def true_pushed(center, context, negatives):
    """You push the true pairs apart, as the negatives. Their score has no minus: `F.logsigmoid(scores)`."""
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(-true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake
def summed_over_negatives(center, context, negatives):
    """Your product with the negatives is summed over the negatives. A dot product sums over the last axis,
    d_model.
    """
    true, false = (center * context).sum(dim=-1), (center[:, None] * negatives).sum(dim=1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake
def minus_outside(center, context, negatives):
    """The minus belongs inside: 1 - σ(x) is σ(-x), but -log σ(x) is not log σ(-x)."""
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) - F.logsigmoid(false).sum(dim=-1)).mean()


@mistake
def mean_of_negatives(center, context, negatives):
    """Sum over the negatives of a pair; the mean is over the pairs only."""
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).mean(dim=-1)).mean()


@mistake
def mean_of_all(center, context, negatives):
    """You take the mean over all scores: sum within a pair, then take the mean over pairs."""
    return reference(center, context, negatives) / (1 + negatives.shape[1])


@mistake
def sum_over_pairs(center, context, negatives):
    """Take the mean over the pairs: with the sum a larger batch would take larger steps."""
    return reference(center, context, negatives) * len(center)


@mistake
def one_per_pair(center, context, negatives):
    """The losses of all pairs stand side by side: `.mean()` makes one number, as `backward` needs."""
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1))


@mistake
def log_of_sigmoid(center, context, negatives):
    """At a score of -1000 the sigmoid is 0 and its logarithm minus infinity. `F.logsigmoid` takes both steps
    at once and stays finite.
    """
    true, false = scores(center, context, negatives)
    return -(torch.sigmoid(true).log() + torch.sigmoid(-false).log().sum(dim=-1)).mean()


@mistake(mentions="log")
def log_with_epsilon(center, context, negatives):
    """A small number that keeps the logarithm finite bounds the loss: gradients stop where it errs most.
    `F.logsigmoid` needs none.
    """
    true, false = scores(center, context, negatives)
    epsilon = 1e-9
    return -(
        torch.log(torch.sigmoid(true) + epsilon) + torch.log(1 - torch.sigmoid(false) + epsilon).sum(dim=-1)
    ).mean()


@mistake
def true_only(center, context, negatives):
    """The negatives are missing. Without them the best answer is one long vector for all words."""
    return -F.logsigmoid(scores(center, context, negatives)[0]).mean()


@mistake
def false_only(center, context, negatives):
    """The true pair is missing: only the negatives count here."""
    return -F.logsigmoid(-scores(center, context, negatives)[1]).sum(dim=-1).mean()


@mistake
def softmax(center, context, negatives):
    """A softmax lets the candidates compete: that is another loss. Here each pair is a yes or no of its own,
    by a sigmoid.
    """
    true, false = scores(center, context, negatives)
    return -torch.cat([true[:, None], false], dim=1).log_softmax(dim=1)[:, 0].mean()


@mistake
def no_logarithm(center, context, negatives):
    """The logarithm is missing: these are probabilities."""
    true, false = scores(center, context, negatives)
    return -(torch.sigmoid(true) + torch.sigmoid(-false).sum(dim=-1)).mean()


@mistake
def negatives_against_context(center, context, negatives):
    """The negatives are scored against the center, not against the context."""
    true, false = (center * context).sum(dim=-1), (context[:, None] * negatives).sum(dim=-1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake(mentions=r"@|matmul|\b(b?mm|einsum)\(")
def every_context(center, context, negatives):
    """`center @ context.T` scores every center with every context. A pair is one row of each: multiply and
    sum over the last axis.
    """
    true, false = center @ context.T, (center[:, None] * negatives).sum(dim=-1)
    return -(F.logsigmoid(true).mean(dim=-1) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake
def no_axis_for_negatives(center, context, negatives):
    """The center needs an axis for the negatives: `center[:, None]` has shape (pairs, 1, d_model) and meets
    each of them.
    """
    true, false = (center * context).sum(dim=-1), (center * negatives).sum(dim=-1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake
def mean_over_d_model(center, context, negatives):
    """A dot product is the sum over d_model, not the mean."""
    true, false = (center * context).mean(dim=-1), (center[:, None] * negatives).mean(dim=-1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake
def cosines(center, context, negatives):
    """Plain dot products here: cosines lie between -1 and 1, and no pair could become certain."""
    normal = (F.normalize(tensor, dim=-1) for tensor in (center, context, negatives))
    return reference(*normal)


@mistake
def summed_over_everything(center, context, negatives):
    """You add the true scores of all pairs together: `.sum(dim=-1)` keeps one score a pair."""
    true, false = (center * context).sum(), (center[:, None] * negatives).sum(dim=-1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake
def subtracts_the_negatives(center, context, negatives):
    """One minus too many: the term of the negatives, `F.logsigmoid` of minus their scores, is added."""
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) - F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake(mentions=r"@|matmul|\b(b?mm|einsum)\(")
def every_pairs_negatives(center, context, negatives):
    """`center @ negatives.mT` scores every center with the negatives of every pair. Give the center an axis
    of its own: `center[:, None]`.
    """
    true, false = (center * context).sum(dim=-1), center @ negatives.mT
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake
def summed_scores(center, context, negatives):
    """Each negative is a question of its own: take `logsigmoid` of each score, then the sum."""
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(-false.sum(dim=-1))).mean()


@mistake
def one_minus_the_score(center, context, negatives):
    """1 - σ(x) is σ(-x): the minus goes to the score, `F.logsigmoid(-score)`, and no 1 is left."""
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(1 - false).sum(dim=-1)).mean()


@mistake
def one_minus_the_logarithm(center, context, negatives):
    """1 - σ(x) is σ(-x), but 1 - log σ(x) is not its logarithm: `F.logsigmoid(-score)`."""
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + (1 - F.logsigmoid(false)).sum(dim=-1)).mean()
