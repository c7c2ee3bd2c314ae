"""The bench of slips must make the slips that it says, and find a hole that is there."""

import sys

import pytest
import torch

from course_lib.authoring.build import ROOT
from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson import Lesson

sys.path.insert(0, str(ROOT / "tests" / "bench"))

import diagnosis
from equivalent_mutants import explained
from mutation import Mutant, Seen, instrumented, mutants, normalized

X, Y = torch.tensor([[1.0, 5.0, 2.0], [4.0, 0.5, 6.0]]), torch.tensor([[2.0], [3.0]])
MASK = torch.tensor([[True, False, True]])
SLIPS = [
    ("dropped_operand", "return x + y", (X, Y), "return x"),
    ("swapped_operands", "return x / y", (X, Y), "return y / x"),
    ("other_operation", "return x + y", (X, Y), "return x - y"),
    ("other_comparison", "return x < y", (X, Y), "return x <= y"),
    ("negated", "return x.masked_fill(y, 0.0)", (X, MASK), "return x.masked_fill(~y, 0.0)"),
    ("swapped_arguments", "return torch.dot(x, y)", (X[0], X[1]), "return torch.dot(y, x)"),
    ("dropped_argument", "return x.sum(dim=1, keepdim=True)", (X, Y), "return x.sum(dim=1)"),
    ("other_number", "return x.sum(dim=-1)", (X, Y), "return x.sum(dim=0)"),
    ("off_by_one", "return x[:y]", (X, 1), "return x[:y + 1]"),
    ("sibling", "return x.sum()", (X, Y), "return x.mean()"),
    ("dropped_call", "return torch.relu(x)", (X, Y), "return x"),
    ("dropped_attribute", "return x.mT", (X, Y), "return x"),
    ("exchanged_calls", "return torch.tanh(torch.relu(x))", (X, Y), "return torch.relu(torch.tanh(x))"),
    ("hard_coded", "return x / x.shape[-1]", (X, Y), "return x / 3"),
    ("detached", "return x * y", (X.clone().requires_grad_(), Y), "return x.detach() * y"),
    ("another_kind", "return x * y", (X, Y), "return (x * y).tolist()"),
    ("one_of_two", "return (x, y)", (X, Y), "return x"),
    ("almost", "return x / y", (X, Y), "return torch.round(x / y, decimals=3)"),
    ("other_rows", "return [row for row in x]", (X, Y), "return [row for row in list(x)[1:]]"),
    ("kept", "return x * y", (X, Y), "return KEPT.setdefault('kept', x * y)"),
    ("constant_for_argument", "return x * y", (X, 7), "return x * 7"),
    ("ignored_parameter", "return x * y", (X, Y), "return x * x"),
    ("other_name", "return torch.relu(x)", (X, Y), "return torch.relu(y)"),
]


def slips_of(source, arguments):
    """Operator and new source of each mutant of a function that has been called once."""
    seen: dict[int, Seen] = {}

    def saw(number, value):
        seen.setdefault(number, Seen()).note(value)
        return value

    namespace = {"torch": torch, "_saw": saw}
    exec(instrumented(source), namespace)
    namespace["f"](*arguments)
    return [(mutant.operator, mutant.source) for mutant in mutants(source, seen, set())]


@pytest.mark.parametrize(("operator", "line", "arguments", "slip"), SLIPS)
def test_an_operator_makes_the_slip_that_it_names(operator, line, arguments, slip):
    assert (operator, f"def f(x, y):\n    {slip}") in slips_of(f"def f(x, y):\n    {line}", arguments)


def test_statements_are_left_out_exchanged_and_made_to_depend_on_the_mode():
    source = "def f(model, x):\n    x = x + 1\n    x = x * 2\n    return x"
    found = slips_of(source, (None, X))
    assert ("deleted", "def f(model, x):\n    x = x + 1\n    return x") in found
    assert ("swapped_statements", "def f(model, x):\n    x = x * 2\n    x = x + 1\n    return x") in found
    once = "def f(model, x):\n    x = x + 1\n    if model.training:\n        x = x * 2\n    return x"
    assert ("only_sometimes", once) in found
    assert ("twice", "def f(model, x):\n    x = x + 1\n    x = x * 2\n    x = x * 2\n    return x") in found
    assert ("in_place", "def f(model, x):\n    x += 1\n    x = x\n    x = x * 2\n    return x") in found


def test_another_number_of_the_same_axis_is_no_slip():
    sources = [source for _, source in slips_of("def f(x, y):\n    return x.sum(dim=-1)", (X, Y))]
    assert not [source for source in sources if "dim=1)" in source]


def test_what_never_runs_is_left_alone():
    source = "def g(x):\n    return x + 1\n\ndef f(x, y):\n    return x * y"
    assert not [slip for _, slip in slips_of(source, (X, Y)) if "return x + 1" not in slip]


def test_a_program_has_the_name_of_the_exercise_and_no_docstrings():
    source = '@softmax.accept("short")\ndef mine(x):\n    """Doc."""\n    return mine(x)'
    assert normalized(source, "mine", "softmax") == "def softmax(x):\n    return softmax(x)"


def survivors(monkeypatch, *sizes):
    """Of an exercise whose only part has inputs of these sizes."""
    exercise = Exercise("average", points=1, returns=("mean",), hints=[], examples=["average([1., 2.])"])
    exercise.reference(lambda x: sum(x) / len(x))

    @exercise.part("the mean", points=1)
    def mean(average, inputs):
        return {f"mean of {size}": average(inputs.normal(size).tolist()) for size in sizes}

    lesson = Lesson("00_planted", exercise)
    lesson.graded = lesson.exercises
    program = diagnosis.Program("reference", "def average(x):\n    return sum(x) / len(x)", {})
    monkeypatch.setattr(diagnosis, "all_lessons", lambda: {"00_planted": lesson})
    monkeypatch.setattr(diagnosis, "programs", lambda name: [program])
    for outcomes in (diagnosis.expected_for, diagnosis.visible_for):
        outcomes.cache_clear()
    slips = diagnosis.slips("average", seeds=2)
    checked, tried = (
        [made for slip in slips if (made := judged("average", *slip, seeds=2)) and made.outcome == "survived"]
        for judged in (diagnosis.checked, diagnosis.tried)
    )
    assert [made.mutant for made in checked] == [made.mutant for made in tried]
    return [made.mutant.change for made in tried]


def test_a_planted_hole_is_found(monkeypatch):
    hole = "return sum(x) / len(x) -> return sum(x) / 3"
    assert hole in survivors(monkeypatch, 3)
    assert hole not in survivors(monkeypatch, 3, 5)


def test_a_reason_holds_for_the_changes_that_it_describes_and_no_others(monkeypatch):
    table = {"total": [("almost", "return … -> … * 1.001", "why")], "*": []}
    monkeypatch.setattr("equivalent_mutants.EQUIVALENT", table)
    known = Mutant("almost", "return sum(x) -> return sum(x) * 1.001", "")
    assert explained("total", known) == table["total"][0]
    assert explained("average", known) is None
    assert explained("total", Mutant("almost", "return sum(x) -> return sum(x) * 1.1", "")) is None
    assert explained("total", Mutant("sibling", known.change, "")) is None


def test_a_list_of_tensors_has_one_axis_more_when_stacked():
    found = slips_of("def f(x, y):\n    return torch.stack([x, y], dim=1)", (X[0], X[1]))
    assert ("other_number", "def f(x, y):\n    return torch.stack([x, y], dim=0)") in found
    assert not [source for _, source in found if "dim=-1" in source]
