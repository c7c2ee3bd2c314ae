"""negative_sampling_loss: tell a true pair from pairs with words drawn by chance (Mikolov et al. 2013)."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of

negative_sampling_loss = Exercise(
    "negative_sampling_loss",
    points=6,
    returns=("loss:",),
    hints=[
        "Dot products of rows: `true = (center * context).sum(dim=-1)` has shape (pairs,).",
        "Give the center an axis for the negatives: "
        "`false = (center[:, None] * negatives).sum(dim=-1)` has shape (pairs, negatives).",
        "`F.logsigmoid(true)` should be large, and `F.logsigmoid(-false)` too: the minus stands inside.",
        "Sum the negatives of a pair (`.sum(dim=-1)`), add the true term, take minus the mean over pairs.",
    ],
    examples=[
        "negative_sampling_loss(torch.tensor([[1.]]), torch.tensor([[2.]]), torch.tensor([[[0.]]]))",
        "negative_sampling_loss(torch.tensor([[1.]]), torch.tensor([[0.]]), torch.tensor([[[2.], [3.]]]))",
        "negative_sampling_loss(torch.tensor([[1., 2.]]), torch.tensor([[3., 1.]]), "
        "torch.tensor([[[1., 0.], [0., 1.]]]))",
        "negative_sampling_loss(torch.tensor([[1.], [2.]]), torch.tensor([[3.], [1.]]), "
        "torch.tensor([[[0.5]], [[-1.]]]))",
        "negative_sampling_loss(torch.tensor([[1.]]), torch.tensor([[-200.]]), torch.tensor([[[200.]]]))",
    ],
)


@negative_sampling_loss.reference
def reference(center, context, negatives):
    true = torch.einsum("pd,pd->p", center, context)
    false = torch.einsum("pd,pkd->pk", center, negatives)
    return (F.softplus(-true) + F.softplus(false).sum(dim=-1)).mean()


@negative_sampling_loss.part("the true pairs", points=1)
def true_pairs(loss, inputs):
    return {"loss (all negatives 0):": loss(inputs.normal(5, 6), inputs.normal(5, 6), torch.zeros(5, 3, 6))}


@negative_sampling_loss.part("the negatives", points=2)
def false_pairs(loss, inputs):
    return {
        "loss (context 0, one negative):": loss(
            inputs.normal(5, 6), torch.zeros(5, 6), inputs.normal(5, 1, 6)
        ),
        "loss (context 0, three negatives):": loss(
            inputs.normal(5, 6), torch.zeros(5, 6), inputs.normal(5, 3, 6)
        ),
    }


@negative_sampling_loss.part("large scores do no harm", points=1)
def large_scores(loss, inputs):
    center = torch.ones(1, 1)
    return {
        "loss (scores -200 and 200):": loss(center, torch.full((1, 1), -200.0), torch.full((1, 1, 1), 200.0))
    }


@negative_sampling_loss.part("gradients reach all three", points=1)
def gradients(loss, inputs):
    leaves = {
        "center": inputs.normal(5, 6),
        "context": inputs.normal(5, 6),
        "negatives": inputs.normal(5, 3, 6),
    }
    return gradients_of(loss(*(leaf.requires_grad_() for leaf in leaves.values())), leaves)


# Accepted: other ways to write the same


@negative_sampling_loss.accept("logsigmoid")
def logsigmoid(center, context, negatives):
    true = (center * context).sum(dim=-1)
    false = (center[:, None] * negatives).sum(dim=-1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


@negative_sampling_loss.accept("binary cross-entropy with logits")
def cross_entropy(center, context, negatives):
    candidates = torch.cat([context[:, None], negatives], dim=1)
    scores = torch.bmm(candidates, center[:, :, None]).squeeze(-1)
    labels = torch.zeros_like(scores)
    labels[:, 0] = 1
    return F.binary_cross_entropy_with_logits(scores, labels, reduction="sum") / len(center)


@negative_sampling_loss.accept("loops over pairs")
def loops(center, context, negatives):
    total = 0
    for c, o, others in zip(center, context, negatives, strict=True):
        total = total - F.logsigmoid(c @ o)
        for other in others:
            total = total - F.logsigmoid(-(c @ other))
    return total / len(center)


@negative_sampling_loss.accept("matrix products and logaddexp")
def logaddexp(center, context, negatives):
    zero = torch.zeros(())
    true, false = (center * context).sum(1), (negatives @ center.unsqueeze(-1)).squeeze(-1)
    return torch.logaddexp(zero, -true).mean() + torch.logaddexp(zero, false).sum(1).mean()


# Mistakes


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
