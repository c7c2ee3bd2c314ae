"""Exercises whose answer is a class, or gives plain values: built, filled, watched, told apart."""

import importlib
import sys

import pytest
import torch
from torch import nn

from course_lib.checks.exercise import Exercise, Mistakes
from course_lib.checks.expected import Expected
from course_lib.checks.gradients import gradients_of, parameters
from course_lib.checks.lesson import Lesson

doubled = Exercise("doubled", points=1, returns=("output: batch d_model",), hints=[], examples=[])


@doubled.reference
def double_reference(x):
    return 2 * x


@doubled.part("doubles", points=1)
def doubles(double, inputs):
    return {"output: batch d_model": double(inputs.normal(2, 3))}


Affine = Exercise(
    "Affine",
    points=4,
    returns=("output: batch d_out",),
    hints=[],
    examples=["Affine(2, 1)(torch.ones(1, 2))"],
    uses=(doubled,),
)


@Affine.reference
class AffineReference(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d_in, d_out))
        self.bias = nn.Parameter(torch.zeros(d_out))

    def forward(self, x):
        return 2 * (x @ self.weight + self.bias)


@Affine.part("maps", points=1)
def maps(build, inputs):
    return {"output: batch d_out": build(3, 4)(inputs.normal(2, 3))}


@Affine.part("begins without a bias", points=1)
def begins(build, inputs):
    return {"bias: d_out": build.fresh(3, 4).bias, "size": len(build.fresh(3, 4).bias)}


@Affine.part("learns", points=1)
def learns(build, inputs):
    layer = build(3, 4)
    return gradients_of(layer(inputs.normal(2, 3)), parameters(layer))


mistake = Mistakes()


@mistake
class WithoutBias(nn.Module):
    """The bias is missing."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d_in, d_out))

    def forward(self, x):
        return 2 * x @ self.weight


Affine.mistakes = tuple(mistake)

Words = Exercise(
    "Words", points=2, returns=(), hints=[], examples=["Words('b a').sorted()", "len(Words('a'))"]
)


@Words.reference
class WordsReference:
    def __init__(self, text):
        self.words = text.split()

    def __len__(self):
        return len(self.words)

    def sorted(self):
        return sorted(self.words)


@Words.part("sorts", points=1)
def sorts(build, inputs):
    return {"sorted": build("c a b").sorted()}


@Words.part("counts", points=1)
def counts(build, inputs):
    return {"count": len(build("c a b")), "mean": [0.5, (1, {"x": 1.0})]}


check = Lesson("99_classes", doubled, Affine, Words).check


def told(name, answer):
    return str(check(name, answer))


def affine(order=("weight", "bias"), shape=None, scale=2):
    class Learners(nn.Module):
        def __init__(self, d_in, d_out):
            super().__init__()
            made = {"weight": torch.rand(d_in, d_out), "bias": torch.zeros(d_out)}
            for name in order:
                self.register_parameter(name, nn.Parameter(made.get(name, torch.zeros(3))))
            if shape:
                self.weight = nn.Parameter(torch.zeros(shape))

        def forward(self, x):
            return scale * (x @ self.weight + self.bias)

    return Learners


def test_filled_by_name_whatever_the_order_of_creation():
    assert check("Affine", affine(("bias", "weight"))) == 4


def test_a_second_name_of_a_parameter_does_not_matter():
    class Twice(AffineReference):
        def __init__(self, d_in, d_out):
            super().__init__(d_in, d_out)
            self.parts = nn.ParameterList([self.weight, self.bias])

    class TwiceFirst(Twice):
        def __init__(self, d_in, d_out):
            nn.Module.__init__(self)
            self.parts = nn.ParameterList(
                [nn.Parameter(torch.ones(d_in, d_out)), nn.Parameter(torch.zeros(d_out))]
            )
            self.weight, self.bias = self.parts

    assert float(check("Affine", Twice)) == float(check("Affine", TwiceFirst)) == 4


def test_a_known_mistake_of_a_class_is_named():
    score = check("Affine", WithoutBias)
    assert score.report.judgement.mistakes == ["WithoutBias"]
    assert "Your parameters lack `bias`." in str(score)
    assert "Your Affine has no `bias`." in str(score)


def test_what_is_wrong_with_a_parameter_is_said():
    assert "Your parameter `extra` is not expected." in told("Affine", affine(("weight", "bias", "extra")))
    both = told("Affine", affine(("weight", *"abcdefg")))
    assert "Your parameters lack `bias`; `a`, `b`, `c`, `d` and 3 more are not expected." in both
    assert "`weight` has shape (4, 3), expected (3, 4)" in told("Affine", affine(shape=(4, 3)))
    assert "      filled(Affine(2, 1))(torch.ones(1, 2))\n" in told("Affine", affine(scale=3))


def test_an_example_may_show_an_instance_as_it_begins():
    biased = Exercise(
        "Affine", 1, Affine.returns, hints=[], examples=["Affine.fresh(2, 1)(torch.zeros(1, 2)).sum()"]
    )
    biased.reference(AffineReference)
    biased.part("begins without a bias", points=1)(begins)

    class Biased(AffineReference):
        def __init__(self, d_in, d_out):
            super().__init__(d_in, d_out)
            self.bias = nn.Parameter(torch.ones(d_out))

    text = str(Lesson("97_fresh", biased).check("Affine", Biased))
    assert "Smallest example:\n      Affine(2, 1)(torch.zeros(1, 2)).sum()\n" in text


def test_an_example_that_is_no_call_of_the_instance_is_a_result():
    outcome = Expected(Affine, 0).task.run_example(WithoutBias, "len(list(Affine.fresh(2, 1).parameters()))")
    assert outcome.values == {"result": 1}


def test_what_is_no_module_or_no_class():
    class NoModule:
        def __init__(self, d_in, d_out):
            pass

    assert "must be a module: `class Affine(nn.Module)`" in told("Affine", NoModule)
    assert "expected a class" in told("Affine", lambda d_in, d_out: None)
    assert "Your class must take (d_in, d_out), but it takes (in1_features, in2_features," in told(
        "Affine", nn.Bilinear
    )


def test_stubs_and_errors_of_methods():
    class Stub(nn.Module):
        def __init__(self, d_in, d_out):
            raise NotImplementedError()

    class Forgot(nn.Module):
        def __init__(self, d_in, d_out):
            self.weight = nn.Parameter(torch.zeros(d_in, d_out))

    class Forward(AffineReference):
        def forward(self):
            return 1

    assert check("Affine", Stub).report.status == "not attempted"
    assert "self.weight = nn.Parameter(torch.zeros(d_in, d_out))" in told("Affine", Forgot)
    assert "before Module.__init__() call" in told("Affine", Forgot)
    assert "Your forward must take (x), but it takes ()." in told("Affine", Forward)


def test_the_global_generator_is_left_alone():
    before = torch.get_rng_state()
    check("Affine", affine())
    assert torch.equal(before, torch.get_rng_state())


def answer_that_uses_doubled():
    source = """
