"""The tables of the checks are their own test: right answers pass, each mistake is called by its own name."""

import copy
import re
from dataclasses import replace
from functools import cache

import pytest
import torch
from conftest import SEEDS
from graded import GRADED, LESSONS, drawing, expected

from course_lib.checks.examples import Example, goes_right
from course_lib.checks.judgement import fits, judge, may_be_right
from course_lib.checks.observation import Outcome, observe
from course_lib.checks.plain import plain


@pytest.fixture(scope="session")
def seeds(pytestconfig):
    """How many to try, 0 first; `--seeds 1` is a fast tier. By default one mistake in ten has two."""
    return range(pytestconfig.getoption("--seeds"))


EXERCISES = list(GRADED.values())
WITHOUT_HIDDEN = {name: exercise for lesson in LESSONS for name, exercise in lesson.exercises.items()}

# What the cases of an exercise share is computed once a process: xdist's groups keep them in one.


@cache
def observed(name, index):
    """What a mistake gives where it is observed as an answer is, with seed 0."""
    return observe(expected(name, 0).task, GRADED[name].mistakes[index].implementation)


def tabled(name, index, seed):
    """The same with another seed, as its table has it; examples have no seed."""
    outcomes = expected(name, seed)
    parts = {part.name: outcomes.mistake(index, part) for part in GRADED[name].parts}
    return replace(observed(name, index), parts=parts)


def case(exercise, *rest):
    group = pytest.mark.xdist_group(f"check {exercise.name}")
    return pytest.param(exercise, *rest, id="-".join([exercise.name, *map(str, rest[:1])]), marks=group)


def right_answers(exercise):
    if not exercise.ready_made:
        yield "reference", exercise.reference_implementation
    yield from exercise.accepted.items()


RIGHT = [case(exercise, *answer) for exercise in EXERCISES for answer in right_answers(exercise)]
WRONG = [
    case(exercise, mistake.key, index)
    for exercise in EXERCISES
    for index, mistake in enumerate(exercise.mistakes)
]


@pytest.mark.parametrize(("exercise", "variant", "implementation"), RIGHT)
def test_right_answers_get_full_points(exercise, variant, implementation, seeds):
    for seed in seeds:
        outcomes = expected(exercise.name, seed)
        observation = observe(outcomes.task, implementation)
        judgement = judge(outcomes, observation)
        assert all(may_be_right(outcomes, *example) for example in observation.examples.items())
        assert [v.message for v in judgement.verdicts if v.status != "right"] == []
        assert sum(verdict.points for verdict in judgement.verdicts) == exercise.points
        assert judgement.example is None


@pytest.mark.parametrize(("exercise", "key", "index"), WRONG)
def test_mistakes_are_refused_and_called_by_their_name(exercise, key, index, seeds):
    name = exercise.name
    for seed in seeds[:1] if len(seeds) == SEEDS and index % 10 else seeds:
        observation = tabled(name, index, seed) if seed else observed(name, index)
        judgement = judge(expected(name, seed), observation)
        visible = [verdict for verdict in judgement.verdicts if not verdict.part.hidden]
        assert any(verdict.status == "wrong" for verdict in visible), "a learner would not be told"
        assert judgement.mistakes == [key]
        assert judgement.example, "no small example shows it: add one"


DRAWN = [case for case in WRONG if case.values[0].name in ("dropout", "sample", "mask_tokens")]


@pytest.mark.parametrize(("exercise", "key", "index"), DRAWN)
def test_a_mistake_is_called_by_its_name_whatever_it_draws(exercise, key, index):
    outcomes, answer = expected(exercise.name, 1), drawing(exercise.mistakes[index].implementation)
    parts = {part.name: outcomes.task.run(answer, part.name) for part in exercise.parts}
    assert judge(outcomes, replace(observed(exercise.name, index), parts=parts)).mistakes == [key]


@pytest.mark.parametrize(("exercise", "key", "index"), WRONG)
def test_a_learner_without_the_hidden_parts_gets_the_right_advice(exercise, key, index):
    visible = copy.copy(expected(exercise.name, 0))
    visible.exercise = WITHOUT_HIDDEN[exercise.name]
    judgement = judge(visible, observed(exercise.name, index))
    advice = {verdict.mistake.advice for verdict in judgement.verdicts if verdict.mistake}
    assert judgement.mistakes == [key] or advice == {exercise.mistakes[index].advice}


@pytest.mark.parametrize("exercise", [case(exercise) for exercise in EXERCISES])
def test_an_exercise_is_complete(exercise):
    assert len(exercise.accepted) >= 4
    assert len(exercise.mistakes) >= 5
    assert len(exercise.hints) >= 2
    assert exercise.pending == 0
    assert any(part.hidden for part in exercise.parts)
    assert all(mistake.advice.endswith((".", ")")) for mistake in exercise.mistakes)


@pytest.mark.parametrize("exercise", [case(exercise) for exercise in EXERCISES])
def test_siblings_differ_in_some_part_or_in_what_their_advice_speaks_of(exercise):
    """Two mistakes with the same outcome everywhere and the same conditions would make advice a guess."""
    seen = {}
    for index, mistake in enumerate(exercise.mistakes):
        observation = observed(exercise.name, index)
        for other in seen.setdefault(repr(observation.parts), []):
            told_apart = not fits(other, observation.reading.code)
            assert told_apart, f"{mistake.key} acts as {other.key}, whose advice fits its code too"
        seen[repr(observation.parts)].append(mistake)


@pytest.mark.parametrize(("exercise", "key", "index"), WRONG)
def test_the_advice_of_a_mistake_fits_its_own_code(exercise, key, index):
    code = observed(exercise.name, index).reading.code
    assert fits(exercise.mistakes[index], code), code


@pytest.mark.parametrize("exercise", [case(exercise) for exercise in EXERCISES])
def test_examples_run_as_they_are_printed(exercise):
    outcomes = expected(exercise.name, 0)
    for text in exercise.examples:
        example, right = Example.shown(outcomes, text, Outcome()), outcomes.example(text)
        names = {"torch": torch, exercise.name: exercise.reference_implementation}
        names |= {used.name: used.reference_implementation for used in exercise.uses}
        exec(example.before, names)
        torch.manual_seed(0)
        if right.failure:  # a test that refuses broken code
            with pytest.raises((AssertionError, RuntimeError, IndexError)):
                eval(example.call, names)
            continue
        labeled = outcomes.task.labeled(example.call, eval(example.call, names))
        values = {label: plain(value, label) for label, value in labeled.items()}
        assert goes_right(Outcome(values), right), example.cell


@pytest.mark.parametrize("exercise", [case(exercise) for exercise in EXERCISES])
def test_the_first_hint_asks_and_gives_no_code(exercise):
    first = exercise.hints[0]
    assert "?" in first
    assert not any("(" in code for code in re.findall("`([^`]+)`", first)), first
    assert not any(re.search(r"\*\w+\*", hint) for hint in exercise.hints)
