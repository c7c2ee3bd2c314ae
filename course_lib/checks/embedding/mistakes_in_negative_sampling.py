"""What goes wrong in negative_sampling_loss: signs, sums and means, dot products, the logarithm."""

import torch
import torch.nn.functional as F

from course_lib.checks.embedding.negative_sampling import negative_sampling_loss, reference


def scores(center, context, negatives):
    return (center * context).sum(dim=-1), (center[:, None] * negatives).sum(dim=-1)


@negative_sampling_loss.mistake(
    "J1", advice="The minus before the whole is missing: a loss falls when the true pairs get likelier."
)
def no_minus(center, context, negatives):
    return -reference(center, context, negatives)


@negative_sampling_loss.mistake(
    "J2", advice="You pull the negatives near, too. Their score needs a minus: `F.logsigmoid(-false)`."
)
def negatives_as_true(center, context, negatives):
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(false).sum(dim=-1)).mean()


@negative_sampling_loss.mistake(
    "J3", advice="The minus belongs inside: 1 - σ(x) is σ(-x), but -log σ(x) is not log σ(-x)."
)
def minus_outside(center, context, negatives):
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) - F.logsigmoid(false).sum(dim=-1)).mean()


@negative_sampling_loss.mistake(
    "J4", advice="Sum over the negatives of a pair; the mean is over the pairs only."
)
def mean_of_negatives(center, context, negatives):
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).mean(dim=-1)).mean()


@negative_sampling_loss.mistake(
    "J5", advice="You take the mean over all scores: sum within a pair, then take the mean over pairs."
)
def mean_of_all(center, context, negatives):
    return reference(center, context, negatives) / (1 + negatives.shape[1])


@negative_sampling_loss.mistake(
    "J6", advice="Take the mean over the pairs: with the sum a larger batch would take larger steps."
)
def sum_over_pairs(center, context, negatives):
    return reference(center, context, negatives) * len(center)


@negative_sampling_loss.mistake(
    "J7",
    advice="The losses of all pairs stand side by side: `.mean()` makes one number, as `backward` needs.",
)
def one_per_pair(center, context, negatives):
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1))


@negative_sampling_loss.mistake(
    "J8",
    advice="At a score of -200 the sigmoid is 0 and its logarithm minus infinity. `F.logsigmoid` takes both "
    "steps at once and stays finite.",
)
def log_of_sigmoid(center, context, negatives):
    true, false = scores(center, context, negatives)
    return -(torch.sigmoid(true).log() + torch.sigmoid(-false).log().sum(dim=-1)).mean()


@negative_sampling_loss.mistake(
    "J9",
    advice="A small number added in the logarithm bounds the loss: gradients stop where it errs most. "
    "`F.logsigmoid` needs none.",
)
def log_with_epsilon(center, context, negatives):
    true, false = scores(center, context, negatives)
    epsilon = 1e-9
    return -(
        torch.log(torch.sigmoid(true) + epsilon) + torch.log(1 - torch.sigmoid(false) + epsilon).sum(dim=-1)
    ).mean()


@negative_sampling_loss.mistake(
    "J10", advice="The negatives are missing. Without them the best answer is one long vector for all words."
)
def true_only(center, context, negatives):
    return -F.logsigmoid(scores(center, context, negatives)[0]).mean()


@negative_sampling_loss.mistake("J11", advice="The true pair is missing: only the negatives count here.")
def false_only(center, context, negatives):
    return -F.logsigmoid(-scores(center, context, negatives)[1]).sum(dim=-1).mean()


@negative_sampling_loss.mistake(
    "J12",
    advice="A softmax lets the candidates compete: that is another loss. Here each pair is a yes or no of "
    "its own, by a sigmoid.",
)
def softmax(center, context, negatives):
    true, false = scores(center, context, negatives)
    return -torch.cat([true[:, None], false], dim=1).log_softmax(dim=1)[:, 0].mean()


@negative_sampling_loss.mistake("J13", advice="The logarithm is missing: these are probabilities.")
def no_logarithm(center, context, negatives):
    true, false = scores(center, context, negatives)
    return -(torch.sigmoid(true) + torch.sigmoid(-false).sum(dim=-1)).mean()


@negative_sampling_loss.mistake(
    "J14", advice="The negatives are scored against the center, not against the context."
)
def negatives_against_context(center, context, negatives):
    true, false = (center * context).sum(dim=-1), (context[:, None] * negatives).sum(dim=-1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@negative_sampling_loss.mistake(
    "J15",
    advice="`center @ context.T` scores every center with every context. A pair is one row of each: multiply "
    "and sum over the last axis.",
)
def every_context(center, context, negatives):
    true, false = center @ context.T, (center[:, None] * negatives).sum(dim=-1)
    return -(F.logsigmoid(true).mean(dim=-1) + F.logsigmoid(-false).sum(dim=-1)).mean()


@negative_sampling_loss.mistake(
    "J18",
    advice="The center needs an axis for the negatives: `center[:, None]` has shape (pairs, 1, d_model) and "
    "meets each of them.",
)
def no_axis_for_negatives(center, context, negatives):
    true, false = (center * context).sum(dim=-1), (center * negatives).sum(dim=-1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@negative_sampling_loss.mistake("J16", advice="A dot product is the sum over d_model, not the mean.")
def mean_over_d_model(center, context, negatives):
    true, false = (center * context).mean(dim=-1), (center[:, None] * negatives).mean(dim=-1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@negative_sampling_loss.mistake(
    "J17", advice="Plain dot products here: cosines lie between -1 and 1, and no pair could become certain."
)
def cosines(center, context, negatives):
    normal = (F.normalize(tensor, dim=-1) for tensor in (center, context, negatives))
    return reference(*normal)


@negative_sampling_loss.mistake(
    "J19", advice="`.sum()` without `dim` adds all pairs together: `.sum(dim=-1)` keeps one score a pair."
)
def summed_over_everything(center, context, negatives):
    true, false = (center * context).sum(), (center[:, None] * negatives).sum(dim=-1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@negative_sampling_loss.mistake(
    "J20", advice="One minus too many: the term of the negatives, `F.logsigmoid(-false)`, is added."
)
def subtracts_the_negatives(center, context, negatives):
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) - F.logsigmoid(-false).sum(dim=-1)).mean()


@negative_sampling_loss.mistake(
    "J15",
    advice="`center @ negatives.mT` scores every center with the negatives of every pair. Give the center an "
    "axis of its own: `center[:, None]`.",
)
def every_pairs_negatives(center, context, negatives):
    true, false = (center * context).sum(dim=-1), center @ negatives.mT
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@negative_sampling_loss.mistake(
    "J21", advice="Each negative is a question of its own: take `logsigmoid` of each score, then the sum."
)
def summed_scores(center, context, negatives):
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(-false.sum(dim=-1))).mean()


@negative_sampling_loss.mistake(
    "J3", advice="1 - σ(x) is σ(-x): the minus goes to the score, `F.logsigmoid(-false)`, and no 1 is left."
)
def one_minus_the_score(center, context, negatives):
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + F.logsigmoid(1 - false).sum(dim=-1)).mean()


@negative_sampling_loss.mistake(
    "J3", advice="1 - σ(x) is σ(-x), but 1 - log σ(x) is not its logarithm: `F.logsigmoid(-false)`."
)
def one_minus_the_logarithm(center, context, negatives):
    true, false = scores(center, context, negatives)
    return -(F.logsigmoid(true) + (1 - F.logsigmoid(false)).sum(dim=-1)).mean()