class Affine(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(d_in, d_out))
        self.bias = nn.Parameter(torch.zeros(d_out))

    def forward(self, x):
        return doubled(x @ self.weight + self.bias)
"""
    names = {"torch": torch, "nn": nn, "doubled": lambda x: x, "__name__": "__main__"}
    exec(source, names)
    return names


def test_one_slip_costs_one_part_across_exercises():
    names = answer_that_uses_doubled()
    mine = names["doubled"]
    assert check("doubled", mine) == 0
    assert check("Affine", names["Affine"]) == 4
    assert names["doubled"] is mine
    del names["doubled"]
    assert check("Affine", names["Affine"]) == 4
    assert "doubled" not in names


def test_plain_values():
    class Wrong(WordsReference):
        def sorted(self):
            return self.words

    assert check("Words", WordsReference) == 2
    text = told("Words", Wrong)
    assert "`sorted` is ['c', 'a', 'b'], expected ['a', 'b', 'c']." in text
    assert "Smallest example:\n      Words('b a').sorted()\n" in text
    assert "result = ['b', 'a']" in text


def test_only_plain_values_come_out_of_a_learners_class():
    class Equal(list):
        def __eq__(self, other):
            return True

    class Liar:
        __eq__ = Equal.__eq__

    class Lying(WordsReference):
        def sorted(self):
            return kind()

    kind = Equal
    assert "`sorted` is [], expected ['a', 'b', 'c']" in told("Words", Lying)
    kind = Liar
    assert "A result is a value of type test_check_classes" in told("Words", Lying)


def test_a_generator_is_no_list():
    numbers = Exercise("numbers", points=1, returns=("numbers",), hints=[], examples=[])
    numbers.reference(lambda: [1, 2])
    numbers.part("counts", points=1)(lambda make, inputs: {"numbers": list(make())})
    check = Lesson("96_numbers", numbers).check
    assert check("numbers", lambda: [1, 2]) == 1
    assert "It returned an iterator, which can be read only once; expected a value: numbers." in str(
        check("numbers", lambda: (number for number in [1, 2]))
    )


@pytest.mark.parametrize(("value", "found"), [(None, "None"), ([1], "a list of 1 value")])
def test_a_plain_label_in_returns(value, found):
    pairs = Exercise("pairs", points=1, returns=("pairs", "loss:"), hints=[], examples=[])
    pairs.reference(lambda: ([1], torch.tensor(0.0)))
    pairs.part("both", points=1)(lambda make, inputs: dict(zip(("pairs", "loss:"), make(), strict=True)))
    check = Lesson("98_pairs", pairs).check
    assert check("pairs", lambda: ([1], torch.tensor(0.0))) == 1
    assert f"It returned {found}; expected a tuple of values: pairs, loss." in str(
        check("pairs", lambda: value)
    )


def test_a_method_that_returns_nothing():
    class Silent(WordsReference):
        def sorted(self):
            sorted(self.words)

    assert "`sorted` is None, expected ['a', 'b', 'c']. Did you forget `return`?" in told("Words", Silent)


def test_an_example_tells_kinds_that_look_alike():
    class Tensors(WordsReference):
        def sorted(self):
            return torch.tensor([1, 2])

    text = told("Words", Tensors)
    assert "result = [1, 2]  (tensor, torch.int64)" in text
    assert "result = ['a', 'b']  (list)" in text


def test_one_number_is_no_multiple_of_another():
    total = Exercise("total", points=1, returns=("total:",), hints=[], examples=[])
    total.reference(lambda: torch.tensor(2.0))
    total.part("adds", points=1)(lambda add, inputs: {"total:": add()})
    check = Lesson("95_total", total).check
    assert "times the expected" not in str(check("total", lambda: torch.tensor(3.0)))
    assert "Only its sign is wrong." in str(check("total", lambda: torch.tensor(-2.0)))


def counter_exercise(**options):
    count = Exercise("count", points=1, returns=("number",), hints=[], examples=["twice(count)"], **options)
    count.reference(lambda counts: counts.append(1) or len(counts))
    count.part("counts", points=1)(lambda count, inputs: {"number": count([])})
    return Lesson("95_count", count).check


def test_a_call_that_is_meant_to_change_something_is_not_repeated():
    def twice(count):
        counts = []
        return [count(counts), count(counts)]

    check = counter_exercise(repeatable=False, names={"twice": twice})
    assert check("count", lambda counts: counts.append(1) or len(counts)) == 1
    text = str(check("count", lambda counts: counts.append(1) or 2 * len(counts)))
    assert "`number` is 2, expected 1." in text
    assert "      twice(count)\n" in text and "result = [2, 4]" in text


def test_numbers_are_told_to_six_digits():
    third = Exercise("third", points=1, returns=("number",), hints=[], examples=[])
    third.reference(lambda: 1 / 3)
    third.part("divides", points=1)(lambda third, inputs: {"number": third()})
    text = str(Lesson("94_third", third).check("third", lambda: 2 / 3))
    assert "`number` is 0.666667, expected 0.333333." in text


def told_of(reference, answer):
    """The check's text where `reference` is expected and `answer` is given."""
    ids = Exercise("ids", points=1, returns=("ids",), hints=[], examples=["ids()"])
    ids.reference(lambda: reference)
    ids.part("lists", points=1)(lambda ids, inputs: {"ids": ids()})
    return str(Lesson("93_ids", ids).check("ids", lambda: answer))


