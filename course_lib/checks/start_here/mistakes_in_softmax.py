"""What learners write for softmax when overflow, axes or the division go wrong."""

import math

import torch

from course_lib.checks.start_here.softmax import softmax

mistake = softmax.mistake


@mistake(
    "A14",
    advice="The formula is right, the machine is not: exp of a large score is infinity, and infinity over "
    "infinity is NaN. Make the scores smaller before exp, in a way that does not change the weights.",
)
def naive(scores):
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(
    "S1",
    advice="You subtract the largest score of the whole table. In a row far below it every exponential "
    "becomes 0, and 0/0 is NaN. Each row needs its own: `scores.amax(dim=-1, keepdim=True)`.",
)
def global_maximum(scores):
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(
    "S2",
    advice="You subtract the smallest score of the row, which leaves the largest too large for exp. "
    "Subtract the maximum.",
)
def minimum(scores):
    exponentials = torch.exp(scores - scores.amin(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(
    "S3",
    advice="You subtract the mean of the row. A score far above the mean is still too large for exp, and "
    "with a score of minus infinity the mean is no number. Subtract the maximum.",
)
def mean(scores):
    exponentials = torch.exp(scores - scores.mean(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(
    "S4",
    advice="You subtract the maximum above the fraction bar only; it cancels when it is subtracted below "
    "too: compute the exponentials once, then divide them by their sum.",
)
def maximum_above_only(scores):
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / torch.exp(scores).sum(dim=-1, keepdim=True)


@mistake(
    "S5",
    advice="You divide the scores by their maximum, and that changes the weights. Subtract it: only a "
    "difference cancels in the fraction.",
)
def divided_by_maximum(scores):
    exponentials = torch.exp(scores / scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(
    "S6",
    advice="Cutting large scores off makes them equal. Subtract the maximum of the row: it keeps their "
    "differences.",
)
def clamped(scores):
    exponentials = torch.exp(scores.clamp(-80, 80))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(
    "S7",
    advice="A small number below the fraction bar hides 0/0, but then the row sums to 0, and infinity over "
    "infinity stays NaN. Subtract the maximum of the row; then the sum is at least 1.",
)
def epsilon(scores):
    exponentials = torch.exp(scores)
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + 1e-9)


@mistake(
    "M17",
    advice="`nan_to_num` hides the NaN, and the weights of that row are lost. Subtract the maximum of the "
    "row, then no NaN arises.",
)
def hidden_nan(scores):
    exponentials = torch.exp(scores)
    return torch.nan_to_num(exponentials / exponentials.sum(dim=-1, keepdim=True))


@mistake(
    "S9",
    advice="With `dim`, `max` gives two things, the values and where they stand. Take `.values`, or call "
    "`amax`, which gives the values alone.",
)
def pair_of_maximum(scores):
    exponentials = torch.exp(scores - scores.max(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(
    "A13",
    advice="The exponential is missing: it makes every share positive. Divide exp(score) by the sum of all "
    "exp(score) of the row.",
)
def no_exp(scores):
    return scores / scores.sum(dim=-1, keepdim=True)


@mistake("A13", advice="These are exponentials; divide each row by its sum, so that it sums to 1.")
def not_divided(scores):
    return torch.exp(scores - scores.amax(dim=-1, keepdim=True))


@mistake("A13", advice="These are exponentials; divide each row by its sum, so that it sums to 1.")
def naive_not_divided(scores):
    return torch.exp(scores)


@mistake("A13", advice="These are the logarithms of the weights: `exp` of them is what is asked.")
def logarithm(scores):
    return scores - torch.logsumexp(scores, dim=-1, keepdim=True)


@mistake(
    "S10",
    advice="This gives everything to the largest score: a hard maximum. The soft one gives each score its "
    "share.",
)
def hard(scores):
    return (scores == scores.amax(dim=-1, keepdim=True)).float()


@mistake(
    "A20",
    advice="The caller still needs its scores: `scores = scores - maximum` makes a new tensor, `-=` changes "
    "the old one.",
)
def in_place(scores):
    scores -= scores.amax(dim=-1, keepdim=True)
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(
    "S11",
    advice="Your numbers left PyTorch on the way, so that nothing can be learned through them. Keep to "
    "tensors and torch's functions from end to end.",
)
def cut_off(scores):
    return shares(scores.detach())


@mistake(
    "S12",
    advice="Python's `max` cannot compare whole rows. `scores.amax(dim=-1, keepdim=True)` finds the maximum "
    "of each row.",
)
def python_max(scores):
    exponentials = torch.exp(scores - max(scores))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake("S13", advice="`math.exp` takes a single number; `torch.exp` takes a whole tensor.")
def math_exp(scores):
    exponentials = math.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def shares(scores, dim=-1):
    exponentials = torch.exp(scores - scores.amax(dim, keepdim=True))
    return exponentials / exponentials.sum(dim, keepdim=True)


def shifted(scores):
    return torch.exp(scores - scores.amax(dim=-1, keepdim=True))


@mistake(
    "S1",
    advice="You subtract the maximum of each column. Each row needs its own: `scores.amax(dim=-1, "
    "keepdim=True)`.",
)
def maximum_of_columns(scores):
    exponentials = torch.exp(scores - scores.amax(dim=0, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake("S4", advice="Subtract the maximum from the scores, before exp, not from the exponentials.")
def subtracted_after(scores):
    exponentials = torch.exp(scores) - scores.amax(dim=-1, keepdim=True)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake("A13", advice="Below the fraction bar stands the sum of the exponentials, not of the scores.")
def sum_of_scores(scores):
    return shifted(scores) / scores.sum(dim=-1, keepdim=True)


@mistake("A13", advice="Above the fraction bar stands exp(score), not the score.")
def scores_above(scores):
    return scores / shifted(scores).sum(dim=-1, keepdim=True)


@mistake(
    "S14",
    advice="A fixed number fits some scores only: others stay too large, or all become 0. Subtract the "
    "maximum of the row.",
)
def fixed_number(scores):
    exponentials = torch.exp(scores - 1000)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(
    "S15",
    advice="Double precision only moves the limit, to a score of 709. Subtract the maximum of the row: then "
    "there is none.",
)
def in_double(scores):
    exponentials = torch.exp(scores.double())
    return (exponentials / exponentials.sum(dim=-1, keepdim=True)).to(scores.dtype)
