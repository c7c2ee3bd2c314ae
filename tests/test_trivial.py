"""An answer that does nothing, or gives the same whatever it is given, earns nothing."""

import inspect
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import pytest
import torch
from graded import GRADED, points
from torch import nn

from course_lib.checks.exercise import Exercise, Interface, Part
from course_lib.checks.judgement import NOT_YET, Verdict, counted


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


# A mask of ones hides nothing that must be seen, one of zeros hides all that must be hidden. The other two
# have the number of words, or an error, from right code.
HALVES = {"causal_mask", "greedy_decode", "split_heads"}


@pytest.mark.parametrize("name", [name for name, exercise in GRADED.items() if not exercise.is_test])
def test_it_earns_nothing(name):
    exercise = GRADED[name]
    given = GIVES if exercise.interface.builds != "function" else GIVES | of_its_form(exercise)
    earned = {what: points(name, answer_that(gives, exercise.interface)) for what, gives in given.items()}
    assert {what: got for what, got in earned.items() if got} == {}


def test_a_part_that_waits_for_another_counts_as_soon_as_that_is_right():
    waiting, other = (
        Part("the list does not change", 1, lambda *_: {}, alone=False),
        Part("all", 2, lambda *_: {}),
    )
    before = counted([Verdict(waiting, "right"), Verdict(other, "wrong")])
    assert [(one.status, one.points, one.message) for one in before[:1]] == [("right", 0, NOT_YET)]
    after = counted([before[0], Verdict(other, "right")])
    assert [(one.points, one.message) for one in after] == [(1, ""), (2, "")]


def of_its_form(exercise: Exercise) -> dict[str, Callable[[Sequence[Any]], Any]]:
    """Zeros and ones as many as a right result has, where that is tensors."""
    reference = learners(exercise.reference_implementation)

    def filled(number: int, result: Any) -> Any:
        if isinstance(result, tuple):
            return tuple(filled(number, item) for item in result)
        return torch.full_like(result, number)

    def gives(number: int) -> Callable[[Sequence[Any]], Any]:
        return lambda given: filled(number, reference(*given))

    return {} if exercise.name in HALVES else {f"{number} in each place": gives(number) for number in (0, 1)}


def learners(function: FunctionType) -> FunctionType:
    """The same in a file of a learner's: no answer may call what is in the course's."""
    code = function.__code__.replace(co_filename="<cell>")
    return FunctionType(code, function.__globals__, function.__name__, function.__defaults__)


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
