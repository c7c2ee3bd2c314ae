"""noam_rate: the paper's learning rate, up in a line and down as the inverse root."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.exercises.translator.stand_ins import number

noam_rate = Exercise(
    "noam_rate",
    points=4,
    returns=("rate",),
    hints=[
        "The curve `step ** -0.5` falls, and `step * warmup ** -1.5` rises. At which step do they cross, and "
        "which curve is lower before that step?",
        "Take Python's `min` of the two, and multiply it by `d_model ** -0.5`.",
    ],
    examples=["noam_rate(1, 4, 9)", "noam_rate(9, 4, 9)", "noam_rate(36, 4, 9)", "noam_rate(36, 16, 9)"],
)


@noam_rate.reference
def noam_reference(step, d_model, warmup):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def warm_ups(inputs):
    """A short one, and one that nobody has a table of."""
    return inputs.integer(20, 40), inputs.integer(1000, 10**6)


@noam_rate.part("the rate rises in a straight line to the end of the warm-up", points=1, alone=False)
def rises(rate, inputs):
    return {
        f"share of the peak rate at step {step} (warm-up of {end})": number(
            rate(step, 64, end) / rate(end, 64, end)
        )
        for end in warm_ups(inputs)
        for step in (1, 5, inputs.integer(6, end))
    }


@noam_rate.part("then it falls with the inverse square root of the step", points=1)
def falls(rate, inputs):
    return {
        f"share of the peak rate after {times} warm-ups (of {end} steps)": number(
            rate(times * end, 64, end) / rate(end, 64, end)
        )
        for end in warm_ups(inputs)
        for times in (2, 4, 1000)
    }


def constant_factor(values, expected):
    """All rates wrong by the same factor."""
    numbers = [(value, expected.get(label)) for label, value in values.items()]
    if not all(type(got) is type(right) is float for got, right in numbers):
        return None
    factors = [got / right for got, right in numbers]
    if max(factors) > 1.0001 * min(factors):
        return None
    return f"All these rates are {factors[0]:.4g} times the paper's: the formula has no other factor."


@noam_rate.part(
    "the peak is that of the paper, and lower for wider models", points=1, properties=(constant_factor,)
)
def height(rate, inputs):
    return {
        f"rate at step {end}, d_model {d_model}": number(rate(end, d_model, end))
        for end, d_model in ((4000, 1), (4000, 512), (warm_ups(inputs)[1], inputs.integer(2, 2000)))
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
