"""Whole lessons, answered in idioms that are unlike the course's own: each has all points and no flag."""

import re
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from course_lib.authoring.build import lessons
from course_lib.grading.nbgrader.cell_points import cell_points
from course_lib.grading.nbgrader.repair import grade_id

if not sys.platform.startswith("linux"):
    pytest.skip("the grader needs Linux; elsewhere the stock kernel grades", allow_module_level=True)

from lesson_graders import grader, text

LESSONS = [path.stem for path in lessons()]
PART = re.compile("^# === (.*)\n", re.MULTILINE)


def answered(lesson):
    """A section is an answer, or another cell: `+softmax` above this answer, `+` below the setup."""
    notebook = nbformat.reads(text("solutions", lesson, f"{lesson}.ipynb"), as_version=4)
    _, *parts = PART.split(text("tests", "honest", "idioms", f"{lesson}.txt"))
    for name, source in zip(parts[::2], parts[1::2], strict=True):
        where = name.removeprefix("+")
        keys = [grade_id(cell) if where else cell.cell_type for cell in notebook.cells]
        place = keys.index(where) if where else keys.index("code") + 1
        if name == where:
            notebook.cells[place].source = source.strip("\n")
        else:
            notebook.cells.insert(place, new_code_cell(source.strip("\n")))
    return notebook


@pytest.mark.parametrize("lesson", LESSONS)
def test_it_has_all_points(lesson):
    notebook = answered(lesson)
    with grader(lesson) as own:
        own.grade(notebook)
    checks = {name: cell for cell in notebook.cells if (name := grade_id(cell)).startswith("check_")}
    full = {name: cell.metadata.nbgrader.points for name, cell in checks.items()}
    points = cell_points(notebook).points
    assert {name: points[name] for name in full} == full
    assert not notebook.metadata.get("course_flags")
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert not [output.evalue for output in outputs if output.output_type == "error"]
