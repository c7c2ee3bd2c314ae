"""Wrong answers to noam_rate: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("T25")
def higher_curve(step, d_model, warmup):
    """You follow the higher curve: huge at step 1, growing for ever. Take the lower one, as `min` does."""
    return d_model**-0.5 * max(step**-0.5, step * warmup**-1.5)


@mistake("T26")
def exponents_swapped(step, d_model, warmup):
    """The exponents changed places: the warm-up is step · warmup^-1.5, afterwards it is step^-0.5."""
    return d_model**-0.5 * min(step**-1.5, step * warmup**-0.5)


@mistake("T26")
def too_steep(step, d_model, warmup):
    """The line is too steep: its factor is warmup^-1.5, so that both curves meet at `warmup`."""
    return d_model**-0.5 * min(step**-0.5, step * warmup**-0.5)


@mistake
def line_over_warmup(step, d_model, warmup):
    """The line meets the other curve early: its factor is warmup^-1.5, not 1 / warmup."""
    return d_model**-0.5 * min(step**-0.5, step / warmup)


@mistake("T27")
def wider_is_faster(step, d_model, warmup):
    """The factor is d_model^-0.5: wider models learn more slowly, not faster."""
    return d_model**0.5 * min(step**-0.5, step * warmup**-1.5)


@mistake("T27")
def without_width(step, d_model, warmup):
    """`d_model` changes nothing: the whole is multiplied by d_model^-0.5."""
    return min(step**-0.5, step * warmup**-1.5)


@mistake
def divided_by_width(step, d_model, warmup):
    """You divide by d_model; the paper divides by its root."""
    return min(step**-0.5, step * warmup**-1.5) / d_model


@mistake(mentions=r"\*\* \(?-1\)? / 2")
def without_brackets(step, d_model, warmup):
    """Python takes powers first: `step**-1/2` is 1 / (2 * step). Write `step**-0.5`, `warmup**-1.5`."""
    return d_model**-1 / 2 * min(step**-1 / 2, step * warmup**-3 / 2)


@mistake(mentions=r"step \*\* \(?-1\)? / 2")
def step_without_brackets(step, d_model, warmup):
    """Python takes powers first: `step**-1/2` is 1 / (2 * step). Write `step**-0.5`."""
    return d_model**-0.5 * min(step**-1 / 2, step * warmup**-1.5)


@mistake(mentions=r"warmup \*\* \(?-3\)? / 2")
def warmup_without_brackets(step, d_model, warmup):
    """Python takes powers first: `warmup**-3/2` is 1 / (2 * warmup**3). Write `warmup**-1.5`."""
    return d_model**-0.5 * min(step**-0.5, step * warmup**-3 / 2)


@mistake(mentions=r"d_model \*\* \(?-1\)? / 2")
def width_without_brackets(step, d_model, warmup):
    """Python takes powers first: `d_model**-1/2` is 1 / (2 * d_model). Write `d_model**-0.5`."""
    return d_model**-1 / 2 * min(step**-0.5, step * warmup**-1.5)


@mistake
def width_of_falling_curve(step, d_model, warmup):
    """The factor d_model^-0.5 belongs to both curves: multiply the result of `min` by it."""
    return min(d_model**-0.5 * step**-0.5, step * warmup**-1.5)


@mistake
def width_of_rising_line(step, d_model, warmup):
    """The factor d_model^-0.5 belongs to both curves, not to the line alone: multiply the result of `min`."""
    return min(step**-0.5, d_model**-0.5 * step * warmup**-1.5)


@mistake(mentions=r"torch\.minimum")
def tensors_minimum(step, d_model, warmup):
    """`torch.minimum` compares tensors; these are two plain numbers: Python's `min`."""
    return d_model**-0.5 * torch.minimum(step**-0.5, step * warmup**-1.5)


@mistake(mentions=r"torch\.min\(")
def tensors_min(step, d_model, warmup):
    """`torch.min` compares tensors; these are two plain numbers: Python's `min`."""
    return d_model**-0.5 * torch.min(step**-0.5, step * warmup**-1.5)


@mistake
def falls_too_fast(step, d_model, warmup):
    """It falls as 1 / step: after the warm-up it falls as the root, step^-0.5."""
    return d_model**-0.5 * min(step**-1, step * warmup**-1.5)


@mistake
def peak_of_one(step, d_model, warmup):
    """The form is right, but your peak is 1. The paper's is (d_model · warmup)^-0.5: no more factors than in
    eq. 3.
    """
    return min(step / warmup, (warmup / step) ** 0.5)


@mistake
def stays(step, d_model, warmup):
    """After its warm-up the rate stays: it must fall, as step^-0.5."""
    return d_model**-0.5 * min(step, warmup) * warmup**-1.5


@mistake
def flat(step, d_model, warmup):
    """The warm-up is flat: the line is `step` times warmup^-1.5."""
    return d_model**-0.5 * min(step**-0.5, warmup**-1.5)


@mistake
def no_warmup(step, d_model, warmup):
    """No warm-up: step^-0.5 is highest at the first step, where it does most harm. (Is your exponent of
    `warmup` -1.5, with its minus?)
    """
    return d_model**-0.5 * step**-0.5


@mistake
def only_warmup(step, d_model, warmup):
    """It rises for ever: after the warm-up the rate falls as step^-0.5, with its minus, and `min` takes the
    lower curve.
    """
    return d_model**-0.5 * step * warmup**-1.5


@mistake
def added(step, d_model, warmup):
    """The two curves are not added: the rate is the lower one, `min`."""
    return d_model**-0.5 * (step**-0.5 + step * warmup**-1.5)


@mistake
def counts_from_zero(step, d_model, warmup):
    """The rate of the next step: steps count from 1 here, so use `step` as it comes."""
    return d_model**-0.5 * min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)


@mistake
def counts_one_less(step, d_model, warmup):
    """The rate of the step before: the first step is step 1, not 0, so use `step` as it comes."""
    return d_model**-0.5 * min((step - 1) ** -0.5, (step - 1) * warmup**-1.5)
