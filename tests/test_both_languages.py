"""Each accepted variant and each listed mistake, once through an English and once through a Chinese notebook.

The real grader grades both, with the same inputs. A learner's notebook holds an exercise once. These hold its
answer's cell and its check once for each answer, so that a lesson takes one child process for each language
and group of exercises. One answer in 72 by default; all of them where COURSE_LISTED=all.
"""

import os
import sys

import nbformat
import pytest

from course_lib import exercises
from course_lib.authoring.build import ROOT, lessons
from course_lib.authoring.translation.units import language
from course_lib.checks.score import MIME, code
from course_lib.language import language_of, languages, say, speaking

if not sys.platform.startswith("linux"):
    pytest.skip("the grader needs Linux; elsewhere the stock kernel grades", allow_module_level=True)

from course_lib.grading.nbgrader.cell_points import FLAGS
from course_lib.grading.sandbox.grader import Grader
from course_lib.grading.sandbox.isolation import Limits

LESSONS = [path.stem for path in lessons()]
LIMITS = Limits(seconds=3000, memory=2**33, output_bytes=2**33)  # of a notebook with hundreds of answers


class Everything(Grader):
    """Its notebooks may import the listed answers, and hidden parts come directly after their check.

    The child keeps one answer of an exercise until the end, and here there are many.
    """

    def __init__(self, lesson, lent, notebooks):
        hidden = (ROOT / "solutions" / f"{lesson}_hidden.py").read_text(encoding="utf-8")
        released, *editions = map(nbformat.writes, notebooks)
        super().__init__(lesson, hidden, released=released, editions=editions, isolation="off", limits=LIMITS)
        names = self.judge.names
        self.judge.names = lambda imported: dict(names(imported)) | lent

    def _steps(self, *given):
        yield from sorted(super()._steps(*given), key=lambda step: step.index)


def listed(exercise):
    """By the name that lends it: each listed answer, and the mistake that it is. The last ones are right."""
    answers = [(mistake.implementation, mistake) for mistake in exercise.mistakes]
    answers += [(implementation, None) for implementation in exercise.accepted.values()]
    chosen = answers if os.environ.get("COURSE_LISTED") == "all" else answers[::72]
    return {f"listed_{exercise.name}_{number}": answer for number, answer in enumerate(chosen)}


def holding(notebook, lesson, names):
    """The learner's notebook with a cell and a check for each of the answers, whose names are given."""
    cells = []
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if grade_id in names:
            answer = cell
        elif (checked := cell.metadata.get("check")) in names:
            for name in names[checked]:
                source = f"from {exercises.package(lesson)} import {name} as {checked}"
                pair = answer | {"id": name, "source": source}, cell | {"id": f"check_{name}"}
                cells += map(nbformat.from_dict, pair)
        else:
            cells.append(cell)
    return nbformat.from_dict(notebook | {"cells": cells})


def graded(lesson, answers, locale):
    """English and translated: the outputs of all checks, in the order of the answers."""
    names = {name: list(of_exercise) for name, of_exercise in answers.items()}
    paths = [ROOT / folder / "notebooks" / lesson / f"{lesson}.ipynb" for folder in (".", language(locale))]
    notebooks = [holding(nbformat.read(path, as_version=4), lesson, names) for path in paths]
    assert [language_of(notebook.cells) for notebook in notebooks] == ["en", locale]
    lent = {name: answer for of_exercise in answers.values() for name, (answer, _) in of_exercise.items()}
    with Everything(lesson, lent, notebooks) as grader:
        for notebook in notebooks:
            grader.grade(notebook)
            assert FLAGS not in notebook.metadata
    return [
        [cell.outputs[-1].data for cell in notebook.cells if cell.metadata.get("check") in names]
        for notebook in notebooks
    ]


@pytest.mark.slow
@pytest.mark.parametrize("locale", sorted(languages()))
@pytest.mark.parametrize("lesson", LESSONS)
def test_each_listed_answer_is_judged_alike_and_told_in_the_notebooks_language(lesson, locale):
    tables = exercises.load(lesson).exercises
    answers = {name: listed(exercise) for name, exercise in tables.items()}
    ours, theirs = graded(lesson, answers, locale)
    asked = [(tables[name], mistake) for name, of in answers.items() for _, mistake in of.values()]
    for (exercise, mistake), mine, other in zip(asked, ours, theirs, strict=True):
        assert mine["text/plain"] == other["text/plain"] and mine[MIME] == other[MIME]
        assert mine[MIME]["exercise"] == exercise.name
        assert mine[MIME]["mistakes"] == ([mistake.key] if mistake else [])
        assert (mine[MIME]["points"] == exercise.points) is (mistake is None)
        if mistake:
            with speaking(locale):
                advice = say(mistake.advice)
            assert code(mistake.advice) in mine["text/html"] and code(advice) in other["text/html"]
            assert advice != mistake.advice and code(mistake.advice) not in other["text/html"]
