"""Calls with other weights: what a module keeps of them is wrong after a step of an optimizer."""

from collections.abc import Sequence

from torch import nn

from course_lib.checks.arguments import Earlier
from course_lib.checks.guard import call_with_other_numbers, holding
from course_lib.checks.surroundings import evaluating


def call_with_other_weights(module: nn.Module, args: Sequence, kwargs: dict) -> Earlier:
    """As `call_with_other_numbers`, in evaluation mode: weights that it has kept then would be these."""
    with (
        holding((weight, -0.5 * weight.detach()) for weight in module.parameters()),
        evaluating(module),
    ):
        return call_with_other_numbers(module, args, kwargs)
