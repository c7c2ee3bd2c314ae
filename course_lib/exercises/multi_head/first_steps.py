"""Whether a new module learns: in words, as its first weights differ from answer to answer."""

import torch

from course_lib.checks.gradients import parameters

NEVER = (
    "After some steps of gradient descent the gradient of `{0}` is still 0, so it never learns. Begin with "
    "small random weights, as nn.Linear does."
)


def told_of_first_steps(module, inputs, *given: torch.Tensor, spared: str = "") -> str:
    """A finding on the first parameter that has no gradient after three steps; one that begins as 0 may.

    spared: a parameter that needs no gradient.
    """
    leaves = {name: leaf for name, leaf in parameters(module).items() if name != spared}
    slopes, target = (), None
    for _ in range(3):
        results = module.forward(*given)
        output = results[0] if isinstance(results, tuple) else results
        target = inputs.normal(*output.shape) if target is None else target
        slopes = torch.autograd.grad((output - target).pow(2).mean(), [*leaves.values()])
        with torch.no_grad():
            for leaf, slope in zip(leaves.values(), slopes, strict=True):
                leaf -= slope / 10
    unmoved = [name for name, slope in zip(leaves, slopes, strict=True) if not slope.any()]
    return NEVER.format(unmoved[0]) if unmoved else ""
