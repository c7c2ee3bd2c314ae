"""masked_mean: one vector a sentence, the mean over its real words (mask True)."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of
from course_lib.checks.properties import apart

masked_mean = Exercise(
    "masked_mean",
    points=6,
    returns=("mean: batch d_model",),
    ready_made=("masked", "embedding_bag", "segment_reduce", "scatter_reduce", "index_reduce"),
    hints=[
        "A mean is a sum over a count. Which entries of `x` may enter the sum, and how many are there in "
        "each sentence?",
        "`mask[:, :, None]` has the shape (batch, seq, 1), so it multiplies every number of a word. "
        "`x * mask[:, :, None]` makes padding 0. Then sum over the words, dim=1.",
        "The count is `mask.sum(dim=1, keepdim=True)`, of shape (batch, 1). With `.clamp(min=1)` it is at "
        "least 1, so the mean of an empty sentence is 0/1 = 0.",
    ],
    examples=[
        "masked_mean(torch.tensor([[[2.], [4.], [9.]]]), torch.tensor([[True, True, False]]))",
        "masked_mean(torch.tensor([[[2.], [5.]]]), torch.tensor([[True, True]]))",
        "masked_mean(torch.tensor([[[2.], [0.]]]), torch.tensor([[True, True]]))",
        "masked_mean(torch.tensor([[[9.], [2.]]]), torch.tensor([[False, True]]))",
        "masked_mean(torch.tensor([[[2., 3.], [4., 5.]], [[6., 7.], [9., 9.]]]), "
        "torch.tensor([[True, True], [True, False]]))",
        "masked_mean(torch.tensor([[[9.]]]), torch.tensor([[False]]))",
        "torch.autograd.functional.jacobian(lambda x: masked_mean(x, torch.tensor([[False]])), "
        "torch.tensor([[[9.]]])).squeeze()",
        "torch.autograd.functional.jacobian(lambda x: masked_mean(x, torch.tensor([[True]])), "
        "torch.tensor([[[9.]]])).squeeze()",
    ],
)


@masked_mean.reference
def reference(x, mask):
    count = mask.sum(dim=1, keepdim=True).clamp(min=1)
    return x.masked_fill(~mask[:, :, None], 0).sum(dim=1) / count


@masked_mean.part("the mean over the real words of each sentence", points=2)
def means(mean, inputs):
    # All sentences have padding, and one has a single word. One word is 0, as many pads are.
    x, mask = inputs.wide(3, 5, 4), torch.arange(5) < torch.tensor([[2], [4], [1]])
    x[0, 0] = 0
    return {
        "mean: batch d_model": mean(x, mask),
        "mean (130 words): batch d_model": mean(inputs.normal(1, 130, 3), inputs.mask(1, 130)),
    }


@masked_mean.part("padding may be anywhere; float64 stays float64", points=1, alone=False)
def anywhere(mean, inputs):
    # The same words in another order, then other numbers in the padding: a wrong count costs nothing here.
    x, mask = inputs.normal(2, 6, 3), torch.arange(6) < torch.tensor([[4], [2]])
    order = torch.tensor([5, 0, 4, 2, 1, 3])
    moved, moved_mask = x[:, order], mask[:, order]
    other = moved + 9 * ~moved_mask[:, :, None]
    first = mean(moved, moved_mask)
    return {
        "change of the mean (padding first): batch d_model": apart(first, mean(x, mask)),
        "change of the mean (other numbers in the padding): batch d_model": apart(
            mean(other, moved_mask), first
        ),
        "change of the mean (one number a word): batch d_model": apart(
            mean(moved[..., :1], moved_mask), first[:, :1]
        ),
        "change of the mean (float64): batch d_model": apart(mean(moved.double(), moved_mask), first),
    }


@masked_mean.part("a sentence without any real word has the mean 0", points=1)
def empty(mean, inputs):
    x = inputs.normal(2, 4, 3).requires_grad_()
    result = mean(x, torch.tensor([[True], [False]]).expand(2, 4))
    found = gradients_of(result, {"x": x})["gradient of x"]["told"]
    return {
        "mean (the second sentence is empty): batch d_model": result,
        "mean (one empty sentence): batch d_model": mean(x[:1].detach(), torch.zeros(1, 4, dtype=torch.bool)),
        "gradient of x": found if "NaN" in found else "no NaN",  # whether it flows is the next part's matter
    }


@masked_mean.part("gradients reach the words", points=1, alone=False)
def gradients(mean, inputs):
    x = inputs.normal(2, 5, 3).requires_grad_()
    return gradients_of(mean(x, torch.arange(5) < torch.tensor([[5], [3]])), {"x": x})


# Accepted: other ways to write the same


@masked_mean.accept("multiplied by the mask")
def multiplied(x, mask):
    real = mask[:, :, None]
    return (x * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)


@masked_mean.accept("sentence by sentence")
def loops(x, mask):
    means = [words[real].mean(0) if real.any() else words[0] * 0 for words, real in zip(x, mask, strict=True)]
    return torch.stack(means)


@masked_mean.accept("weights times vectors")
def weights_times_vectors(x, mask):
    weights = mask.to(x.dtype) / mask.sum(1, keepdim=True).clamp_min(1)  # (batch, seq)
    return torch.einsum("bs,bsd->bd", weights, x)


@masked_mean.accept("a small number in the denominator")
def small_number(x, mask):
    weights = mask.to(x.dtype).unsqueeze(-1)
    return (x * weights).sum(dim=1) / (weights.sum(dim=1) + 1e-9)


@masked_mean.accept("softmax of equal scores")
def equal_scores(x, mask):
    scores = torch.zeros(mask.shape, dtype=x.dtype).masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1) * mask
    return (weights[:, None] @ x).squeeze(1)


@masked_mean.accept("mean of all, corrected")
def corrected(x, mask):
    kept = torch.where(mask[..., None], x, torch.zeros_like(x))
    return kept.mean(dim=1) * mask.shape[1] / mask.sum(dim=1, keepdim=True).clamp(min=1)
