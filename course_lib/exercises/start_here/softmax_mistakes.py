"""Wrong answers to softmax: name, advice, code."""

import math

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("A14")
def naive(scores):
    """The formula is right, the machine is not: exp of a large score is infinity, and infinity over infinity
    is NaN. Make the scores smaller before exp, in a way that does not change the weights.
    """
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake
def global_maximum(scores):
    """You subtract the largest score of the whole table. In a row far below it every exponential becomes 0,
    and 0/0 is NaN. Each row needs its own: `scores.amax(dim=-1, keepdim=True)`.
    """
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake
def minimum(scores):
    """You subtract the smallest score of the row, which leaves the largest too large for exp. Subtract the
    maximum.
    """
    exponentials = torch.exp(scores - scores.amin(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake
def mean(scores):
    """You subtract the mean of the row. A score far above the mean is still too large for exp, and with a
    score of minus infinity the mean is no number. Subtract the maximum.
    """
    exponentials = torch.exp(scores - scores.mean(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake
def maximum_above_only(scores):
    """You subtract the maximum above the fraction bar only; it cancels when it is subtracted below too:
    compute the exponentials once, then divide them by their sum.
    """
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / torch.exp(scores).sum(dim=-1, keepdim=True)


@mistake
def divided_by_maximum(scores):
    """You divide the scores by their maximum, and that changes the weights. Subtract it: only a difference
    cancels in the fraction.
    """
    exponentials = torch.exp(scores / scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake
def clamped(scores):
    """Cutting large scores off makes them equal. Subtract the maximum of the row: it keeps their
    differences.
    """
    exponentials = torch.exp(scores.clamp(-80, 80))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake
def epsilon(scores):
    """A small number below the fraction bar hides 0/0, but then the row sums to 0, and infinity over infinity
    stays NaN. Subtract the maximum of the row; then the sum is at least 1.
    """
    exponentials = torch.exp(scores)
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + 1e-9)


@mistake
def hidden_nan(scores):
    """`nan_to_num` hides the NaN, and the weights of that row are lost. Subtract the maximum of the row, then
    no NaN arises.
    """
    exponentials = torch.exp(scores)
    return torch.nan_to_num(exponentials / exponentials.sum(dim=-1, keepdim=True))


@mistake
def pair_of_maximum(scores):
    """With `dim`, `max` gives two things, the values and where they stand. Take `.values`, or call `amax`,
    which gives the values alone.
    """
    exponentials = torch.exp(scores - scores.max(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake
def no_exp(scores):
    """The exponential is missing: it makes every share positive. Divide exp(score) by the sum of all
    exp(score) of the row.
    """
    return scores / scores.sum(dim=-1, keepdim=True)


@mistake
def not_divided(scores):
    """These are exponentials; divide each row by its sum, so that it sums to 1."""
    return torch.exp(scores - scores.amax(dim=-1, keepdim=True))


@mistake
def naive_not_divided(scores):
    """These are exponentials; divide each row by its sum, so that it sums to 1."""
    return torch.exp(scores)


@mistake
def logarithm(scores):
    """These are the logarithms of the weights: `exp` of them is what is asked."""
    return scores - torch.logsumexp(scores, dim=-1, keepdim=True)


@mistake
def hard(scores):
    """This gives everything to the largest score: a hard maximum. The soft one gives each score its share."""
    return (scores == scores.amax(dim=-1, keepdim=True)).float()


@mistake("A20")
def in_place(scores):
    """The caller still needs its scores: `scores = scores - maximum` makes a new tensor, `-=` changes the old
    one.
    """
    scores -= scores.amax(dim=-1, keepdim=True)
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake
def cut_off(scores):
    """Your numbers left PyTorch on the way, so that nothing can be learned through them. Keep to tensors and
    torch's functions from end to end.
    """
    return shares(scores.detach())


@mistake
def python_max(scores):
    """Python's `max` cannot compare whole rows. `scores.amax(dim=-1, keepdim=True)` finds the maximum of each
    row.
    """
    exponentials = torch.exp(scores - max(scores))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake
def math_exp(scores):
    """`math.exp` takes a single number; `torch.exp` takes a whole tensor."""
    exponentials = math.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def shares(scores, dim=-1):
    exponentials = torch.exp(scores - scores.amax(dim, keepdim=True))
    return exponentials / exponentials.sum(dim, keepdim=True)


def shifted(scores):
    return torch.exp(scores - scores.amax(dim=-1, keepdim=True))


@mistake
def maximum_of_columns(scores):
    """You subtract the maximum of each column. Each row needs its own: `scores.amax(dim=-1,
    keepdim=True)`.
    """
    exponentials = torch.exp(scores - scores.amax(dim=0, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake
def subtracted_after(scores):
    """Subtract the maximum from the scores, before exp, not from the exponentials."""
    exponentials = torch.exp(scores) - scores.amax(dim=-1, keepdim=True)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake
def sum_of_scores(scores):
    """Below the fraction bar stands the sum of the exponentials, not of the scores."""
    return shifted(scores) / scores.sum(dim=-1, keepdim=True)


@mistake
def scores_above(scores):
    """Above the fraction bar stands exp(score), not the score."""
    return scores / shifted(scores).sum(dim=-1, keepdim=True)


@mistake
def fixed_number(scores):
    """A fixed number fits some scores only: others stay too large, or all become 0. Subtract the maximum of
    the row.
    """
    exponentials = torch.exp(scores - 1000)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake
def in_double(scores):
    """Double precision only moves the limit, to a score of 709. Subtract the maximum of the row: then there
    is none.
    """
    exponentials = torch.exp(scores.double())
    return (exponentials / exponentials.sum(dim=-1, keepdim=True)).to(scores.dtype)


@mistake("A1")
def over_rows(scores):
    """Your columns sum to 1, not your rows: the sum runs over the wrong axis. Say dim=-1, the last."""
    return shares(scores, dim=-2 if scores.dim() > 1 else -1)


@mistake("A3")
def over_first(scores):
    """Your sum runs over the first axis, dim=0. What must sum to 1 is the last: dim=-1."""
    return shares(scores, dim=0)


@mistake("A1")
def over_second(scores):
    """dim=1 is the last axis only while there are two. Count from the end: dim=-1, always the last."""
    return shares(scores, dim=1 if scores.dim() > 1 else 0)


@mistake
def global_sum(scores):
    """Your sum runs over the whole table, so that all weights together sum to 1. Each row needs its own sum:
    `sum(dim=-1, keepdim=True)`.
    """
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum()


@mistake
def naive_global_sum(scores):
    """Your sum runs over the whole table, so that all weights together sum to 1. Each row needs its own sum:
    `sum(dim=-1, keepdim=True)`; and subtract each row's maximum before exp.
    """
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum()


@mistake("A16")
def no_keepdim(scores):
    """Without `keepdim=True` the row maxima, or sums, lie down and become a row themselves. `keepdim=True`
    keeps each one in its own row.
    """
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1)


@mistake("A16")
def naive_no_keepdim(scores):
    """Without `keepdim=True` the row sums lie down and become a row themselves: keep them in their rows. And
    subtract each row's maximum before exp.
    """
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum(dim=-1)


@mistake
def one_sum(scores):
    """Your sum runs over the whole table, so that all weights together sum to 1. Each row needs its own sum:
    `sum(dim=-1, keepdim=True)`.
    """
    return shifted(scores) / shifted(scores).sum()


@mistake("A1")
def sum_over_second(scores):
    """Your sum runs over dim=1, which is the last axis only while there are two. Count from the
    end: dim=-1.
    """
    return shifted(scores) / shifted(scores).sum(dim=1 if scores.dim() > 1 else 0, keepdim=True)


@mistake("A3")
def sum_over_first(scores):
    """Your sum runs over dim=0, down the columns. A row runs along the last axis: dim=-1."""
    return shifted(scores) / shifted(scores).sum(dim=0, keepdim=True)
