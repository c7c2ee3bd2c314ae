"""noam_rate: the paper's learning rate, up in a line and down as the inverse root."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.translator.stand_ins import number

noam_rate = Exercise(
    "noam_rate",
    points=4,
    returns=("rate",),
    hints=[
        "Two curves: `step ** -0.5` falls, `step * warmup ** -1.5` rises. Where do they cross, and which "
        "one is lower before that?",
        "Python's `min` of the two, times `d_model ** -0.5`.",
    ],
    examples=["noam_rate(1, 4, 9)", "noam_rate(9, 4, 9)", "noam_rate(36, 4, 9)", "noam_rate(36, 16, 9)"],
)


@noam_rate.reference
def noam_reference(step, d_model, warmup):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


@noam_rate.part("a straight line up to the end of the warm-up", points=1)
def rises(rate, inputs):
    warmup = int(inputs.integers(20, 40, 1))
    end = rate(warmup, 64, warmup)
    return {
        f"rate at step {step} of {warmup}, of its peak": number(rate(step, 64, warmup) / end)
        for step in (1, 5, 13)
    }


@noam_rate.part("then down with the root of the step", points=1)
def falls(rate, inputs):
    warmup = int(inputs.integers(20, 40, 1))
    end = rate(warmup, 64, warmup)
    return {
        f"rate after {times} warm-ups, of its peak": number(rate(times * warmup, 64, warmup) / end)
        for times in (2, 4, 100)
    }


@noam_rate.part("as high as in the paper, lower for wider models", points=1)
def height(rate, inputs):
    return {
        f"rate at step 4000, d_model {d_model}": number(rate(4000, d_model, 4000)) for d_model in (1, 64, 512)
    }


@noam_rate.accept("if and else")
def by_cases(step, d_model, warmup):
    if step < warmup:
        return step / (math.sqrt(d_model) * warmup**1.5)
    return 1 / math.sqrt(d_model * step)


@noam_rate.accept("peak times a fraction")
def peak_fraction(step, d_model, warmup):
    peak = 1 / math.sqrt(d_model * warmup)
    return peak * min(step / warmup, math.sqrt(warmup / step))


@noam_rate.accept("math.pow")
def by_pow(step, d_model, warmup):
    return min(math.pow(step, -0.5), step * math.pow(warmup, -1.5)) / math.pow(d_model, 0.5)


@noam_rate.accept("the lowest of a list, sorted")
def by_sorting(step, d_model, warmup):
    return sorted(1 / math.sqrt(d_model) * rate for rate in (1 / math.sqrt(step), step / warmup**1.5))[0]


@noam_rate.accept("NumPy's number")
def by_numpy(step, d_model, warmup):
    curves = torch.tensor([step**-0.5, step * warmup**-1.5], dtype=torch.float64).numpy()
    return curves.min() / d_model**0.5


@noam_rate.mistake(
    "T25", advice="`max` follows the higher curve: huge at step 1, growing for ever. Take the lower, `min`."
)
def higher_curve(step, d_model, warmup):
    return d_model**-0.5 * max(step**-0.5, step * warmup**-1.5)


@noam_rate.mistake(
    "T26",
    advice="The exponents changed places: the warm-up is step · warmup^-1.5, afterwards it is step^-0.5.",
)
def exponents_swapped(step, d_model, warmup):
    return d_model**-0.5 * min(step**-1.5, step * warmup**-0.5)


@noam_rate.mistake(
    "T26", advice="The line is too steep: its factor is warmup^-1.5, so that both curves meet at `warmup`."
)
def too_steep(step, d_model, warmup):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-0.5)


@noam_rate.mistake(
    "T26", advice="The line meets the other curve early: its factor is warmup^-1.5, not 1 / warmup."
)
def line_over_warmup(step, d_model, warmup):
    return d_model**-0.5 * min(step**-0.5, step / warmup)


@noam_rate.mistake("T27", advice="The factor is d_model^-0.5: wider models learn more slowly, not faster.")
def wider_is_faster(step, d_model, warmup):
    return d_model**0.5 * min(step**-0.5, step * warmup**-1.5)


@noam_rate.mistake("T27", advice="`d_model` is not used: the whole is multiplied by d_model^-0.5.")
def without_width(step, d_model, warmup):
    return min(step**-0.5, step * warmup**-1.5)


@noam_rate.mistake("T27", advice="You divide by d_model; the paper divides by its root.")
def divided_by_width(step, d_model, warmup):
    return min(step**-0.5, step * warmup**-1.5) / d_model


@noam_rate.mistake(
    "T26",
    advice="Python takes powers first: `step**-1/2` is 1 / (2 * step). Write `step**-0.5`, `warmup**-1.5`.",
)
def without_brackets(step, d_model, warmup):
    return d_model**-1 / 2 * min(step**-1 / 2, step * warmup**-3 / 2)


@noam_rate.mistake("T26", advice="It falls as 1 / step: after the warm-up it falls as the root, step^-0.5.")
def falls_too_fast(step, d_model, warmup):
    return d_model**-0.5 * min(step**-1, step * warmup**-1.5)


@noam_rate.mistake(
    "T27",
    advice="The form is right, but your peak is 1. The paper's is (d_model · warmup)^-0.5: no more factors "
    "than in eq. 3.",
)
def peak_of_one(step, d_model, warmup):
    return min(step / warmup, (warmup / step) ** 0.5)


@noam_rate.mistake("T28", advice="After its warm-up the rate stays: it must fall, as step^-0.5.")
def stays(step, d_model, warmup):
    return d_model**-0.5 * min(step, warmup) * warmup**-1.5


@noam_rate.mistake("T28", advice="The warm-up is flat: the line is `step` times warmup^-1.5.")
def flat(step, d_model, warmup):
    return d_model**-0.5 * min(step**-0.5, warmup**-1.5)


@noam_rate.mistake(
    "T28",
    advice="No warm-up: step^-0.5 is highest at the first step, where it does most harm. (Is your "
    "exponent of `warmup` -1.5, with its minus?)",
)
def no_warmup(step, d_model, warmup):
    return d_model**-0.5 * step**-0.5


@noam_rate.mistake("T28", advice="It rises for ever: after the warm-up the rate falls as step^-0.5.")
def only_warmup(step, d_model, warmup):
    return d_model**-0.5 * step * warmup**-1.5


@noam_rate.mistake("T29", advice="The two curves are not added: the rate is the lower one, `min`.")
def added(step, d_model, warmup):
    return d_model**-0.5 * (step**-0.5 + step * warmup**-1.5)


@noam_rate.mistake("T30", advice="Steps count from 1 here: leave out the `+ 1`.")
def counts_from_zero(step, d_model, warmup):
    return d_model**-0.5 * min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)


@noam_rate.mistake("T30", advice="The first step is step 1, not 0: use `step` as it comes, without `- 1`.")
def counts_one_less(step, d_model, warmup):
    return d_model**-0.5 * min((step - 1) ** -0.5, (step - 1) * warmup**-1.5)
