"""Calls with other numbers, before the first that counts: what an answer keeps of these is wrong then."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import nn

from course_lib.checks.arguments import Earlier, as_it_is
from course_lib.checks.as_installed import refuse_changes
from course_lib.checks.exact import exact
from course_lib.checks.surroundings import draw_again_from, draws, evaluating, settings_kept


def call_with_other_numbers(function: Callable, args: Sequence, kwargs: dict) -> Earlier:
    """What calls give with other tensors, with another list, dict or number, and with the very arguments.

    Meanwhile the tensors among these hold other numbers, as weights do before a step: what is kept of any of
    the calls is wrong afterwards. Nothing is asked of them, and what they draw at random is put back.
    """
    values, results = [*args, *kwargs.values()], []
    if any(map(callable, values)) or any(isinstance(value, torch.Generator) for value in values):
        return results, []  # a model or a generator would remember the call
    drawn, others = draws(), {place: _other(value) for place, value in enumerate(values)}
    others = {place: other for place, other in others.items() if other is not values[place]}
    tensors = [place for place in others if isinstance(values[place], torch.Tensor)]
    calls = [{place: others[place] for place in tensors}] if tensors else []
    calls += [{place: other} for place, other in others.items() if place not in tensors]
    with holding((values[place], others[place].detach()) for place in tensors):
        for changed in [*calls, {}] if others else ():
            given = [changed.get(place, value) for place, value in enumerate(values)]
            with contextlib.suppress(Exception, SystemExit), settings_kept():
                named = dict(zip(kwargs, given[len(args) :], strict=True))
                results.append(exact(function(*given[: len(args)], **named)))
            refuse_changes()
    draw_again_from(drawn)
    return results, as_it_is(results)  # now that the arguments, of which a result may be a view, are as given


def call_with_other_weights(module: nn.Module, args: Sequence, kwargs: dict) -> Earlier:
    """As `call_with_other_numbers`, in evaluation mode: weights that it has kept then would be these."""
    with (
        holding((weight, -0.5 * weight.detach()) for weight in module.parameters()),
        evaluating(module),
    ):
        return call_with_other_numbers(module, args, kwargs)


@contextlib.contextmanager
def holding(others: Iterable[tuple[torch.Tensor, torch.Tensor]]) -> Iterator[None]:
    """Within it each tensor holds the numbers of the other beside it."""
    kept = []
    try:
        for tensor, other in list(others):
            # Past autograd, which counts changes: a graph that a probe has made still fits afterwards.
            numbers = tensor.data
            with contextlib.suppress(RuntimeError):  # one that repeats its numbers, as an expanded one
                kept.append((numbers, numbers.clone()))
                numbers.copy_(other)
        yield
    finally:
        for numbers, before in reversed(kept):  # one tensor may be there twice, or a part of another
            with contextlib.suppress(RuntimeError):
                numbers.copy_(before)


def _other(value: Any) -> Any:
    """Other numbers in a tensor, the items of a list in another order, the next whole number.

    It is one that an answer can work with: ids that stand for themselves would keep it busy for ever.
    """
    if isinstance(value, torch.Tensor) and value.dim() and value.numel() > 1:
        return value.detach().flip(-1).roll(1, 0).requires_grad_(value.requires_grad)
    if type(value) is dict and all(isinstance(key, tuple) for key in value):
        return {key[::-1]: item for key, item in value.items()}
    if type(value) is dict:
        return dict(zip(value, [*value.values()][::-1], strict=True))
    if type(value) is int:
        return value + 1
    return value[::-1] if isinstance(value, (list, tuple, str)) and len(value) > 1 else value
