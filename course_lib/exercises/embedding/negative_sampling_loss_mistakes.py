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
    """The minus before the whole loss is missing. A loss must fall when the true pairs become more likely."""
    return -reference(center, context, negatives)


@mistake
def negatives_as_true(center, context, negatives):
    """You pull the negatives nearer too. Put a minus before their scores, inside: `F.logsigmoid(-scores)`."""
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(false).sum(dim=-1)).mean()


@mistake
def signs_swapped(center, context, negatives):
    """The signs are swapped: you push the true pairs apart and pull the negatives near. Use
    `F.logsigmoid(scores)` for the true pairs and `F.logsigmoid(-scores)` for the negatives.
    """
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(-true) + F.logsigmoid(false).sum(dim=-1)).mean()


@mistake
def true_pushed(center, context, negatives):
    """You push the true pairs apart, as if they were negatives. Their score has no minus:
    `F.logsigmoid(scores)`.
    """
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(-true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake
def summed_over_negatives(center, context, negatives):
    """You sum your product over the negatives. A dot product sums over the last axis, d_model."""
    true, false = (center * context).sum(dim=-1), (center[:, None] * negatives).sum(dim=1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake
def minus_outside(center, context, negatives):
    """Your minus is outside of the logarithm, and -log σ(x) is not log σ(-x). Put it inside, because 1 - σ(x)
    is σ(-x).
    """
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) - F.logsigmoid(false).sum(dim=-1)).mean()


@mistake
def mean_of_negatives(center, context, negatives):
    """You take the mean over the negatives of a pair. Sum over them, and take the mean only over the
    pairs.
    """
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).mean(dim=-1)).mean()


@mistake
def mean_of_all(center, context, negatives):
    """You take the mean over all scores. Sum within each pair, and then take the mean over the pairs."""
    return reference(center, context, negatives) / (1 + negatives.shape[1])


@mistake
def sum_over_pairs(center, context, negatives):
    """You sum over the pairs, so a larger batch would take larger steps. Take the mean over the pairs."""
    return reference(center, context, negatives) * len(center)


@mistake
def one_per_pair(center, context, negatives):
    """You return one loss for each pair, but `backward` needs one number. Use `.mean()`."""
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1))


@mistake
def log_of_sigmoid(center, context, negatives):
    """At a score of -1000 the sigmoid is 0, at 1000 it is 1, and the logarithm of 0 is minus infinity.
    `F.logsigmoid` computes both steps at once and stays finite.
    """
    true, false = scores(center, context, negatives)
    return -(torch.sigmoid(true).log() + torch.sigmoid(-false).log().sum(dim=-1)).mean()


@mistake(mentions="log")
def log_with_epsilon(center, context, negatives):
    """Your small number keeps the logarithm finite, but it also bounds the loss, so the gradient vanishes for
    the worst scores. `F.logsigmoid` needs no such number.
    """
    true, false = scores(center, context, negatives)
    epsilon = 1e-9
    return -(
        torch.log(torch.sigmoid(true) + epsilon) + torch.log(1 - torch.sigmoid(false) + epsilon).sum(dim=-1)
    ).mean()


@mistake
def true_only(center, context, negatives):
    """The negatives are missing. Without them the loss is smallest when all words share one long vector."""
    return -F.logsigmoid(scores(center, context, negatives)[0]).mean()


@mistake
def false_only(center, context, negatives):
    """The true pair is missing. Your loss counts only the negatives."""
    return -F.logsigmoid(-scores(center, context, negatives)[1]).sum(dim=-1).mean()


@mistake
def softmax(center, context, negatives):
    """A softmax makes the candidates compete, which is another loss. Here each pair is a separate yes-or-no
    question, answered by a sigmoid.
    """
    true, false = scores(center, context, negatives)
    return -torch.cat([true[:, None], false], dim=1).log_softmax(dim=1)[:, 0].mean()


@mistake
def no_logarithm(center, context, negatives):
    """You add probabilities. Take the logarithm of each."""
    true, false = scores(center, context, negatives)
    return -(torch.sigmoid(true) + torch.sigmoid(-false).sum(dim=-1)).mean()


@mistake
def negatives_against_context(center, context, negatives):
    """You score the negatives against the context. Score them against the center."""
    true, false = (center * context).sum(dim=-1), (context[:, None] * negatives).sum(dim=-1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake(mentions=r"@|matmul|\b(b?mm|einsum)\(")
def every_context(center, context, negatives):
    """`center @ context.T` scores every center with every context. A pair is one row of each, so multiply the
    rows and sum over the last axis.
    """
    true, false = center @ context.T, (center[:, None] * negatives).sum(dim=-1)
    return -(F.logsigmoid(true).mean(dim=-1) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake
def no_axis_for_negatives(center, context, negatives):
    """The center needs an axis for the negatives. `center[:, None]` has the shape (pairs, 1, d_model), so it
    meets each of them.
    """
    true, false = (center * context).sum(dim=-1), (center * negatives).sum(dim=-1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake
def mean_over_d_model(center, context, negatives):
    """You take the mean over d_model. A dot product is the sum over d_model."""
    true, false = (center * context).mean(dim=-1), (center[:, None] * negatives).mean(dim=-1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake
def cosines(center, context, negatives):
    """You use cosines, which lie between -1 and 1, so no pair could become certain. Use plain dot
    products.
    """
    normal = (F.normalize(tensor, dim=-1) for tensor in (center, context, negatives))
    return reference(*normal)


@mistake
def summed_over_everything(center, context, negatives):
    """You add the true scores of all pairs together. `.sum(dim=-1)` keeps one score for each pair."""
    true, false = (center * context).sum(), (center[:, None] * negatives).sum(dim=-1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake
def subtracts_the_negatives(center, context, negatives):
    """Your two terms have opposite signs. Add them, `F.logsigmoid` of the true score and of minus each
    negative's score, and put one minus in front of the sum.
    """
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) - F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake(mentions=r"@|matmul|\b(b?mm|einsum)\(")
def every_pairs_negatives(center, context, negatives):
    """`center @ negatives.mT` scores every center with the negatives of every pair. Give the center an axis
    for its own negatives: `center[:, None]`.
    """
    true, false = (center * context).sum(dim=-1), center @ negatives.mT
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@mistake
def summed_scores(center, context, negatives):
    """You sum the scores of the negatives first. Each negative is a separate question, so take `logsigmoid`
    of each score, and then sum.
    """
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(-false.sum(dim=-1))).mean()


@mistake
def one_minus_the_score(center, context, negatives):
    """1 - σ(x) is σ(-x). So put the minus before the score, `F.logsigmoid(-score)`, and leave out the 1."""
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(1 - false).sum(dim=-1)).mean()


@mistake
def one_minus_the_logarithm(center, context, negatives):
    """1 - σ(x) is σ(-x), but 1 - log σ(x) is not its logarithm. Use `F.logsigmoid(-score)`."""
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + (1 - F.logsigmoid(false)).sum(dim=-1)).mean()