@pytest.mark.parametrize("kind", [list, torch.tensor])
def test_of_a_long_value_the_place_that_differs_is_shown(kind):
    right = list(range(60))
    wrong = [*right[:40], -7, *right[41:]]
    text = told_of(kind(right), kind(wrong))
    assert "ids = [0, 1, 2, ..., 38, 39, -7, 41, 42, 43, 44, 45, 46, ...] (60 items)" in text
    assert "ids = [0, 1, 2, ..., 38, 39, 40, 41, 42, 43, 44, 45, 46, ...] (60 items)" in text


def test_of_a_long_list_that_is_cut_or_nested_the_place_that_differs_is_shown():
    right = list(range(20))
    assert (
        "`ids` is [0, 1, 2, ..., 16, 17] (18 items), expected [0, 1, 2, ..., 16, 17, 18, 19] (20 items)."
        in (told_of(right, right[:18]))
    )
    assert "`ids` is [[0, 1, 2, ..., 16, 17, -1, 19] (20 items), [5]], expected" in (
        told_of([right, [5]], [[*right[:18], -1, 19], [5]])
    )
    assert "`ids` is [-1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...] (20 items)" in told_of(
        right, [-1, *right[1:]]
    )


def test_of_a_long_text_the_part_that_differs_is_shown():
    right = "a" * 500
    assert "`ids` is ['" + "\\x00" * 40 + "'... (300 characters)], expected ['low']." in (
        told_of(["low"], ["\0" * 300])
    )
    text = told_of([right], [right[:200] + "b" + right[:199]])
    assert f"`ids` is [...'{'a' * 10}b{'a' * 29}'... (400 characters)], expected [...'{'a' * 40}'..." in text
    assert "(500 characters)" in text


WRITTEN_BY_PYTHON = """
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import singledispatch
from typing import NamedTuple

@dataclass
class Factor:
    size: int

class Pair(NamedTuple):
    first: int

class Kind(Enum):
    TWO = 2

@contextmanager
def twice():
    yield 2

@singledispatch
def size(x):
    return 2
"""
USES = {
    "Factor": lambda Factor: Factor(2).size,
    "Pair": lambda Pair: Pair(2).first,
    "Kind": lambda Kind: Kind.TWO.value,
    "twice": lambda twice: twice().__enter__(),
    "size": lambda size: size(3),
}


@pytest.mark.parametrize(("name", "two"), USES.items(), ids=USES)
def test_a_file_of_a_learner_may_have_what_python_writes_methods_for(monkeypatch, tmp_path, name, two):
    (tmp_path / "learners_helpers.py").write_text(WRITTEN_BY_PYTHON)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "learners_helpers", raising=False)
    piece = getattr(importlib.import_module("learners_helpers"), name)
    assert check("doubled", lambda x: two(piece) * x) == 1
