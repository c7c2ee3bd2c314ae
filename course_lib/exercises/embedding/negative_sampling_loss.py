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
        "How many scores does a pair have? Which of them should be large, and which small? A score is a dot "
        "product: multiply two rows and sum over the last axis.",
        "The true scores, `true = (center * context).sum(dim=-1)`, have shape (pairs,). Give the center an "
        "axis for the negatives: `false = (center[:, None] * negatives).sum(dim=-1)` has shape (pairs, k).",
        "`F.logsigmoid(true)` should be large, and `F.logsigmoid(-false)` too. The minus is inside.",
        "Sum the terms of a pair's negatives with `.sum(dim=-1)`, and add the true term. The loss is minus "
        "the mean of this over the pairs.",
    ],
    examples=[
        "negative_sampling_loss(torch.tensor([[1.]]), torch.tensor([[2.]]), torch.tensor([[[0.]]]))",
        "negative_sampling_loss(torch.tensor([[1.]]), torch.tensor([[0.]]), torch.tensor([[[2.], [3.]]]))",
        "negative_sampling_loss(torch.tensor([[1., 2.]]), torch.tensor([[3., 1.]]), "
        "torch.tensor([[[1., 0.], [0., 1.]]]))",
        "negative_sampling_loss(torch.tensor([[1.], [2.]]), torch.tensor([[3.], [1.]]), "
        "torch.tensor([[[0.5]], [[-1.]]]))",
        "negative_sampling_loss(torch.tensor([[1.]]), torch.tensor([[-1000.]]), torch.tensor([[[1000.]]]))",
    ],
)


@negative_sampling_loss.reference
def reference(center, context, negatives):
    true = torch.einsum("pd,pd->p", center, context)
    false = torch.einsum("pd,pkd->pk", center, negatives)
    return (F.softplus(-true) + F.softplus(false).sum(dim=-1)).mean()


@negative_sampling_loss.part("the true pairs, in the dtype of the vectors", points=1)
def true_pairs(loss, inputs):
    doubles = inputs.normal(3, 4).double(), inputs.normal(3, 4).double(), torch.zeros(3, 1, 4).double()
    return {
        "loss (all negatives 0):": loss(inputs.normal(5, 6), inputs.normal(5, 6), torch.zeros(5, 1, 6)),
        "loss (all negatives 0, float64):": loss(*doubles),
    }


@negative_sampling_loss.part("the negatives", points=2)
def false_pairs(loss, inputs):
    vectors, first, second = inputs.normal(2, 5, 6), inputs.normal(5, 3, 6), inputs.normal(5, 3, 6)
    # What other negatives change is the same with any context, however the loss adds it up.
    changes = [loss(vectors[0], c, first) - loss(vectors[0], c, second) for c in (vectors[1], 0 * vectors[1])]
    return {
        "change by other negatives, with a context - with context 0:": changes[0] - changes[1],
        "loss (context 0, one negative):": loss(
            inputs.normal(5, 6), torch.zeros(5, 6), inputs.normal(5, 1, 6)
        ),
        "loss (context 0, and one of two negatives too):": loss(
            inputs.normal(5, 6), torch.zeros(5, 6), inputs.normal(5, 2, 6) * torch.tensor([[1.0], [0.0]])
        ),
        "loss (context 0, five negatives):": loss(
            inputs.normal(5, 6), torch.zeros(5, 6), inputs.normal(5, 5, 6)
        ),
    }


def unbounded(values, expected) -> str | None:
    """The loss of a pair that is far off has no bound."""
    loss = next(iter(values.values()))
    if not isinstance(loss, torch.Tensor) or loss.numel() != 1 or not 0 < loss.item() < 900:
        return None
    told = f"At scores of -1000 and 1000 your loss is {loss.item():.4g}, expected 2000. "
    return told + "A number added in the logarithm may bound it, and so may scores that are cut off."


@negative_sampling_loss.part("large scores do no harm", points=1, properties=(unbounded,))
def large_scores(loss, inputs):
    center, far = torch.ones(1, 1), torch.full((1, 1), 1000.0)
    return {"loss (scores -1000 and 1000):": loss(center, -far, far[None])}


@negative_sampling_loss.part("gradients reach center, context and negatives", points=1)
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
