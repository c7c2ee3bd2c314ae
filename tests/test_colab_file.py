"""A file saved on Colab goes through stock nbgrader like any other."""

import json
import shutil

import pytest

from course_lib.authoring.build import ROOT
from course_lib.grading.demo_class import nbgrader
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.results import results
from course_lib.submission import check_submission

LESSON = "00_start_here"
WIDGET = {  # as Colab saves it: without the keys "state" and "version_major" that the format asks for
    "model_module": "@jupyter-widgets/controls",
    "model_name": "IntProgressModel",
    "state": {"_dom_classes": [], "value": 3},
}


def saved_on_colab(path, answers):
    """The file as Colab writes it: format 4.0, ids in the metadata, outputs and much about the run."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for number, cell in enumerate(notebook["cells"]):
        cell["metadata"]["id"] = cell.pop("id")
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = answers.get(name, cell["source"])
        if cell["cell_type"] == "code":
            cell["metadata"] |= {
                "colab": {"base_uri": "https://localhost:8080/", "height": 75},
                "outputId": f"2b8e5f7c-{number}",
                "executionInfo": {"status": "ok", "timestamp": 1786000000000, "user_tz": -120, "elapsed": 12},
            }
            view = {"application/vnd.jupyter.widget-view+json": {"model_id": "8f2", "version_major": 2}}
            cell["outputs"] = [{"output_type": "display_data", "data": view, "metadata": {}}]
    notebook["metadata"] = {
        "colab": {"provenance": [], "gpuType": "T4"},
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "language_info": {"name": "python"},
        "accelerator": "GPU",
        "widgets": {"application/vnd.jupyter.widget-state+json": {"8f2": WIDGET}},
    }
    return json.dumps(notebook | {"nbformat": 4, "nbformat_minor": 0})


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = tmp_path_factory.mktemp("colab") / "course"
    for folder in (LESSON, ""):
        (course / "solutions" / folder).mkdir(parents=True, exist_ok=True)
    shutil.copytree(ROOT / "solutions" / LESSON, course / "solutions" / LESSON, dirs_exist_ok=True)
    shutil.copy(ROOT / "solutions" / f"{LESSON}_hidden.py", course / "solutions")
    shutil.copy(ROOT / "nbgrader_config.py", course)
    submitted = course / "submitted" / "ada" / LESSON / f"{LESSON}.ipynb"
    submitted.parent.mkdir(parents=True)
    answers = {
        "softmax": "def softmax(scores):\n    logarithms = scores - scores.logsumexp(-1, keepdim=True)\n"
        "    return logarithms.exp()",
        "masked_mean": "def masked_mean(x, mask):\n    return x.mean(dim=1)",
    }
    released = ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb"
    submitted.write_text(saved_on_colab(released, answers), encoding="utf-8")
    for command in ("generate_assignment", "autograde", "generate_feedback"):
        assert nbgrader(course, command, LESSON).returncode == 0, (course / "nbgrader.log").read_text()
    return course


def test_it_is_graded(course):
    (found,) = results(Course(course, LESSON))
    assert found.points["softmax"] == 8
    assert found.points["masked_mean"] < 6
    assert found.mistakes["masked_mean"] != []
    assert found.notes == []


def test_it_gets_feedback(course):
    page = (course / "feedback" / "ada" / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")
    assert "Check of masked_mean" in page


def test_learners_can_check_it_before(course):
    told = repr(check_submission(course / "submitted" / "ada" / LESSON / f"{LESSON}.ipynb"))
    assert told.startswith("✓ can be handed in")
    assert "softmax: right, 7 of 7 points, and 1 hidden" in told
    assert "masked_mean: wrong" in told
