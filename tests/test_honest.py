"""Honest notebooks of many kinds, graded as a class: none loses a point, none is flagged.

One kind in six by default; all of them where COURSE_HONEST=all, for ten minutes.
"""

import json
import os
import shutil
import sys

import pytest
from honest import ANSWERS, BYTES, CELLS, CHANGES, answered, solved, with_cell

from course_lib.authoring.build import ROOT
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.results import results
from course_lib.grading.runner import run

if not sys.platform.startswith("linux"):
    pytest.skip("the grader needs Linux; elsewhere the stock kernel grades", allow_module_level=True)

pytestmark = pytest.mark.xdist_group("honest")  # one graded class for all
FAST = "course_lib.grading.sandbox.grader.Grader"


def class_of(lesson, cells, answers, changes, texts):
    """By name, the bytes of each submission."""
    notebooks = {f"cell_{name}": with_cell(lesson, source) for name, source in cells.items()}
    notebooks |= {f"answers_{name}": answered(lesson, change) for name, change in answers.items()}
    for name, change in changes.items():
        notebooks[f"notebook_{name}"] = solved(lesson)
        change(notebooks[f"notebook_{name}"])
    files = {name: json.dumps(notebook).encode() for name, notebook in notebooks.items()}
    return files | {f"file_{name}": write(solved(lesson)) for name, write in texts.items()}


def chosen(kinds):
    """Those that run by default."""
    step = 1 if os.environ.get("COURSE_HONEST") == "all" else 6
    return {name: kinds[name] for name in [*kinds][::step]}


# Where answers are functions, kinds of all sorts; in 05, whose answers are classes too and one is called as
# the lesson, the kinds that this can matter to.
OF_PIECES = """class Norm(LayerNorm):
    kind: type[LayerNorm] = LayerNorm


def attend(layer: MultiHeadAttention | None, x, mask, attention=MultiHeadAttention):
    return layer(x, x, x, mask)


"""
OF_CLASSES = "docstrings_tested", "extra_methods", "frozen_dataclass", "pip_above", "getsource"
CLASSES = {
    "02_attention": tuple(map(chosen, (CELLS, ANSWERS, CHANGES, BYTES))),
    "05_layer_norm": (
        {name: CELLS[name] for name in ("float64", "doctest", "star")},
        {name: ANSWERS[name] for name in OF_CLASSES},
        {name: CHANGES[name] for name in ("checked_often", "imports_gone", "skip_tag", "stripped")},
        {},
    ),
    # Pieces of earlier lessons are there when a cell is run.
    "06_encoder_decoder": (
        {},
        {"made_of_pieces": lambda source: OF_PIECES + source.replace("LayerNorm(", "Norm(")},
        {},
        {},
    ),
}
SUBMISSIONS = {lesson: class_of(lesson, *kinds) for lesson, kinds in CLASSES.items()}
KINDS = [(lesson, name) for lesson, files in SUBMISSIONS.items() for name in files]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """By lesson: results by student, full points, and the run's summary."""
    return {
        lesson: grade(tmp_path_factory.mktemp(lesson), lesson, files) for lesson, files in SUBMISSIONS.items()
    }


def grade(folder, lesson, files):
    for name in (f"{lesson}/{lesson}.ipynb", f"{lesson}_hidden.py"):
        (folder / "solutions" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "solutions" / name, folder / "solutions" / name)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    course = Course(folder, lesson)
    bundle = course.bundle(grader=FAST)
    for student, text in files.items():
        path = course.folder("submitted", student) / f"{lesson}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(text)
    summary = run(course, bundle)
    checks = [cell for cell in bundle.source.cells if cell.name.startswith("check_")]
    full = {cell.name.removeprefix("check_"): cell.max_score for cell in checks}
    return {result.student: result for result in results(course)}, full, summary


@pytest.mark.parametrize(("lesson", "name"), KINDS, ids=lambda value: value)
def test_it_costs_no_point_and_raises_no_flag(found, lesson, name):
    students, full, summary = found[lesson]
    assert name not in summary.failures
    assert {exercise: students[name].points.get(exercise) for exercise in full} == full
    assert name not in summary.flags
