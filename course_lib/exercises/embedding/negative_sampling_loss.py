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
    return {"loss (all negatives 0):": loss(inputs.normal(5, 6), inputs.normal(5, 6), torch.zeros(5, 1, 6))}


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
