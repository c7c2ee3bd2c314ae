"""Wrong answers to softmax: name, advice, code."""

import math

import numpy as np
import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake(mentions=r"- \d+(\.\d*)?\b")
def fixed_small_number(scores):
    """You subtract a fixed number, which fits only some scores. Other scores stay too large for exp, or all
    their exponentials become 0. Subtract the maximum of the row.
    """
    exponentials = torch.exp(scores - 10)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake("A14")
def naive(scores):
    """The formula is right on paper. But exp of a large score is infinity, and infinity divided by infinity
    is NaN. Make the scores smaller before exp, in a way that does not change the weights.
    """
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions="(?<!soft)max")
def global_maximum(scores):
    """You subtract the largest score of the whole table. In a row far below it, every exponential becomes 0,
    and 0/0 is NaN. Subtract from each row its own maximum: `scores.amax(dim=-1, keepdim=True)`.
    """
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions="min")
def minimum(scores):
    """You subtract the smallest score of the row, which leaves the largest too large for exp. Subtract the
    maximum.
    """
    exponentials = torch.exp(scores - scores.amin(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions="mean")
def mean(scores):
    """You subtract the mean of the row. A score far above the mean is still too large for exp, and a score of
    minus infinity makes the mean minus infinity. Subtract the maximum.
    """
    exponentials = torch.exp(scores - scores.mean(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions="(?<!soft)max")
def maximum_above_only(scores):
    """You subtract the maximum only in the numerator, so it does not cancel. Compute the exponentials once,
    and then divide them by their sum.
    """
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / torch.exp(scores).sum(dim=-1, keepdim=True)


@mistake(mentions="(?<!soft)max")
def divided_by_largest_of_all(scores):
    """You divide the scores by their maximum, which changes the weights. Subtract it instead, because only a
    difference cancels in the fraction. And each row needs its own maximum.
    """
    exponentials = torch.exp(scores / scores.max())
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions="(?<!soft)max")
def divided_by_maximum(scores):
    """You divide the scores by their maximum, which changes the weights. Subtract it instead, because only a
    difference cancels in the fraction.
    """
    exponentials = torch.exp(scores / scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions="clamp|clip|min")
def clamped_above(scores):
    """You cut large scores off, which makes different scores equal. Subtract the maximum of the row, because
    this keeps the differences.
    """
    exponentials = torch.exp(scores.clamp(max=80))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions="clamp|clip|min")
def clamped(scores):
    """You cut large scores off, which makes different scores equal. Subtract the maximum of the row, because
    this keeps the differences.
    """
    exponentials = torch.exp(scores.clamp(-80, 80))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions=r"\+")
def epsilon(scores):
    """A small number in the denominator avoids 0/0, but then the weights of the row sum to 0, and infinity
    divided by infinity is still NaN. Subtract the maximum of the row. Then the sum is at least 1.
    """
    exponentials = torch.exp(scores)
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + 1e-9)


@mistake(mentions="nan")
def hidden_nan(scores):
    """You replaced the NaN with another number, but the weights of that row are lost. Subtract the maximum of
    the row, so that no NaN arises.
    """
    exponentials = torch.exp(scores)
    return torch.nan_to_num(exponentials / exponentials.sum(dim=-1, keepdim=True))


@mistake(mentions="(?<!soft)max")
def pair_of_maximum(scores):
    """With `dim`, `max` returns two things: the values and their places. Take `.values`, or call `amax`,
    which returns only the values.
    """
    exponentials = torch.exp(scores - scores.max(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions="sigmoid")
def sigmoid(scores):
    """A sigmoid looks at one score alone, so a row need not sum to 1. Divide exp(score) by the sum of all
    exp(score) of the row.
    """
    return torch.sigmoid(scores)


@mistake(mentions="sigmoid")
def sigmoid_divided(scores):
    """You use the sigmoid, but the formula uses the exponential. Divide exp(score) by the sum of all
    exp(score) of the row.
    """
    shares = torch.sigmoid(scores)
    return shares / shares.sum(dim=-1, keepdim=True)


@mistake
def no_exp(scores):
    """You left out the exponential, which makes every weight positive. Divide exp(score) by the sum of all
    exp(score) of the row.
    """
    return scores / scores.sum(dim=-1, keepdim=True)


@mistake
def not_divided(scores):
    """You return the exponentials. Divide each row by its sum, so that it sums to 1."""
    return torch.exp(scores - scores.amax(dim=-1, keepdim=True))


@mistake
def naive_not_divided(scores):
    """You return the exponentials. Divide each row by its sum, so that it sums to 1."""
    return torch.exp(scores)


@mistake
def logarithm(scores):
    """You return the logarithms of the weights. Take `exp` of them."""
    return scores - torch.logsumexp(scores, dim=-1, keepdim=True)


@mistake
def hard(scores):
    """You give all the weight to the largest score. That is a hard maximum, but a softmax gives each score a
    share.
    """
    return (scores == scores.amax(dim=-1, keepdim=True)).float()


@mistake("A20", mentions="-=")
def in_place(scores):
    """You change the caller's scores, but the caller still needs them. `-=` changes the old tensor, and
    `scores = scores - maximum` makes a new one.
    """
    scores -= scores.amax(dim=-1, keepdim=True)
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions="numpy")
def by_numpy(scores):
    """NumPy computes no gradients. (A gradient says how a result changes when a score changes. Models learn
    from gradients.) Use tensors and PyTorch's functions from beginning to end.
    """
    array = scores.numpy()
    exponentials = np.exp(array - array.max(axis=-1, keepdims=True))
    return torch.from_numpy(exponentials / exponentials.sum(axis=-1, keepdims=True))


