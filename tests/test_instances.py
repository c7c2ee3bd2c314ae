"""instances: parameters are filled by name from the inputs, and an instance's errors are the learner's."""

import pytest
import torch
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.guard import RaisedError, RejectedError
from course_lib.checks.inputs import Inputs
from course_lib.checks.instances import Builder

Scale = Exercise("Scale", points=1, returns=("output: batch",), hints=[], examples=[])


@Scale.reference
class Reference(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(size)), nn.Parameter(torch.ones(size))

    def forward(self, x):
        return self.weight * x + self.bias

    @property
    def broken(self):
        raise ZeroDivisionError

    def lost(self):
        raise KeyError


class Turned(Reference):
    def __init__(self, size):
        nn.Module.__init__(self)
        self.bias, self.weight = nn.Parameter(torch.zeros(size)), nn.Parameter(torch.zeros(size))


class Shared(Reference):
    def __init__(self, size):
        super().__init__(size)
        self.second = self.weight


class Wide(Reference):
    def __init__(self, size):
        super().__init__(size + 1)


class Extra(Reference):
    def __init__(self, size):
        super().__init__(size)
        self.extra = nn.Parameter(torch.ones(1))


def builder(implementation=Reference, expected=()):
    return Builder(Scale.interface, implementation, Inputs("a seed"), expected)


def expected_sizes():
    reference = builder()
    reference(3)
    return reference.built


@pytest.mark.parametrize("variant", [Turned, Shared])
def test_parameters_are_filled_by_name(variant):
    right, other = builder()(3), builder(variant, expected_sizes())(3)
    assert not torch.equal(right.weight, right.bias)
    assert torch.equal(right.weight, other.weight) and torch.equal(right.bias, other.bias)
    assert list(other.filled) == ["weight", "bias"]
    assert torch.equal(right(torch.ones(3)), other(torch.ones(3)))


def test_a_single_parameter_may_have_any_name():
    class One(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.mine = nn.Parameter(torch.ones(size))

    instance = builder(One, [{"weight": (3,)}])(3)
    assert list(instance.filled) == ["weight"]
    assert not torch.equal(instance.mine, torch.ones(3))


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        (Wide, r"`weight` has shape \(4,\), expected \(3,\)"),
        (Extra, "Your parameter `extra` is not expected."),
        (lambda size: nn.Linear(size, size, bias=False), "Your parameters lack `bias`"),
        (lambda size: torch.ones(size), r"`Scale` must be a module: `class Scale\(nn.Module\)`"),
    ],
)
def test_other_parameters_than_expected_are_refused(variant, message):
    with pytest.raises(RejectedError, match=message):
        builder(variant, expected_sizes())(3)


def test_numbers_do_not_depend_on_what_was_drawn_before():
    late = builder()
    late.inputs.normal(5)
    assert torch.equal(late(3).weight, builder()(3).weight)


def test_a_fresh_instance_keeps_its_own_weights():
    assert torch.equal(builder().fresh(3).weight, torch.ones(3))


def test_what_an_instance_lacks_or_raises_is_the_learners():
    instance = builder()(3)
    with pytest.raises(RejectedError, match="Your Scale has no `missing`"):
        _ = instance.missing
    for wrong in (lambda: instance.broken, instance.lost, lambda: len(instance)):
        with pytest.raises(RaisedError):
            wrong()
