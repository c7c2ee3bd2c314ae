"""The tables of the checks are their own test: right answers pass, each mistake is called by its own name."""

import os
from functools import cache

import pytest

from course_lib import exercises
from course_lib.authoring.build import ROOT, lessons
from course_lib.checks.expected import Expected
from course_lib.checks.judgement import judge
from course_lib.checks.lesson import SOLUTIONS
from course_lib.checks.observation import observe

SEEDS = (0, 1, 2, 3)


def checked_lessons():
    os.environ[SOLUTIONS] = str(ROOT / "solutions")
    for path in lessons():
        yield exercises.load(path.stem)


LESSONS = list(checked_lessons())
EXERCISES = [exercise for lesson in LESSONS for exercise in lesson.graded.values()]
GRADED = {exercise.name: exercise for exercise in EXERCISES}
WITHOUT_HIDDEN = {name: exercise for lesson in LESSONS for name, exercise in lesson.exercises.items()}


@cache
def rehearsal(name, seed, hidden=True):
    return Expected((GRADED if hidden else WITHOUT_HIDDEN)[name], seed)


def judged(exercise, implementation, seed, hidden=True):
    rehearsed = rehearsal(exercise.name, seed, hidden)
    return judge(rehearsed, observe(rehearsed.task, implementation))


def cases(table):
    return [
        pytest.param(exercise, entry, id=f"{exercise.name}-{name}")
        for exercise in EXERCISES
        for name, entry in table(exercise)
    ]


RIGHT = cases(
    lambda e: [("reference", e.reference_implementation)] * (not e.ready_made) + [*e.accepted.items()]
)
WRONG = cases(lambda e: [(mistake.key, mistake) for mistake in e.mistakes])


@pytest.mark.parametrize(("exercise", "implementation"), RIGHT)
def test_right_answers_get_full_points(exercise, implementation):
    for seed in SEEDS:
        judgement = judged(exercise, implementation, seed)
        assert [v.message for v in judgement.verdicts if v.status != "right"] == []
        assert sum(verdict.points for verdict in judgement.verdicts) == exercise.points
        assert judgement.example is None


@pytest.mark.parametrize(("exercise", "mistake"), WRONG)
def test_mistakes_are_refused_and_called_by_their_name(exercise, mistake):
    for seed in SEEDS:
        judgement = judged(exercise, mistake.implementation, seed)
        visible = [verdict for verdict in judgement.verdicts if not verdict.part.hidden]
        assert any(verdict.status == "wrong" for verdict in visible), "a learner would not be told"
        assert judgement.mistakes == [mistake.key]
        assert judgement.example, "no small example shows it: add one"


@pytest.mark.parametrize(("exercise", "mistake"), WRONG)
def test_a_learner_without_the_hidden_parts_gets_the_right_advice(exercise, mistake):
    judgement = judged(exercise, mistake.implementation, SEEDS[0], hidden=False)
    advice = {verdict.mistake.advice for verdict in judgement.verdicts if verdict.mistake}
    assert judgement.mistakes == [mistake.key] or advice == {mistake.advice}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_an_exercise_is_complete(exercise):
    assert len(exercise.accepted) >= 4
    assert len(exercise.mistakes) >= 5
    assert len(exercise.hints) >= 2
    assert exercise.pending == 0
    assert any(part.hidden for part in exercise.parts)
    assert all(mistake.advice.endswith((".", ")")) for mistake in exercise.mistakes)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_siblings_differ_in_some_part(exercise):
    """Two mistakes with the same outcome everywhere must share one entry, or advice would be a guess."""
    seen = {}
    for mistake in exercise.mistakes:
        outcomes = repr(observe(rehearsal(exercise.name, 5).task, mistake.implementation).parts)
        other = seen.setdefault(outcomes, mistake)
        assert other is mistake, f"{mistake.key} acts as {other.key}"
