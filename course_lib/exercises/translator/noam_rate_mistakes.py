"""Wrong answers to noam_rate: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("T25")
def higher_curve(step, d_model, warmup):
    """You take the higher of the two curves, which is huge at step 1 and grows for ever. Take the lower one
    with `min`.
    """
    return d_model**-0.5 * max(step**-0.5, step * warmup**-1.5)


@mistake("T26")
def exponents_swapped(step, d_model, warmup):
    """You swapped the exponents. The warm-up is step · warmup^-1.5, and after it the rate is step^-0.5."""
    return d_model**-0.5 * min(step**-1.5, step * warmup**-0.5)


@mistake("T26")
def too_steep(step, d_model, warmup):
    """Your line rises too fast. Its factor is warmup^-1.5, so that both curves meet at `warmup`."""
    return d_model**-0.5 * min(step**-0.5, step * warmup**-0.5)


@mistake
def line_over_warmup(step, d_model, warmup):
    """Your line meets the other curve too early. Its factor is warmup^-1.5, not 1 / warmup."""
    return d_model**-0.5 * min(step**-0.5, step / warmup)


@mistake("T27")
def wider_is_faster(step, d_model, warmup):
    """Your rate grows with `d_model`. The factor is d_model^-0.5, so wider models get a smaller rate."""
    return d_model**0.5 * min(step**-0.5, step * warmup**-1.5)


@mistake("T27")
def without_width(step, d_model, warmup):
    """The argument `d_model` changes nothing in your rate. Multiply the whole by d_model^-0.5."""
    return min(step**-0.5, step * warmup**-1.5)


@mistake
def divided_by_width(step, d_model, warmup):
    """You divide by d_model. The paper divides by its square root."""
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
    """You multiply only one curve by d_model^-0.5. The factor belongs to both curves, so multiply the result
    of `min`.
    """
    return min(d_model**-0.5 * step**-0.5, step * warmup**-1.5)


@mistake
def width_of_rising_line(step, d_model, warmup):
    """You multiply only the line by d_model^-0.5. The factor belongs to both curves, so multiply the result
    of `min`.
    """
    return min(step**-0.5, d_model**-0.5 * step * warmup**-1.5)


@mistake(mentions=r"torch\.minimum")
def tensors_minimum(step, d_model, warmup):
    """`torch.minimum` compares tensors, and these are two plain numbers. Use Python's `min`."""
    return d_model**-0.5 * torch.minimum(step**-0.5, step * warmup**-1.5)


@mistake(mentions=r"torch\.min\(")
def tensors_min(step, d_model, warmup):
    """`torch.min` compares tensors, and these are two plain numbers. Use Python's `min`."""
    return d_model**-0.5 * torch.min(step**-0.5, step * warmup**-1.5)


@mistake
def falls_too_fast(step, d_model, warmup):
    """Your rate falls as 1 / step. After the warm-up it falls with the inverse square root, step^-0.5."""
    return d_model**-0.5 * min(step**-1, step * warmup**-1.5)


@mistake
def peak_of_one(step, d_model, warmup):
    """The form is right, but your peak is 1. The paper's peak is (d_model · warmup)^-0.5, and eq. 3 has no
    other factor.
    """
    return min(step / warmup, (warmup / step) ** 0.5)


@mistake
def stays(step, d_model, warmup):
    """Your rate stays the same after the warm-up. It has to fall, as step^-0.5."""
    return d_model**-0.5 * min(step, warmup) * warmup**-1.5


@mistake
def flat(step, d_model, warmup):
    """Your rate does not rise in the warm-up. The line is `step` times warmup^-1.5."""
    return d_model**-0.5 * min(step**-0.5, warmup**-1.5)


@mistake
def no_warmup(step, d_model, warmup):
    """Your rate has no warm-up: step^-0.5 is highest at the first step, where it does most harm. Check that
    the exponent of `warmup` is -1.5, with its minus.
    """
    return d_model**-0.5 * step**-0.5


@mistake
def only_warmup(step, d_model, warmup):
    """Your rate rises for ever. After the warm-up it falls as step^-0.5, with a minus, and `min` takes the
    lower curve.
    """
    return d_model**-0.5 * step * warmup**-1.5


@mistake
def added(step, d_model, warmup):
    """You add the two curves. The rate is the lower of them, so use `min`."""
    return d_model**-0.5 * (step**-0.5 + step * warmup**-1.5)


@mistake
def counts_from_zero(step, d_model, warmup):
    """You return the rate of the next step. Steps count from 1 here, so use `step` without adding 1."""
    return d_model**-0.5 * min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)


@mistake
def counts_one_less(step, d_model, warmup):
    """You return the rate of the step before. The first step is step 1, not 0, so use `step` without
    subtracting 1.
    """
    return d_model**-0.5 * min((step - 1) ** -0.5, (step - 1) * warmup**-1.5)
