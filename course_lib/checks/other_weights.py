"""Calls with other weights: what a module keeps of them is wrong after a step of an optimizer."""

import contextlib
from collections.abc import Iterator, Sequence

from torch import nn

from course_lib.checks.arguments import Earlier
from course_lib.checks.guard import call_with_other_numbers
from course_lib.checks.ready_made import closely
from course_lib.checks.surroundings import evaluating


def call_with_other_weights(module: nn.Module, args: Sequence, kwargs: dict) -> Earlier:
    """As `call_with_other_numbers`, in evaluation mode: weights that it has kept then would be these."""
    with closely(), _other_weights(module), evaluating(module):
        return call_with_other_numbers(module, args, kwargs)


@contextlib.contextmanager
def _other_weights(module: nn.Module) -> Iterator[None]:
    # Past autograd, which counts changes: a graph that a probe has made still fits the weights afterwards.
    weights = [(weight.data, weight.detach().clone()) for weight in module.parameters()]
    for weight, _ in weights:
        weight.mul_(-0.5)
    try:
        yield
    finally:
        for weight, before in weights:
            weight.copy_(before)
