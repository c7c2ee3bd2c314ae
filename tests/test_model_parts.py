"""A check asks a model for its parts, and not what an answer has put in front of them."""

import copy
import importlib
from types import FunctionType

import pytest
import torch
from torch import nn

from course_lib.checks.model_parts import Methods, answers_itself, own_kind_of_tensor, parameter_of, parts_of
from course_lib.checks.results import RejectedError
from course_lib.exercises.transfer_learning.freeze import Model


class Honest(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.gru = nn.ModuleList([nn.Linear(2, 2)]), nn.GRU(2, 2)

    def extra_repr(self):
        return "honest"


def test_the_parts_are_those_of_pytorch():
    model = nn.Sequential(Honest(), nn.ModuleDict({"a": nn.Linear(2, 2)}))
    assert [*parts_of(model)] == [*model.named_modules()]


def test_what_pytorch_has_written_answers_for_nobody():
    assert answers_itself(nn.Sequential(Honest(), nn.ParameterList(), nn.TransformerEncoderLayer(4, 2))) == ""


def parameters(self, recurse=True):
    return iter(())


parameters.__module__ = "torch.nn.modules.module"


@pytest.mark.parametrize(
    "lie", [{"parameters": parameters}, {"named_modules": property(lambda self: dict)}, {"buffers": None}]
)
def test_a_module_that_answers_for_itself_is_told(lie):
    (name,) = lie
    assert answers_itself(nn.Sequential(type("Lying", (Honest,), lie)())) == name


def test_an_attribute_in_front_of_a_method_is_told():
    made = Honest()
    made.layers.state_dict = dict
    assert answers_itself(made) == "state_dict"


def test_a_property_is_no_parameter():
    class Lying(nn.Linear):
        weight = property(lambda self: TABLE)

    with pytest.raises(AttributeError, match="no parameter 'weight'"):
        parameter_of(nn.Sequential())
    made = nn.Linear(2, 2)
    assert parameter_of(made) is made.weight and parameter_of(nn.Linear(2, 2, bias=False), "bias") is None
    kept = parameter_of(made)
    made.__class__ = Lying
    assert made.weight is TABLE and parameter_of(made) is kept


TABLE = nn.Parameter(torch.ones(2, 2))


def test_a_parameter_or_a_buffer_of_another_class_than_pytorchs_is_told():
    class Still(nn.Parameter):
        requires_grad = property(lambda self: False)

    made = nn.Sequential(Honest(), nn.BatchNorm1d(2), nn.LazyLinear(2), nn.ParameterList([torch.ones(1)]))
    assert own_kind_of_tensor(made) == ""
    made[0].layers[0].weight = Still(torch.ones(2, 2))
    assert own_kind_of_tensor(made) == "0.layers.0.weight"
    made[0].layers[0].weight = nn.Parameter(torch.ones(2, 2))
    made[1].register_buffer("running_var", Still(torch.ones(2)))
    assert own_kind_of_tensor(made) == "1.running_var"


def on_the_object(model):
    model.named_parameters = list


def on_a_part(model):
    model.head.forward = model.head.forward


def on_the_class(model):
    type(model).get_parameter = lambda self, name: None


def new_on_the_class(model):
    type(model).training = property(lambda self: True)


@pytest.mark.parametrize("change", [on_the_object, on_a_part, on_the_class, new_on_the_class])
def test_who_changes_the_methods_of_what_it_is_given_is_refused_also_later(change):
    names, model, other = {*vars(Model)}, Model(), Model()
    Methods(model).refuse_replaced()
    methods = Methods(model)
    change(model)
    try:
        with pytest.raises(RejectedError, match="Leave the methods of"):
            methods.refuse_replaced()
        if "class" in change.__name__:  # it stays changed for the next model
            with pytest.raises(RejectedError):
                Methods(other).refuse_replaced()
    finally:
        for name in {*vars(Model)} - names:
            delattr(Model, name)


def test_a_method_that_was_sent_twice_is_the_same_and_one_of_another_module_is_not():
    class Given:
        def method(self):
            return len([])

    Given.__module__ = Model.__module__
    methods, method = Methods(Given()), Given.method
    Given.method = FunctionType(method.__code__, globals() | {})
    methods.refuse_replaced()
    Given.method = FunctionType(method.__code__, {"len": max, "__name__": "__main__"})
    with pytest.raises(RejectedError, match=r"`method` has been replaced in the class `.*Given`"):
        methods.refuse_replaced()


def test_what_python_writes_in_a_class_is_no_change_of_it():
    class Given:
        """Of which nobody has made a copy yet."""

    Given.__module__ = Model.__module__
    given = Given()
    methods = Methods(given)
    assert "__slotnames__" not in vars(Given)
    copy.deepcopy(given)
    assert "__slotnames__" in vars(Given)
    Given.__doc__ = None
    methods.refuse_replaced()


def test_what_compiling_writes_in_pytorchs_class_is_no_change_of_an_answer(monkeypatch):
    model = Model()
    methods, init = Methods(model), nn.Module.__init__
    for name in "__init__", "__setstate__":  # as `torch._dynamo` does it, and put back for later tests
        monkeypatch.setattr(nn.Module, name, getattr(nn.Module, name))
    monkeypatch.setattr(nn.Module, "___needs_generation_tag_patch", True, raising=False)
    importlib.import_module("torch._dynamo.mutation_guard").install_generation_tagging_init()
    assert nn.Module.__init__ is not init
    methods.refuse_replaced()
    monkeypatch.setattr(nn.Module, "__init__", lambda self: init(self))
    with pytest.raises(RejectedError, match="`__init__` has been replaced in the class `Module`"):
        methods.refuse_replaced()
