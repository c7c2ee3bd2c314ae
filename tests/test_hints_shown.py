"""How many hints a class has seen: what a saved notebook shows, and what the class report makes of it."""

import json
import re

import nbformat
import pytest
from grading_paper import FULL, LESSON, answered, hand_in, make_course
from IPython.core.formatters import DisplayFormatter

from course_lib.checks.lesson import Lesson
from course_lib.checks.panel import HINTS
from course_lib.exercises.attention import lesson
from course_lib.grading.class_report import write_report
from course_lib.grading.hints_shown import MOST, hints_shown
from course_lib.grading.results import SubmissionResult
from course_lib.state import FOLDER

QUESTION = "mask_keys_not_queries"


@pytest.fixture
def session(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path / "state"))
    return Lesson(lesson.name, *lesson.exercises.values())


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("hints"), {})


def saved(*shown):
    """A submission, and below its cells what a learner ran last, as Jupyter saves it."""
    notebook = answered(dict(FULL))
    for panel in shown:
        data = panel if isinstance(panel, dict) else DisplayFormatter().format(panel)[0]
        output = nbformat.v4.new_output("execute_result", data=data)
        notebook.cells.append(nbformat.v4.new_code_cell("hint(...)", outputs=[output]))
    return notebook


def test_hints_and_progress_carry_what_they_show(session, course):
    first = session.hint("causal_mask")
    session.hint(QUESTION)
    hand_in(course, "ada", saved(first, session.hint("causal_mask")))
    hand_in(course, "bao", saved(session.progress()))
    hand_in(course, "chen", saved())
    found = hints_shown(course)
    assert found.keys() == {"ada", "bao"} and found["ada"] == {"causal_mask": 2}
    assert found["bao"] == dict.fromkeys(lesson.exercises, 0) | {"causal_mask": 2, QUESTION: 1}
    assert "hints used" in repr(session.progress()), "what travels is what the learner sees"


def test_after_the_last_hint_they_start_again_and_are_not_counted_twice(session, course):
    number = len(lesson.exercises["causal_mask"].hints)
    shown = [session.hint("causal_mask") for _ in range(number + 2)]
    assert [panel.hints["causal_mask"] for panel in shown] == [*range(1, number + 1), number, number]
    assert session.progress().hints["causal_mask"] == number


def test_other_panels_carry_nothing(session):
    for panel in (session.hint("causl_mask"), session.model_answer(QUESTION)):
        assert HINTS not in DisplayFormatter().format(panel)[0]


@pytest.mark.parametrize(
    "forged",
    [[], {"causal_mask": "2"}, {"causal_mask": True}, {"causal_mask": MOST + 1}, {"causal_mask": -1}],
)
def test_a_forged_number_counts_nothing(forged, course):
    path = hand_in(course, "eve", saved({HINTS: forged}))
    assert "eve" not in hints_shown(course)
    path.write_text(json.dumps({"nbformat": 4, "cells": [{"outputs": [forged, {"data": []}]}]}))
    assert "eve" not in hints_shown(course)
    path.write_bytes(b"{")
    assert "eve" not in hints_shown(course)


def test_the_report_compares_those_with_hints_and_those_without(tmp_path):
    statuses = {"ada": "right", "bao": "wrong", "chen": "right", "dora": "right"}
    made = [
        SubmissionResult(name, {}, {}, statuses={"causal_mask": status}) for name, status in statuses.items()
    ]
    shown = {
        "ada": {"causal_mask": 2},
        "bao": {"causal_mask": 1},
        "chen": {"causal_mask": 0},
        "gone": {"x": 1},
    }
    page = write_report(tmp_path, LESSON, made, shown).read_text()
    section = re.search(r"<h2>Hints</h2>.*?</table>", page)[0]
    assert "Counted in 3 of 4 submissions" in section
    assert "<td>causal_mask</td><td>1: 1, 2: 1</td><td>1/2</td><td>1/1</td>" in section
    assert "<td>padding_mask</td><td>none</td>" in section
    nobody = write_report(tmp_path, LESSON, made).read_text()
    assert "Counted in 0 of 4" in nobody and "<h2>Hints</h2>" in nobody
