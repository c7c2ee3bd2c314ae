"""The check before handing in: it names what grading would stumble over, and nothing else."""

import subprocess
import sys

import nbformat
import pytest

from course_lib.authoring.build import ROOT
from course_lib.submission import check_submission

LESSON = "00_start_here"


@pytest.fixture
def submission(tmp_path):
    """The solution's file, after a change; returns its path."""

    def submission(change=lambda notebook: None, name=LESSON):
        notebook = nbformat.read(ROOT / "solutions" / LESSON / f"{LESSON}.ipynb", as_version=4)
        change(notebook)
        nbformat.write(notebook, tmp_path / f"{name}.ipynb")
        return tmp_path / f"{name}.ipynb"

    return submission


def cell(notebook, name):
    return next(c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == name)


def test_a_finished_notebook(submission):
    told = repr(check_submission(submission()))
    assert told.startswith(f"✓ can be handed in: {LESSON}, as saved at ")
    assert "softmax: right, 7 of 7 points, and 1 hidden" in told
    assert "masked_mean: right, 5 of 5 points, and 1 hidden" in told
    assert "one_maximum_for_all: answered" in told


def test_an_untouched_notebook_can_be_handed_in_and_has_no_points():
    told = repr(check_submission(ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb"))
    assert told.startswith(f"✓ can be handed in, but 3 are empty: {LESSON}, as saved at ")
    assert "softmax: not attempted, 0 of 7 points, and 1 hidden" in told
    assert "one_maximum_for_all: not answered" in told


def test_a_written_answer_alone_is_missing(submission):
    def empty(notebook):
        cell(notebook, "one_maximum_for_all").source = " *Write your answer here.* "

    told = repr(check_submission(submission(empty)))
    assert told.startswith(f"✓ can be handed in, but 1 is empty: {LESSON}, as saved at ")


def copied(notebook):
    notebook.cells.append(nbformat.from_dict(cell(notebook, "check_softmax") | {"id": "copy"}))


def damaged(notebook):
    copied(notebook)
    notebook.cells.remove(cell(notebook, "check_masked_mean"))
    del cell(notebook, "softmax").metadata["nbgrader"]


def changed_check(notebook):
    cell(notebook, "check_softmax").source = 'check("softmax", torch.softmax)'


def leftovers(notebook):
    cell(notebook, "masked_mean").source = "masked_mean = leftover_of_this_session"
    cell(notebook, "softmax").source = "def softmax(scores:"


def gone(notebook):
    notebook.cells.append(nbformat.v4.new_code_cell("import os; os._exit(7)"))


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        (
            damaged,
            [
                "The cell `softmax` is missing. Copy it from a fresh notebook",
                "The cell `check_softmax` is there 2 times. The last one counts",
                "The cell `check_masked_mean` is missing. It will be put back.",
            ],
        ),
        (changed_check, ["The check cell `check_softmax` was changed."]),
        (
            leftovers,
            [
                "(`softmax`) raises SyntaxError",
                "(`check_softmax`) raises NameError",
                "(`masked_mean`) raises NameError: name 'leftover_of_this_session' is not defined",
                "(`check_masked_mean`) raises NameError",
            ],
        ),
        (gone, ["ended the Python process (exit code 7)"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_would_go_wrong_is_named(submission, change, problems):
    panel = check_submission(submission(change))
    assert repr(panel).startswith(f"✗ {len(problems)} to correct")
    for line, problem in zip(repr(panel).splitlines()[1:], problems, strict=False):
        assert problem in line
    assert panel._repr_html_().count("<li>") == len(problems)


def test_a_renamed_file_is_recognized_experiments_do_not_run_and_input_does_not_hang(submission):
    def change(notebook):
        skipped = nbformat.v4.new_code_cell("1 / 0", metadata={"tags": ["skip-execution"]})
        notebook.cells += [skipped, nbformat.v4.new_code_cell("input()")]

    told = repr(check_submission(submission(change, name=f"Copy of {LESSON}")))
    assert told.startswith("✗ 2 to correct")
    assert f"Rename the file to `{LESSON}.ipynb`." in told
    assert "(`input()`) raises EOFError" in told
    assert "softmax: right" in told


def test_it_does_not_wait_forever(submission):
    waits = lambda notebook: notebook.cells.append(nbformat.v4.new_code_cell("import time; time.sleep(99)"))  # noqa: E731
    assert "took longer than 0.5 seconds" in repr(check_submission(submission(waits), seconds=0.5))


def test_what_is_no_submission_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"there is no file nowhere.ipynb in "):
        check_submission("nowhere.ipynb")
    (tmp_path / "text.ipynb").write_text("hello")
    with pytest.raises(ValueError, match=r"text.ipynb is not a notebook: JSONDecodeError"):
        check_submission(tmp_path / "text.ipynb")
    nbformat.write(nbformat.v4.new_notebook(), tmp_path / "empty.ipynb")
    with pytest.raises(ValueError, match="has no graded cell of any lesson: 00_start_here"):
        check_submission(tmp_path / "empty.ipynb")


def test_from_the_command_line(submission, tmp_path):
    command = [sys.executable, "-m", "course_lib", "check-submission", str(submission(copied))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "✗ 1 to correct before you hand in" in done.stdout
    assert done.stderr == ""
