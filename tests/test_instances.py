"""instances: parameters are filled by name from the inputs, and an instance's errors are the learner's."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.guard import RaisedError
from course_lib.checks.inputs import Inputs
from course_lib.checks.instances import Builder, Built, required, zeroed
from course_lib.checks.results import RejectedError
from course_lib.model.gpt import RMSNorm

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


def builder(implementation: type[nn.Module] = Reference, expected=()):
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

    instance = builder(One, [Built({"weight": (3,)})])(3)
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


class WithoutBias(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight, self.power = nn.Parameter(torch.ones(size)), nn.Parameter(torch.ones(size))

    def forward(self, x):
        return self.weight * x**self.power


class WithBias(WithoutBias):
    def __init__(self, size):
        super().__init__(size)
        self.bias = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return super().forward(x) + self.bias


class OtherName(WithoutBias):
    def __init__(self, size):
        super().__init__(size)
        self.shift = nn.Parameter(torch.ones(size))


def lenient(implementation):
    interface = replace(Scale, optional_parameters=("bias",)).interface
    right = Builder(interface, WithBias, Inputs("a seed"))
    right(3)
    return Builder(interface, implementation, Inputs("a seed"), right.built)(3)


def test_a_parameter_that_is_optional_may_be_missing():
    without, right = lenient(WithoutBias), zeroed(lenient(WithBias), "bias")
    assert torch.equal(zeroed(without, "bias")(torch.ones(3)), right(torch.ones(3)))
    assert torch.equal(required(right, "bias"), torch.zeros(3))
    with pytest.raises(RejectedError, match="Your parameters lack `bias`"):
        required(without, "bias")


def test_an_optional_parameter_may_have_no_other_name():
    with pytest.raises(RejectedError, match="Your parameters lack `bias`; `shift` is not expected"):
        lenient(OtherName)


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


class Words:
    def __init__(self, words):
        self.words = sorted(words)

    def encode(self, words):
        return [self.words.index(word) for word in words]


class Tidy(Words):
    def __init__(self, words):
        words.sort()
        super().__init__(words)

    def encode(self, words):
        ids = super().encode(words)
        words.clear()
        return ids


@pytest.mark.parametrize(("answer", "changes"), [(Words, []), (Tidy, ["words", "words"])])
def test_a_list_that_a_class_changes_is_a_slip(answer, changes):
    interface = Exercise("Words", points=1, returns=(), hints=[], examples=[])
    interface.reference(Words)
    slips, given = [], [["b", "a"], ["b"]]
    made = Builder(interface.interface, answer, Inputs("a seed"), slips=slips)(given[0])
    assert made.encode(given[1]) == [1] and given == [["b", "a"], ["b"]]
    assert [slip.split("`")[1] for slip in slips] == changes


class Around(nn.Module):
    """It registers a module that it is given."""

    def __init__(self, size, inner):
        super().__init__()
        self.weight, self.inner = nn.Parameter(torch.ones(size)), inner


KEPT = {}


class OneWeight(Around):
    def __init__(self, size, inner):
        super().__init__(size, inner)
        self.weight = KEPT.setdefault(size, self.weight)


@pytest.mark.parametrize(("answer", "told"), [(Around, ""), (OneWeight, "share the parameter `weight`")])
def test_only_what_the_caller_gives_may_be_shared(answer, told):
    interface, slips = Exercise("Around", points=1, returns=(), hints=[], examples=[]), []
    interface.reference(Around)
    build = Builder(interface.interface, answer, Inputs("a seed"), slips=slips)
    build.fresh(3, nn.Linear(2, 2))
    build.ask_what_is_its_own()
    assert told in "".join(slips) and bool(told) == bool(slips)


class Borrowing(Reference):
    """Its own layers are one of the course's, kept in a list, where no name of its code leads to it."""

    def __init__(self, size):
        super().__init__(size)
        self.kept = [RMSNorm(size)]


def test_an_instance_holds_nothing_that_the_course_has_ready():
    build = Builder(Scale.interface, Borrowing, Inputs("a seed"), slips=[])
    build.fresh(3)
    with pytest.raises(RejectedError, match="Your code uses `RMSNorm` of the course"):
        build.ask_what_is_its_own()


class Begins(nn.Module):
    def __init__(self, size, number):
        super().__init__()
        self.first, self.last = nn.Linear(size, size), nn.Linear(size, size)
        for one in (self.first.weight, self.last.weight):
            nn.init.constant_(one, number)

    def forward(self, x):
        return self.last(self.first(x))


@pytest.mark.parametrize(("number", "told"), [(torch.nan, "begins as NaN"), (0.0, "all numbers are equal")])
def test_a_module_that_begins_with_weights_that_cannot_be_trained_costs_a_slip(number, told):
    build = Builder(Scale.interface, lambda size: Begins(size, number), Inputs("a seed"), slips=[])
    build.fresh(3)
    build.ask_what_is_its_own()
    assert told in build.slips[0]
