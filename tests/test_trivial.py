"""An answer that does nothing, or gives the same whatever it is given, earns nothing."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from graded import GRADED, points
from torch import nn

from course_lib.checks.exercise import Interface


def tensor(given: Sequence[Any]) -> torch.Tensor:
    return next(one for one in given if isinstance(one, torch.Tensor))


GIVES: dict[str, Callable[[Sequence[Any]], Any]] = {
    "0": lambda given: 0,
    "a list": lambda given: [],
    "its first argument": lambda given: given[0],
    "its last argument": lambda given: given[-1],
    "a list of what its first argument holds": lambda given: list(given[0]),
    "a copy": lambda given: tensor(given).clone(),
    "two copies": lambda given: (tensor(given).clone(), tensor(given).clone()),
    "the mean": lambda given: tensor(given).float().mean(),
    "zero": lambda given: torch.zeros(()),
    "zeros": lambda given: torch.zeros_like(tensor(given)),
    "False everywhere": lambda given: torch.zeros_like(tensor(given), dtype=torch.bool),
}


@pytest.mark.parametrize("name", [name for name, exercise in GRADED.items() if not exercise.is_test])
def test_it_earns_nothing(name):
    earned = {what: points(name, answer_that(gives, GRADED[name].interface)) for what, gives in GIVES.items()}
    assert {what: got for what, got in earned.items() if got} == {}


def answer_that(gives: Callable[[Sequence[Any]], Any], interface: Interface) -> Any:
    """A function or a class that is called as the exercise says, and gives that."""

    def answer(*args: Any, **named: Any) -> Any:
        return gives([*args, *named.values()])

    if interface.builds == "function":
        return signed(answer, interface.signature)

    def method(self: Any, *args: Any, **named: Any) -> Any:
        return answer(*args, **named)

    own = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    called = signed(method, inspect.Signature([*own, *interface.method.parameters.values()]))
    methods = dict.fromkeys(("forward", "__call__", "encode", "decode"), called)
    if interface.builds == "module":
        del methods["__call__"]

    class Answer(nn.Module if interface.builds == "module" else object):
        def __init__(self, *args: Any, **named: Any) -> None:
            super().__init__()

        def __len__(self) -> int:
            return 0

    for method_name, function in methods.items():
        setattr(Answer, method_name, function)
    return signed(Answer, interface.signature)


def signed(made: Any, signature: inspect.Signature) -> Any:
    made.__signature__ = signature
    return made