@mistake(mentions=r"\bnp\.|numpy\.")
def numpy_of_a_tensor(scores):
    """NumPy's functions do not take tensors as they take arrays, and NumPy computes no gradients. Use
    PyTorch's functions, such as `torch.exp` and `scores.amax(dim=-1, keepdim=True)`.
    """
    exponentials = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exponentials / np.sum(exponentials, axis=-1, keepdims=True)


@mistake(mentions=r"detach|numpy|item\(|tolist|(?<![.\w])float\(|no_grad|\.data\b|\btensor\(")
def cut_off(scores):
    """Your numbers are right, but one of your steps loses the gradients. (A gradient says how a result
    changes when a score changes. Models learn from gradients.) `.detach()`, `.item()`, `.tolist()`,
    `float(...)`, NumPy, `no_grad` and `torch.tensor` of a result lose them.
    """
    return shares(scores.detach())


@mistake(mentions="tolist")
def lists(scores):
    """Lists carry no gradients, so a model cannot learn through them. Your loops also work only for two axes.
    Compute with the whole tensor: `scores - scores.amax(dim=-1, keepdim=True)` and so on.
    """
    rows = []
    for row in scores.tolist():
        exponentials = [math.exp(score - max(row)) for score in row]
        rows.append([exponential / sum(exponentials) for exponential in exponentials])
    return torch.tensor(rows)


@mistake(mentions=r"(?<![.\w])float\(|math\.exp")
def python_floats(scores):
    """Python's numbers carry no gradients, so a model cannot learn through them. Your loops also work only
    for two axes. Compute with the whole tensor: `scores - scores.amax(dim=-1, keepdim=True)` and so on.
    """
    rows = []
    for row in scores:
        exponentials = [math.exp(float(score) - float(row.max())) for score in row]
        rows.append([exponential / sum(exponentials) for exponential in exponentials])
    return torch.tensor(rows)


@mistake(mentions=r"item\(")
def items(scores):
    """Python's numbers carry no gradients, so a model cannot learn through them. Your loops also work only
    for two axes. Compute with the whole tensor: `scores - scores.amax(dim=-1, keepdim=True)` and so on.
    """
    rows = []
    for row in scores:
        exponentials = [math.exp(score.item() - row.max().item()) for score in row]
        rows.append([exponential / sum(exponentials) for exponential in exponentials])
    return torch.tensor(rows)


@mistake(mentions="for ")
def row_by_row(scores):
    """Your loop runs over the first axis. With more than two axes each step gets a whole table instead of a
    row, so the maximum and the sum mix rows. `amax` and `sum` with `dim=-1, keepdim=True` need no loop.
    """
    weights = []
    for row in scores:
        exponentials = torch.exp(row - row.max())
        weights.append(exponentials / exponentials.sum())
    return torch.stack(weights)


@mistake(mentions=r"(?<![.\w])max\(")
def python_max(scores):
    """Python's `max` cannot compare whole rows. `scores.amax(dim=-1, keepdim=True)` finds the maximum of each
    row.
    """
    exponentials = torch.exp(scores - max(scores))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions=r"math\.exp\(|(?<![.\w])exp\(")
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


@mistake(mentions="(?<!soft)max")
def maximum_over_second(scores):
    """Your maximum runs over dim=1, which is the last axis only when there are two axes. Count from the end:
    dim=-1.
    """
    exponentials = torch.exp(scores - scores.amax(dim=1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions="(?<!soft)max")
def own_maximum_subtracted_after(scores):
    """You subtract the maximum from the exponentials. Subtract it from the scores, before exp."""
    exponentials = torch.exp(scores)
    exponentials = exponentials - exponentials.amax(dim=-1, keepdim=True)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions="(?<!soft)max")
