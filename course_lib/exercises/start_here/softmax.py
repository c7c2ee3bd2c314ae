"""softmax over the last axis, of scores of any size."""

import math

import torch

from course_lib.checks.exercise import Exercise, Values
from course_lib.checks.gradients import gradients_of
from course_lib.checks.properties import proper_average, rows_sum_to_one, sharpness, told_of_leaks

softmax = Exercise(
    "softmax",
    points=8,
    returns=("weights: row column",),
    hints=[
        "Which number, subtracted from all scores of a row, makes its largest exponential e⁰ = 1? Each "
        "exponential of the row is then divided by the same factor, and the factor cancels in the fraction.",
        "Subtract from each row its own maximum: `scores.amax(dim=-1, keepdim=True)`. With `keepdim=True` "
        "the maxima stay in a column, so each is subtracted from its own row.",
        "Compute `exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))`. Then divide each "
        "row by its sum, `exponentials.sum(dim=-1, keepdim=True)`.",
    ],
    examples=[
        "softmax(torch.tensor([[0., 1.]]))",
        "softmax(torch.tensor([[0., 1.], [2., 4.]]))",
        "softmax(torch.tensor([[1000., 1000., 999.]]))",
        "softmax(torch.tensor([[100., 0.]]))",
        "softmax(torch.tensor([[1000., 0.]]))",
        "softmax(torch.tensor([[-1000., -1000.]]))",
        "softmax(torch.tensor([[80., 81.], [-60., -60.]]))",
        "softmax(torch.tensor([[1000., 1001.], [0., 0.]]))",
        "softmax(torch.tensor([[[0., 1.]], [[2., 4.]]]))",
        "softmax(torch.tensor([[[0., 1.], [2., 4.]]]))",
        "torch.autograd.functional.jacobian(softmax, torch.tensor([[0., 1.]])).squeeze()",
    ],
    ready_made=("softmax", "log_softmax", "softmin"),
)


def nearly_one(values: Values, expected: Values) -> str | None:
    """Rows that sum to 0.9992, as with a number that is added to the sum."""
    for sums in (x.sum(-1) for x in values.values() if isinstance(x, torch.Tensor) and x.dim()):
        if (off := (sums - 1).abs() > 2e-5).any():
            return f"A row of your weights sums to {sums[off][0]:.5g}, not to 1: look at what you divide by."
    return None


WEIGHTS = (rows_sum_to_one("weights"), nearly_one, sharpness("weights"), proper_average("weights"))


@softmax.reference
def reference(scores):
    return torch.softmax(scores, dim=-1)


@softmax.part("each row of weights sums to 1, in proportion to exp(score)", points=2, properties=WEIGHTS)
def rows(softmax, inputs):
    return {
        "weights: row column": softmax(inputs.normal(3, 5)),
        "weights (long rows): row column": softmax(inputs.normal(2, 130)),
    }


# In the tables below rows and columns hold the same numbers, so a slip in the axis costs no point there.


def table(a: float, b: float, c: float) -> torch.Tensor:
    return torch.tensor([[a, b, c], [b, c, a], [c, a, b]])


@softmax.part("large scores do no harm", points=1, properties=WEIGHTS)
def large_scores(softmax, inputs):
    return {
        "weights: row column": softmax(table(1000.0, 1000.0, 999.0)),
        "weights (one score is a thousand above the rest): row column": softmax(table(1000.0, 0.0, 1.0)),
        "weights (one score is a hundred above the rest): row column": softmax(table(100.0, 0.0, 1.0)),
        "weights (scores far below zero): row column": softmax(table(-1000.0, -1000.0, -1001.0)),
    }


@softmax.part("a score of minus infinity gets the weight 0", points=1, properties=WEIGHTS)
def minus_infinity(softmax, inputs):
    weights, hidden = softmax(table(-torch.inf, 0.0, 1.0)), table(-torch.inf, 0.0, 1.0) == -torch.inf
    return {
        "weights: row column": weights,
        "hidden": told_of_leaks(weights, hidden, "A score of minus infinity"),
    }


@softmax.part("rows of very different size do not disturb each other", points=1, properties=WEIGHTS)
def own_maximum(softmax, inputs):
    # exp stays finite everywhere, so only what one row does to another can go wrong
    apart = torch.tensor([[400.0, 401.0, 399.0], [-400.0, -401.0, -399.0]], dtype=torch.float64)
    return {
        "weights: row column": softmax(torch.tensor([[80.0, 81.0, 79.0], [-60.0, -61.0, -59.0]])),
        "weights (further apart, float64): row column": softmax(apart),
    }


@softmax.part("more axes may come before the last", points=1, properties=WEIGHTS)
def more_axes(softmax, inputs):
    return {
        "weights: batch row column": softmax(inputs.normal(3, 4, 7)),
        "weights (with heads, float64): batch head row column": softmax(inputs.normal(3, 2, 4, 5).double()),
    }


@softmax.part("gradients reach the scores", points=1, alone=False)
def gradients(softmax, inputs):
    scores = inputs.normal(2, 4, 6).requires_grad_()
    return gradients_of(softmax(scores), {"scores": scores})


# Accepted: other ways to write the same


@softmax.accept("maximum with its own axis")
def unsqueezed(scores):
    exponentials = (scores - scores.max(dim=-1).values.unsqueeze(-1)).exp()
    return exponentials / exponentials.sum(-1)[..., None]


@softmax.accept("in the logarithm")
def by_logarithm(scores):
    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))


@softmax.accept("each row by itself")
def loops(scores):
    rows = [torch.exp(row - row.max()) for row in scores.reshape(-1, scores.shape[-1])]
    return torch.stack([row / row.sum() for row in rows]).reshape(scores.shape)


@softmax.accept("a small number in the denominator, after subtracting the maximum")
def with_epsilon(scores):
    largest, _ = torch.max(scores, -1, keepdim=True)
    exponentials = torch.exp(scores - largest.detach())
    return exponentials / (exponentials.sum(-1, keepdim=True) + 1e-9)


@softmax.accept("divided in the exponent's base 2")
def base_two(scores):
    powers = torch.exp2((scores - scores.amax(-1, keepdim=True)) / math.log(2))
    return powers / powers.sum(-1, keepdim=True)


@softmax.accept("ratios of all pairs")
def pairs(scores):
    finite = scores.clamp(min=-1e30)
    differences = finite[..., None, :] - finite[..., :, None]  # score j minus score i
    return torch.exp(-torch.logsumexp(differences, dim=-1))
