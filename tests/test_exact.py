"""exact: no class of the learner's comes out of a call, whatever its methods say."""

import enum
import sys
import weakref
from collections import ChainMap, Counter, OrderedDict, UserDict, UserString, defaultdict, deque, namedtuple
from http.cookies import SimpleCookie
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
import torch
from graded import points
from torch import nn

from course_lib.checks.exact import exact
from course_lib.checks.made_of import inside
from course_lib.checks.results import RejectedError

Pair = namedtuple("Pair", "left right")


class Word(str):
    def __eq__(self, other):
        return True

    def __len__(self):
        return 7

    __hash__ = str.__hash__


class Any:
    def __eq__(self, other):
        return True

    def __call__(self):
        return self

    def __str__(self):
        return Word("1")


class Rows(list):
    def __iter__(self):
        return iter([1, 2])


class Table(dict):
    def get(self, key, default=None):
        return 1

    def items(self):
        return [(1, 1)]


class Color(enum.IntEnum):
    RED = 1


KEPT = [
    *(None, True, 3, 2.5, "a", b"a", [1, "a"], (1, [2]), {1, 2}, {"a": [1]}, torch.ones(2), nn.Linear(1, 1)),
    *(OrderedDict(a=1), defaultdict(int), deque([1]), np.ones(2), np.float32(1), range(3)),
    *(torch.Size([1]), torch.ones(2).topk(1), torch.float32, len, max, Counter.update, torch.device("cpu")),
]
MADE_ORDINARY = [
    *((Word("a"), "a"), ([Word("b")], ["b"]), ({Word("c"): 1}, {"c": 1}), (Pair(1, 2), (1, 2))),
    (Counter("aab"), {"a": 2, "b": 1}),  # a class of Python's may have been given other methods
    *(
        (Rows([3]), [3]),
        (Table(a=2), {"a": 2}),
        (Color.RED, 1),
        (SimpleCookie(), {}),
        ({"a": (Word("d"),)}, {"a": ("d",)}),
    ),
]


@pytest.mark.parametrize("value", KEPT, ids=lambda value: type(value).__name__)
def test_what_is_ordinary_stays_the_same_object(value):
    assert exact(value) is value


@pytest.mark.parametrize(("value", "ordinary"), MADE_ORDINARY, ids=lambda value: type(value).__name__)
def test_what_is_of_a_class_of_ones_own_is_made_ordinary(value, ordinary):
    made = exact(value)
    assert type(made) is type(ordinary) and repr(made) == repr(ordinary)


HELD = Any()
# What a library makes of it: it stands for anything too, or computes when it is read.
STAND_INS = [mock.ANY, mock.Mock(), weakref.proxy(HELD), np.array(HELD), np.array([HELD, 1])]
STAND_INS += [torch.SymInt(HELD), torch.SymFloat(HELD), UserString("a"), UserDict(), ChainMap({})]
STAND_INS += [deque([HELD]), (HELD for _ in "a"), {"a": HELD}.values(), slice(HELD), SimpleNamespace()]


@pytest.mark.parametrize("value", [Any(), [Any()], {"A": Any()}, {"B": (1, Any())}, *STAND_INS])
def test_anything_else_of_ones_own_is_refused(value):
    with pytest.raises(RejectedError, match="A result is a value of type"):
        exact(value)


class Yes(torch.Tensor):
    def __bool__(self):
        return True

    def __eq__(self, other):
        return True


def test_what_is_read_later_is_read_at_once():
    read = []
    made = exact(read.append(i) or i for i in range(3))
    assert read == [0, 1, 2] and [*made] == read
    assert exact({"a": Word("b")}.values()) == ["b"]


def test_a_tensor_of_a_class_of_ones_own_becomes_torchs():
    leaf = torch.ones(2, requires_grad=True)
    (made,) = exact([(leaf * 2).as_subclass(Yes)])
    (gradient,) = torch.autograd.grad(made.sum(), leaf)
    assert type(made) is torch.Tensor and gradient.tolist() == [2, 2]
    assert points("wrong_lines", lambda: dict.fromkeys("ABCDEF", torch.zeros(1).as_subclass(Yes))) == 0


def test_what_equals_everything_finds_no_wrong_line():
    for line in (Any(), Word("5"), Word("x"), *STAND_INS):
        assert points("wrong_lines", lambda line=line: dict.fromkeys("ABCDEF", line)) == 0


def test_an_array_of_objects_hides_nothing():
    assert any(one is enum for one in inside([np.array([[enum, 1]])]))


def test_a_class_of_a_notebook_is_the_learners_own(monkeypatch):
    notebook = type(torch)("__main__")
    exec("class Maps(dict):\n    pass", vars(notebook))
    monkeypatch.setitem(sys.modules, "__main__", notebook)
    assert type(exact(notebook.Maps(a=1))) is dict