def added(scores):
    """You add the maximum, so large scores become even larger. Subtract it."""
    exponentials = torch.exp(scores + scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions="(?<!soft)max")
def maximum_minus_scores(scores):
    """Your difference has the wrong sign, so the largest score gets the smallest weight. Subtract the maximum
    from the scores, not the scores from the maximum.
    """
    exponentials = torch.exp(scores.amax(dim=-1, keepdim=True) - scores)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake
def powers_of_two(scores):
    """You compute powers of another base. `torch.exp` computes powers of e."""
    powers = 2 ** (scores - scores.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


@mistake
def divided_by_mean(scores):
    """You divide by the mean of the row. Divide by its sum, because the weights of a row must sum to 1."""
    return shifted(scores) / shifted(scores).mean(dim=-1, keepdim=True)


@mistake(mentions="(?<!soft)max")
def subtracted_after(scores):
    """You subtract the maximum from the exponentials. Subtract it from the scores, before exp."""
    exponentials = torch.exp(scores) - scores.amax(dim=-1, keepdim=True)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake
def sum_of_scores(scores):
    """You divide by the sum of the scores. Divide by the sum of the exponentials."""
    return shifted(scores) / scores.sum(dim=-1, keepdim=True)


@mistake
def scores_above(scores):
    """Your numerator is the score. It must be exp(score)."""
    return scores / shifted(scores).sum(dim=-1, keepdim=True)


@mistake(mentions=r"\b\d{2,}")
def fixed_hundred(scores):
    """You subtract a fixed number, which fits only some scores. Other scores stay too large for exp, or all
    their exponentials become 0. Subtract the maximum of the row.
    """
    exponentials = torch.exp(scores - 100)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions=r"\b\d{2,}")
def fixed_number(scores):
    """You subtract a fixed number, which fits only some scores. Other scores stay too large for exp, or all
    their exponentials become 0. Subtract the maximum of the row.
    """
    exponentials = torch.exp(scores - 1000)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@mistake(mentions="double|float64")
def in_double(scores):
    """Double precision only moves the limit, to a score of 709. Subtract the maximum of the row, because then
    there is no limit.
    """
    exponentials = torch.exp(scores.double())
    return (exponentials / exponentials.sum(dim=-1, keepdim=True)).to(scores.dtype)


@mistake("A1")
def over_rows(scores):
    """Your columns sum to 1, but your rows should. Sum over the last axis: dim=-1."""
    return shares(scores, dim=-2)


@mistake("A3")
def over_first(scores):
    """Your sum runs over the first axis, dim=0. The weights must sum to 1 along the last axis: dim=-1."""
    return shares(scores, dim=0)


@mistake("A1")
def over_second(scores):
    """dim=1 is the last axis only when there are two axes. Count from the end: dim=-1 is always the last
    axis.
    """
    return shares(scores, dim=1)


@mistake
def global_sum(scores):
    """Your sum runs over the whole table, so all weights together sum to 1. Each row needs its own sum:
    `sum(dim=-1, keepdim=True)`.
    """
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum()


@mistake
def naive_global_sum(scores):
    """Your sum runs over the whole table, so all weights together sum to 1. Each row needs its own sum,
    `sum(dim=-1, keepdim=True)`. Also subtract each row's maximum before exp.
    """
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum()


@mistake("A16", lacks="(?s)keepdim=.*keepdim=")
def no_keepdim(scores):
    """Without `keepdim=True` the maxima or sums of the rows become a row themselves. `keepdim=True` keeps
    each of them beside its own row.
    """
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1)


@mistake("A16", lacks="keepdim=")
def naive_no_keepdim(scores):
    """Without `keepdim=True` the sums of the rows become a row themselves. `keepdim=True` keeps each sum
    beside its own row. Also subtract each row's maximum before exp.
    """
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum(dim=-1)


@mistake
def one_sum(scores):
    """Your sum runs over the whole table, so all weights together sum to 1. Each row needs its own sum:
    `sum(dim=-1, keepdim=True)`.
    """
    return shifted(scores) / shifted(scores).sum()


@mistake("A1")
def sum_over_second(scores):
    """Your sum runs over dim=1, which is the last axis only when there are two axes. Count from the end:
    dim=-1.
    """
    return shifted(scores) / shifted(scores).sum(dim=1, keepdim=True)


@mistake("A3")
def sum_over_first(scores):
    """Your sum runs over dim=0, down the columns. A row runs along the last axis: dim=-1."""
    return shifted(scores) / shifted(scores).sum(dim=0, keepdim=True)
