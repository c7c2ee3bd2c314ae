"""Stock nbgrader on a class of made-up submissions, from release to feedback."""

import csv
import re
import shutil

import nbformat
import pytest
from grading_paper import rows

from course_lib.authoring.build import ROOT
from course_lib.command import main
from course_lib.grading import demo_class
from course_lib.grading.demo_class import nbgrader
from course_lib.grading.demo_students import CLASS, EXERCISES, LESSON, QUESTION, SDPA, UNREADABLE
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.nbgrader.kernel_grader import KernelGrader
from course_lib.grading.results import NOT_GRADED, results, table

pytestmark = pytest.mark.xdist_group("grading")  # one graded class for all


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = tmp_path_factory.mktemp("class") / "course"
    demo_class.make_class(course)
    demo_class.grade(course)
    return course


@pytest.fixture(scope="module")
def found(course):
    return {result.student: result for result in results(Course(course, LESSON))}


@pytest.mark.parametrize("student", CLASS, ids=lambda student: student.name)
def test_points(found, student):
    points = found[student.name].points
    assert {name: points[name] for name in EXERCISES} == {name: student.expected(name) for name in EXERCISES}


def test_a_written_answer_waits_for_a_person(found):
    assert found["ada"].points[QUESTION] is None
    assert found["hana"].points[QUESTION] == 0, "an untouched answer is worth nothing, without reading it"


def test_diagnoses(found):
    assert found["dora"].mistakes[SDPA] == ["no_scale"]
    assert found["dora"].mistakes["causal_mask"] == ["one_too_many"]
    assert found["emre"].mistakes["padding_mask"] == ["masks_rows"]
    assert found["fay"].mistakes["additive_attention"] == ["no_tanh"]
    assert found["mei"].mistakes["attention_pooling"] == ["unlisted"]
    sums = "`weights[target …]` sums to … over source, but the sum must be …."
    assert found["mei"].unnamed == {"attention_pooling": sums}
    assert found["nils"].notes[0].startswith("padding_mask: SyntaxError")


def test_repairs_are_listed(found):
    assert found["jana"].notes == ["cell check_padding_mask was missing: restored"]
    assert sorted(found["kofi"].notes) == [
        "cell causal_mask was copied: the last copy counts",
        "cell check_causal_mask was copied: the last copy counts",
    ]


def test_a_corrupt_notebook_is_reported_and_the_rest_is_graded(course, found):
    assert found[UNREADABLE].notes == [NOT_GRADED]
    assert f"for student '{UNREADABLE}'" in (course / "nbgrader.log").read_text()
    assert len(found) == len(CLASS) + 1


def test_the_table_shows_everybody(found):
    rows = table(list(found.values())).splitlines()
    assert len(rows) == len(found) + 1
    assert re.search(r"dora .*7/9 .*no_scale; causal_mask: one_too_many", "\n".join(rows))


def test_feedback_names_the_mistake_and_hides_hidden_parts(course):
    page = (course / "feedback" / "dora" / LESSON / f"{LESSON}.html").read_text()
    assert "Your scores are not divided by √d_k" in page
    page = (course / "feedback" / "emre" / LESSON / f"{LESSON}.html").read_text()
    assert "This part is hidden" in page
    assert "batches that you have not seen" in page


def test_each_submission_has_its_own_seed(course):
    seeds = set()
    for student in CLASS[:4]:
        notebook = nbformat.read(
            course / "autograded" / student.name / LESSON / f"{LESSON}.ipynb", as_version=4
        )
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                if score := output.get("data", {}).get("application/vnd.course-lib.score+json"):
                    seeds.add(score["seed"])
    assert len(seeds) == 4 * len(EXERCISES)


def test_export(course):
    with open(course / "grades.csv", newline="") as file:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert scores["bao"] == 29
    assert scores["dora"] == 25


def test_release(course, tmp_path):
    released = tmp_path / "exchange" / "transformer" / "outbound" / LESSON / f"{LESSON}.ipynb"
    (tmp_path / "exchange").mkdir(mode=0o777)
    (tmp_path / "exchange").chmod(0o777)
    done = nbgrader(course, "release_assignment", LESSON, f"--Exchange.root={tmp_path / 'exchange'}")
    assert done.returncode == 0
    assert released.read_text() == (ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb").read_text()


def test_validate(course, tmp_path):
    """What a learner's Validate button says, of the solution and of the untouched version."""
    for folder, verdict in (
        ("solutions", "Success! Your notebook passes all the tests."),
        ("notebooks", "failed"),
    ):
        path = ROOT / folder / LESSON / f"{LESSON}.ipynb"
        (tmp_path / "nbgrader.log").unlink(missing_ok=True)
        assert nbgrader(tmp_path, "validate", str(path)).returncode == 0
        assert verdict in (tmp_path / "nbgrader.log").read_text()


def test_a_kernel_that_ends_no_cell_gives_no_points_and_takes_none():
    """It may have been the machine: the runner tries again, then says that it could not grade."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import os\nos._exit(7)")])
    with KernelGrader(LESSON, "") as grader, pytest.raises(RuntimeError, match="died in its first cell"):
        grader.grade(notebook)


@pytest.mark.parametrize("options", [[], ["--stock"]], ids=["isolated", "kernel"])
def test_the_fast_grader_leaves_the_same_gradebook(course, tmp_path, options, monkeypatch):
    """The same rows in all tables that tell of submissions, but for ids."""
    for name in ("solutions", "submitted"):
        shutil.copytree(course / name, tmp_path / name)
    shutil.copy(course / "nbgrader_config.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["grade", LESSON, "--workers", "2", *options]) == 1, "one cannot be read"
    fast, stock = rows(Course(tmp_path, LESSON)), rows(Course(course, LESSON))
    assert [row for row in fast + stock if fast.count(row) != stock.count(row)] == []
    shown = {result.student: result for result in results(Course(tmp_path, LESSON))}
    assert shown["dora"].mistakes[SDPA] == ["no_scale"]


def test_regrading_gives_the_same_points(course, found):
    assert nbgrader(course, "autograde", LESSON, "--student", "fay", "--force").returncode == 0
    again = {result.student: result for result in results(Course(course, LESSON))}["fay"]
    assert again.points == found["fay"].points
