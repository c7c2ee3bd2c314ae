"""Written questions: criteria as hints, a model answer beside one's own, or none if it is kept back."""

import json
import re

import nbformat
import pytest

from course_lib.authoring import questions as guides
from course_lib.authoring.build import ROOT, SourceError, instructor, lessons
from course_lib.checks import questions
from course_lib.checks.lesson import Lesson
from course_lib.checks.notebook import SESSION
from course_lib.exercises.start_here import lesson
from course_lib.state import FOLDER

NAME, QUESTION = "00_start_here", "one_maximum_for_all"
FIRST = "First write your own answer in its cell, and save the notebook (Ctrl+S, on a Mac ⌘S)."


@pytest.fixture
def session(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path / "state"))
    monkeypatch.delenv(SESSION, raising=False)
    monkeypatch.chdir(tmp_path)
    return lambda: Lesson(lesson.name, *lesson.exercises.values())


@pytest.fixture
def save(tmp_path):
    """Save the learners' notebook with an answer to its question."""

    def save(answer, name=NAME):
        notebook = nbformat.read(ROOT / "notebooks" / NAME / f"{NAME}.ipynb", as_version=4)
        cell = next(c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == QUESTION)
        cell.source = answer or cell.source
        nbformat.write(notebook, tmp_path / f"{name}.ipynb")
        return tmp_path / f"{name}.ipynb"

    return save


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_each_question_has_criteria_and_a_model_answer_of_its_marking_guide(path):
    source, listed = path.read_text(encoding="utf-8"), questions.questions_of(path.stem)
    assert re.findall(r'points=(\d+) question="(\w+)"', source) == [
        (str(one.points), name) for name, one in listed.items()
    ]
    text = " ".join(re.sub(r"^# ?", "", source, flags=re.MULTILINE).split())
    for one in listed.values():
        assert len(one.criteria) == len(one.model_answer) == one.points
        for criterion, answer in zip(one.criteria, one.model_answer, strict=True):
            assert criterion.partition(" A full answer names ")[2] in text
            assert answer[4:] in text and not answer[4:].startswith("(")
            assert answer[4:] not in criterion


def test_hints_say_part_by_part_what_a_full_answer_names(session):
    first, second, third = (repr(session().hint(QUESTION)) for _ in range(3))
    assert first.startswith("Hint 1 of 2: (a) A full answer names what may be subtracted")
    assert "model_answer" not in first
    assert second.startswith("Hint 2 of 2: (b) A full answer names")
    assert second.endswith(f'and saved yours, `model_answer("{QUESTION}")` shows another.')
    assert third.startswith("From the start again: hint 1 of 2")
    assert f"{QUESTION}: notebook not found, 2 points, graded by a person, 2 hints used" in repr(
        session().progress()
    )


def test_a_model_answer_stands_beside_an_answer_only(session, save):
    fresh = session()
    save("")
    assert repr(fresh.model_answer(QUESTION)).startswith(FIRST)
    assert f"○ {QUESTION}: not answered, 2 points, graded by a person" in repr(fresh.progress())
    save("Because it cancels.")
    shown = fresh.model_answer(QUESTION)
    assert "(b) One row far below another" in repr(shown)
    assert "<p>(a) Any number" in shown._repr_html_()
    assert f"✎ {QUESTION}: answered" in repr(fresh.progress())


def test_what_was_only_passed_is_not_handed_in(session, save):
    save("")
    assert "(a) Any number" in repr(session().model_answer(QUESTION, "It cancels."))
    assert f"○ {QUESTION}: not answered" in repr(session().progress())


def test_a_renamed_notebook_is_found_by_its_session(session, save, monkeypatch):
    monkeypatch.setenv(SESSION, str(save("Because it cancels.", "Copy of it")))
    assert "(a) Any number" in repr(session().model_answer(QUESTION))


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"cells": [1]}', '{"cells": [{"metadata": {}}]}'])
def test_where_no_notebook_is_found_the_answer_is_passed(session, tmp_path, content):
    (tmp_path / f"{NAME}.ipynb").write_text(content)
    assert f'pass the text: `model_answer("{QUESTION}", "my text")`' in repr(session().model_answer(QUESTION))
    assert "cannot be found here" in repr(session().model_answer(QUESTION, " "))
    assert "(a) Any number" in repr(session().model_answer(QUESTION, "It cancels."))
    assert "(a) Any number" in repr(session().model_answer(QUESTION))
    assert f"✎ {QUESTION}: answered" in repr(session().progress())


@pytest.mark.parametrize("name", ["softmax", "nothing", len])
def test_only_questions_have_model_answers(session, name):
    told = repr(session().model_answer(name))
    assert told == f'Only written questions have model answers: `model_answer("{QUESTION}")`.'


def test_an_instructor_can_keep_model_answers_back(session, save, tmp_path, monkeypatch):
    full = {NAME: instructor(ROOT / "solutions" / f"{NAME}.py")}
    ((path, text),) = guides.questions(full, {"ModelAnswers": {"released": False}}, tmp_path).items()
    for sentence in questions.questions_of(NAME)[QUESTION].model_answer:
        assert sentence[4:] not in json.loads(text)[NAME][QUESTION]["criteria"] and sentence[4:] not in text
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(questions, "FILE", path)
    save("Because it cancels.")
    assert repr(session().model_answer(QUESTION)).startswith("Your instructor has not released")
    assert "Any number" not in repr(session().model_answer(QUESTION, "It cancels."))
    session().hint(QUESTION)
    assert "model_answer" not in repr(session().hint(QUESTION))


def test_what_is_kept_back_is_kept_back_in_every_language():
    texts = [(ROOT / folder / "solutions" / NAME / f"{NAME}.ipynb") for folder in (".", "zh")]
    english, other = ({NAME: nbformat.read(path, as_version=4)} for path in texts)
    released, kept = (
        dict(guides.translated(english, other, {"ModelAnswers": {"released": told}}))
        for told in (True, False)
    )
    told = questions.questions_of(NAME)[QUESTION]
    assert set(kept) == set(told.criteria)
    assert set(released) == {*told.criteria, *told.model_answer}


def test_progress_tells_points_of_checks_and_of_written_answers(session):
    total = "0 of 12 points, and 2 hidden; 2 more, graded by a person"
    assert total in repr(session().progress())
    assert f"<td>{total}</td>" in session().progress()._repr_html_()


GUIDE = """# %% [markdown] points=1 question="why"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# {}
# <!-- END SOLUTION -->
"""
BROKEN = {
    "(a) Nothing.": "expected a paragraph (a) **A full answer names** ...",
    "(a) **A full answer names** it. **Model answer:** It *is*.": "(a) has * or $",
    "Nothing.": "0 parts in the marking guide, expected one a point",
}


@pytest.mark.parametrize("guide", BROKEN)
def test_a_marking_guide_in_another_form_is_named(tmp_path, guide):
    path = tmp_path / "02_attention.py"
    path.write_text(GUIDE.format(guide), encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        instructor(path)
    assert BROKEN[guide] in str(caught.value)


def test_a_marking_guide_in_its_form_is_built(tmp_path):
    path = tmp_path / "02_attention.py"
    guide = "(a) **A full answer names** it. **Model answer:** It is. **Marking:** Accept *it*."
    path.write_text(GUIDE.format(guide), encoding="utf-8")
    (text,) = guides.questions({"02_attention": instructor(path)}, {}, tmp_path).values()
    assert json.loads(text)["02_attention"]["why"] == {
        "points": 1,
        "criteria": ["(a) A full answer names it."],
        "model_answer": ["(a) It is."],
    }
