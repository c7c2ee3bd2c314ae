"""Every notebook, run as its reader runs it, and read for the house's style."""

import re
from itertools import pairwise

import nbformat
import pytest

from course_lib import exercises
from course_lib.authoring.build import ROOT, instructor, lessons
from course_lib.authoring.notebook_client import NotebookClient

NAMES = [path.stem for path in lessons()]
STUB = (
    "NotImplementedError: this cell (is|needs [A-Za-z_.]+, which is) not written yet.|NameError: this cell "
    "needs `[A-Za-z_]+`, which a cell above could not make: [A-Za-z_.]+ was not written. Write it, and run "
    "that cell again."
)


def read(folder, name):
    return nbformat.read(ROOT / folder / name / f"{name}.ipynb", as_version=4)


def run(notebook, path):
    """All cells, demos too; a kernel as in JupyterLab."""
    client = NotebookClient(notebook, timeout=900, allow_errors=True, skip_cells_with_tag="")
    client.resources = {"metadata": {"path": str(path)}}
    client.execute()
    return notebook


def outputs(notebook, kind):
    return [
        output
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == kind
    ]


def scores(notebook):
    key = "application/vnd.course-lib.score+json"
    return [o.data[key] for o in outputs(notebook, "execute_result") if key in o.data]


SLOW = [pytest.param(name, marks=[pytest.mark.xdist_group(name), pytest.mark.slow]) for name in NAMES]


@pytest.fixture(scope="module", params=SLOW)
def solved(request, tmp_path_factory):
    return run(read("solutions", request.param), tmp_path_factory.mktemp("solved"))


def test_the_solution_runs_clean_with_full_points(solved):
    assert outputs(solved, "error") == []
    assert [output.text for output in outputs(solved, "stream") if output.name == "stderr"] == []
    assert all(score["points"] == score["max_points"] for score in scores(solved))
    assert len(scores(solved)) == sum("check" in cell.metadata for cell in solved.cells)


def test_every_image_has_alt_text(solved):
    images = [o.data for o in outputs(solved, "execute_result") if "<img" in o.data.get("text/html", "")]
    assert len(images) >= 3
    for data in images:
        alt = re.search(r'<img alt="([^"]+)"', data["text/html"])[1]
        assert len(alt) > 30
        assert len(data["text/plain"]) > 30
    assert not any("image/png" in o.data for o in outputs(solved, "display_data")), (
        "a figure without plots.show"
    )


def shortened(notebook):
    """With trainings of 50 steps: whole ones are for the solutions."""
    for cell in notebook.cells:
        cell.source = re.sub(r"\bsteps=\d{3,}", "steps=50", cell.source)
    return notebook


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_untouched_student_version(name, tmp_path):
    """As graded: no error at all, and no points. Anew in the same kernel, with demos: only stubs fail, and
    cells that lack what those were to make, which is said.
    """
    graded, whole = read("notebooks", name), shortened(read("notebooks", name))
    graded.cells = [cell for cell in graded.cells if "skip-execution" not in cell.metadata.get("tags", [])]
    both = nbformat.v4.new_notebook(metadata=graded.metadata)
    both.cells = [*graded.cells, nbformat.v4.new_code_cell("%reset -f"), *whole.cells]
    run(both, tmp_path)
    assert outputs(graded, "error") == []
    assert [score["status"] for score in scores(graded)] == ["not attempted"] * len(scores(graded))
    assert sum(score["points"] for score in scores(graded)) == 0
    told = ["\n".join(error.traceback) for error in outputs(whole, "error")]
    assert [text for text in told if not re.fullmatch(STUB, text)] == []


@pytest.mark.parametrize("name", NAMES)
def test_committed_without_outputs(name):
    for folder in ("solutions", "notebooks"):
        cells = [cell for cell in read(folder, name).cells if cell.cell_type == "code"]
        assert all(cell.outputs == [] and cell.execution_count is None for cell in cells)


@pytest.mark.parametrize("name", NAMES)
def test_headings_and_sizes(name):
    notebook = read("solutions", name)
    levels = [
        len(match[1])
        for cell in notebook.cells
        if cell.cell_type == "markdown"
        for match in re.finditer(r"^(#+) ", cell.source, re.MULTILINE)
        if "nbgrader" not in cell.metadata
    ]
    assert levels.count(1) == 1 and levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    for cell in notebook.cells:
        lines = [line for line in cell.source.splitlines() if line.strip()]
        if cell.cell_type == "code":
            limit = 25 if "exercise" in cell.metadata else 12
            assert len(lines) <= limit, f"{len(lines)} lines: {lines[0]}"
        elif "nbgrader" not in cell.metadata:
            assert len(cell.source.split()) <= 130, lines[0]


@pytest.mark.parametrize("name", NAMES)
def test_no_line_of_prose_becomes_a_list_by_accident(name):
    for cell in read("solutions", name).cells:
        if cell.cell_type == "markdown":
            assert not re.search(
                r"^(\d+[.)]|[+*-]) [^\n]*$", cell.source.replace("\n- ", "\n"), re.MULTILINE
            ), cell.source


@pytest.mark.parametrize("name", NAMES)
def test_words(name):
    text = "\n".join(cell.source for cell in read("solutions", name).cells if cell.cell_type == "markdown")
    assert re.findall(r"\b(?:simply|just|obviously|trivially)\b", text, re.IGNORECASE) == []


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_what_may_not_be_called_is_named_in_the_text_of_the_exercise(path):
    known = exercises.load(path.stem).exercises
    text = ""
    for cell in instructor(path).cells:
        text = text + cell.source if cell.cell_type == "markdown" else text
        if name := cell.metadata.get("exercise"):
            for function in known[name].ready_made:
                assert re.search(rf"`[\w.]*\b{function}`", text), f"{name}: {function} is not named before it"
        if cell.cell_type == "code":
            text = ""
