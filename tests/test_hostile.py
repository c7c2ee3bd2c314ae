"""Hostile submissions: each gets the points that its honest part has earned, and hurts nobody else."""

import os
import re

import pytest
from hostile import CORPUS, THEMES
from hostile.ours import grade
from hostile.stock import template
from hostile.submission import BLUFF, HONEST, Submission

from course_lib.authoring.build import ROOT
from course_lib.exercises.attention import check
from course_lib.grading.demo_students import CLASS, EXERCISES
from course_lib.grading.sandbox.isolation import probe

pytestmark = pytest.mark.xdist_group("hostile")  # one graded class for all

# Without these layers some attacks do harm; then they are not let loose.
NEEDED = {"session", "pid", "mount", "net", "rlimits", "processes"}
NEIGHBORS = [
    Submission(
        f"{'am'[number % 2]}_{student.name}",  # graded first, and between the attacks
        student.story,
        answers=dict.fromkeys(HONEST, "pass\n") | student.answers,
        spoil=student.spoil,
        earned={name: student.expected(name) for name in EXERCISES},
        honest=True,
    )
    for number, student in enumerate(CLASS)
    if set(student.answers) >= set(HONEST)
]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    if missing := {layer for layer, state in probe().items() if state != "active"} & NEEDED:
        pytest.skip(f"this machine cannot hold back attacks: it lacks {', '.join(sorted(missing))}")
    course, before = tmp_path_factory.mktemp("hostile") / "course", os.getcwd()
    template(course, {submission.lesson for submission in CORPUS})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_CANARY", "secret")
        patch.chdir(course)  # where an instructor works
        evidence = grade(course, [*CORPUS, *NEIGHBORS])
    assert os.getcwd() == before
    return evidence


@pytest.mark.parametrize("submission", CORPUS, ids=lambda submission: submission.name)
def test_points_are_those_of_the_honest_part(found, submission):
    points = found[submission.name].points
    assert points is not None, found[submission.name].flags
    assert {name: points[name] for name in submission.expected()} == submission.expected()


@pytest.mark.parametrize("submission", CORPUS, ids=lambda submission: submission.name)
def test_flags(found, submission):
    flags = "\n".join(found[submission.name].flags)
    if submission.honest:
        assert flags == ""
    assert re.search(submission.flag, flags, re.IGNORECASE), flags


@pytest.mark.parametrize("submission", CORPUS, ids=lambda submission: submission.name)
def test_no_attack_gets_where_it_must_not(found, submission):
    assert found[submission.name].loot == []


@pytest.mark.parametrize("neighbor", NEIGHBORS, ids=lambda neighbor: neighbor.name)
def test_the_rest_of_the_class_is_untouched(found, neighbor):
    points = found[neighbor.name].points
    assert {name: points[name] for name in EXERCISES} == neighbor.expected()


def test_nothing_is_changed_heard_or_left_alive(found):
    evidence = found[CORPUS[0].name]
    assert (evidence.changed, evidence.heard, evidence.alive) == ([], [], 0)


def test_a_bluff_is_worth_nothing():
    for name, source in BLUFF.items():
        names = {}
        exec("import torch\n" + source, names)
        assert check(name, names[name], trial=True) == 0, f"{name}: an attack on it would prove nothing"


def test_the_public_seed_is_enough_where_nobody_grades():
    """But for gradients, which a table has not, and for the hidden part."""
    attack = next(submission for submission in CORPUS if submission.name == "public_seed")
    ((name, source),) = attack.answers.items()
    names = {}
    exec("import torch\n" + source, names)
    assert check(name, names[name], trial=True) == 5


def test_the_corpus_is_large_and_told_in_the_docs():
    assert len(CORPUS) >= 50 and len({submission.name for submission in CORPUS}) == len(CORPUS)
    docs = (ROOT / "docs" / "grading_security.md").read_text(encoding="utf-8")
    for theme in THEMES:
        assert theme in docs
    for submission in CORPUS:
        assert submission.tries.replace("|", "\\|") in docs, f"{submission.name} is not in the table"
