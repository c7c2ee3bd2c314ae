"""exercise: what is declared, and what an author is told who declares it wrongly."""

import sys
from types import ModuleType

import pytest

from course_lib.checks.exercise import Exercise, Mistakes
from course_lib.checks.expected import Expected
from course_lib.checks.lesson import Lesson


def test_a_mistake_has_name_advice_and_sources():
    mistake = Mistakes()

    @mistake("C1", "C2")
    def upper():
        """Your rows see
        the future."""

    @mistake
    class Other:
        """Another."""

    first, second = mistake
    assert (first.key, first.advice, first.sources) == ("upper", "Your rows see the future.", ("C1", "C2"))
    assert first.implementation is upper
    assert (second.key, second.sources, second.implementation) == ("Other", (), Other)


def test_a_mistake_that_is_declared_wrongly_is_refused():
    mistake = Mistakes()

    def silent():
        pass

    with pytest.raises(ValueError, match="the mistake silent has no docstring"):
        mistake(silent)
    with pytest.raises(TypeError, match=r'sources of a mistake are text, as in @mistake\("C1"\); got 12'):
        mistake(12)
    silent.__doc__ = "Advice."
    mistake(silent)
    with pytest.raises(ValueError, match="two mistakes are named silent"):
        mistake("C1")(silent)


def test_names_of_parts_and_variants_are_not_used_twice():
    one = Exercise("one", points=1, returns=(), hints=[], examples=[])
    one.accept("plain")(int)
    one.part("is one", points=1)(lambda one, inputs: {})
    with pytest.raises(ValueError, match="one has two accepted variants named 'plain'"):
        one.accept("plain")(float)
    with pytest.raises(ValueError, match="one has two parts named 'is one'"):
        one.part("is one", points=1)(lambda one, inputs: {})


def test_an_exercise_needs_a_reference_that_works():
    one = Exercise("one", points=1, returns=(), hints=[], examples=[])
    one.part("is one", points=1)(lambda one, inputs: {"one": one()})
    with pytest.raises(RuntimeError, match=r"reference of one fails in 'is one': .* has no reference"):
        Expected(one, 0)
    one.reference(lambda: 1 / 0)
    with pytest.raises(RuntimeError, match=r"reference of one fails in 'is one': .*ZeroDivisionError"):
        Expected(one, 0)


def test_a_lesson_finds_exercises_and_mistakes_by_name(monkeypatch):
    module, table = ModuleType("package.one"), ModuleType("package.one_mistakes")
    module.one = Exercise("one", points=1, returns=(), hints=[], examples=[])
    table.mistake = Mistakes()
    table.mistake(type("Wrong", (), {"__doc__": "Advice."}))
    monkeypatch.setitem(sys.modules, "package.one", module)
    monkeypatch.setitem(sys.modules, "package.one_mistakes", table)
    monkeypatch.setitem(sys.modules, "package.at_once", ModuleType("package.at_once"))
    lesson = Lesson.load("90_lesson", "package", ["one"])
    assert [mistake.key for mistake in lesson.exercises["one"].mistakes] == ["Wrong"]
    module.one.name = "two"
    with pytest.raises(ValueError, match=r"package\.one holds an exercise named 'two'"):
        Lesson.load("90_lesson", "package", ["one"])
