"""What is right in each part and wrong where all is at once costs one part, where all else is right."""

import importlib
import inspect
import math
from pathlib import Path

import pytest
import right_apart
from graded import GRADED, expected, points
from right_apart.attention import scaled_dot_product_attention__output_without_scale as output_without_scale

from course_lib.checks.judgement import AT_ONCE, judge
from course_lib.checks.observation import observe
from course_lib.exercises.attention import lesson

NAME = "scaled_dot_product_attention"


def wrong_answers():
    for path in sorted(Path(right_apart.__file__).parent.glob("[a-z]*.py")):
        module = importlib.import_module(f"right_apart.{path.stem}")
        for name, answer in vars(module).items():
            is_answer = "__" in name[1:] or name in GRADED
            if is_answer and callable(answer) and inspect.getmodule(answer) is module:
                yield pytest.param(name.partition("__")[0], answer, id=f"{path.stem}-{name}")


def test_each_exercise_is_asked_for_everything_at_once():
    named = {"wrong_lines"}  # six numbers
    lack = {name for name, one in GRADED.items() if not one.whole and not one.is_test}
    assert lack == named


@pytest.mark.parametrize(("name", "answer"), [*wrong_answers()])
def test_it_does_not_have_all_points(name, answer):
    assert 0 < points(name, answer) < GRADED[name].points


def test_it_costs_the_smallest_visible_part_and_says_why():
    exercise, outcomes = GRADED[NAME], expected(NAME, 0)
    verdicts = judge(outcomes, observe(outcomes.task, output_without_scale)).verdicts
    wrong = [verdict for verdict in verdicts if verdict.status != "right"]
    smallest = min((part for part in exercise.parts if not part.hidden), key=lambda part: part.points)
    assert [verdict.part for verdict in wrong] == [smallest]
    assert wrong[0].message.startswith(AT_ONCE) and "`output[" in wrong[0].message
    assert points(NAME, output_without_scale) == exercise.points - smallest.points


def test_a_class_report_counts_it_by_what_is_wrong():
    told = lesson.check(NAME, output_without_scale, trial=True).report.data()["unnamed"]
    assert told.startswith("`output[")


def test_beside_a_mistake_nothing_is_said_of_it():
    def no_scale_at_all(query, key, value, mask=None):
        output, _ = output_without_scale(query, key, value, mask)
        _, weights = output_without_scale(query * math.sqrt(query.shape[-1]), key, value, mask)
        return output, weights

    outcomes = expected(NAME, 0)
    verdicts = judge(outcomes, observe(outcomes.task, no_scale_at_all)).verdicts
    assert "wrong" in {verdict.status for verdict in verdicts}
    assert not any(verdict.message.startswith(AT_ONCE) for verdict in verdicts)
