"""One text, two notebooks: builds are exact, and a broken text says where and how to mend it."""

import re
import shutil
import subprocess
import sys

import jupytext
import nbformat
import pytest

from course_lib.authoring import build, setup_cell
from course_lib.authoring.address import read_address
from course_lib.authoring.build import ROOT, SourceError, build_lesson, instructor, lessons
from course_lib.command import main

EXERCISE = """# %% exercise="causal_mask"
def causal_mask(size):
    ### BEGIN SOLUTION
    return None
    ### END SOLUTION


"""
CHECK = """# %% check="causal_mask" points=3
check("causal_mask", causal_mask)
"""


@pytest.fixture
def write(tmp_path):
    """Write a lesson named 02_attention, so that the real checks belong to it."""

    def write(text):
        path = tmp_path / "solutions" / "02_attention.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text("# %% [markdown]\n# # A lesson\n\n" + text, encoding="utf-8")
        shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
        return path

    return write


def test_committed_notebooks_are_not_stale():
    assert build.build_course(check=True) == 0


def test_two_builds_are_identical():
    path = lessons()[0]
    assert build_lesson(path) == build_lesson(path)


def test_check_fails_and_build_mends(tmp_path, monkeypatch, capsys):
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions")
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    (tmp_path / "course_lib").mkdir()
    for name in (
        "nbgrader_config.py",
        "README.md",
        "pyproject.toml",
        "CHANGELOG.md",
        "CITATION.cff",
        "course_lib/graded_cells.json",
        "course_lib/questions.json",
    ):
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "lessons", lambda: lessons(tmp_path))
    monkeypatch.setattr(build, "build_lesson", lambda path: build_lesson(path, tmp_path))
    target = tmp_path / "notebooks/02_attention/02_attention.ipynb"
    before = target.read_text()
    target.write_text(before.replace("Attention", "Inattention"))
    readme = tmp_path / "README.md"
    readme.write_text(readme.read_text().replace("| lesson | minutes |", "| lesson | hours |"))
    assert main(["build", "--check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "stale notebooks/02_attention/02_attention.ipynb",
        "stale README.md",
    ]
    assert main(["build"]) == 0
    assert target.read_text() == before
    assert readme.read_text() == (ROOT / "README.md").read_text()


def test_a_changed_word_changes_few_lines(write):
    path = write(EXERCISE + CHECK)
    before = build_lesson(path, path.parent.parent)
    path.write_text(path.read_text().replace("# # A lesson", "# # The lesson"))
    after = build_lesson(path, path.parent.parent)
    for old, new in zip(before.values(), after.values(), strict=True):
        changed = [a for a, b in zip(old.splitlines(), new.splitlines(), strict=True) if a != b]
        assert len(changed) <= 2  # the line, and the cell's id, which is a hash of it


GENERATE = """import sys
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config.loader import PyFileConfigLoader
config = PyFileConfigLoader("nbgrader_config.py").load_config()
api = NbGraderAPI(CourseDirectory(config=config), config=config)
for lesson in sys.argv[1:]:
    result = api.generate_assignment(lesson)
    assert result["success"], result"""


@pytest.mark.slow
def test_it_equals_what_nbgrader_makes(tmp_path):
    """By nbgrader's own interface, which formgrader uses; test_grading.py runs its command."""
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions")
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    command = [sys.executable, "-c", GENERATE, *(path.stem for path in lessons())]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    for path in lessons():
        made = tmp_path / "notebooks" / path.stem / f"{path.stem}.ipynb"
        assert made.read_text() == (ROOT / made.relative_to(tmp_path)).read_text()


def test_jupytext_writes_the_text_again(tmp_path):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    names = [f"{path.stem}.ipynb" for path in lessons()]
    for path in lessons():
        shutil.copy(ROOT / "solutions" / path.stem / f"{path.stem}.ipynb", tmp_path)
    command = [sys.executable, "-m", "jupytext", "--to", "py:percent", *names]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    for path in lessons():
        assert (tmp_path / path.name).read_text() == path.read_text()


def test_each_lesson_begins_with_its_title_and_the_setup_and_ends_with_handing_in():
    for path in lessons():
        title, setup, *_, last = nbformat.reads(list(build_lesson(path).values())[1], as_version=4).cells
        assert title.source.startswith("# ")
        assert f'check_submission("{path.stem}.ipynb")' in last.source
        assert setup.source == setup_cell.setup(read_address())


def test_what_every_lesson_begins_with_is_folded():
    for path in lessons():
        notebook = nbformat.reads(list(build_lesson(path).values())[1], as_version=4)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        folded = [cell for cell in code if cell.metadata.get("jupyter") == {"source_hidden": True}]
        assert folded == code[: len(folded)] and len(folded) >= 2  # the setup, and the imports
        assert all(cell.metadata.cellView == "form" for cell in folded)


def test_the_release_is_named_in_one_place():
    for path in [
        *(ROOT / "course_lib").rglob("*.py"),
        ROOT / "pyproject.toml",
        *(ROOT / "docs").glob("*.md"),
    ]:
        if path.name != "address.py":
            assert "colab.research.google.com/github" not in path.read_text(encoding="utf-8"), path


def test_readme_has_a_picture_of_each_lesson():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in lessons():
        picture = f"docs/pictures/{path.stem}.png"
        assert len(re.search(rf'<img src="{picture}" width="\d+" alt="([^"]+)">', readme)[1]) > 30
        assert (ROOT / picture).read_bytes().startswith(b"\x89PNG")


def test_students_get_stubs_and_no_solutions():
    for path in lessons():
        student = nbformat.reads(list(build_lesson(path).values())[1], as_version=4)
        text = "\n".join(cell.source for cell in student.cells)
        assert "SOLUTION" not in text and "HIDDEN" not in text and "Marking guide" not in text
        solutions = [c for c in student.cells if c.metadata.get("nbgrader", {}).get("solution")]
        assert all("NotImplementedError" in c.source for c in solutions if c.cell_type == "code")


def test_demos_are_skipped_when_graded():
    path = lessons()[0]
    demos = [cell for cell in instructor(path).cells if cell.metadata.get("title") == "demo"]
    assert len(demos) > 5
    assert all(cell.metadata.tags == ["skip-execution"] for cell in demos)


BROKEN = {
    "an unknown key": (EXERCISE + CHECK.replace("points", "ponts"), "15?: unknown key 'ponts'"),
    "an unknown word": ("# %% dmeo\n1 + 1\n", "unknown key 'dmeo'"),
    "no points": (EXERCISE + CHECK.replace(" points=3", ""), "points missing: add points=N"),
    "points that are a word": (EXERCISE + CHECK.replace("=3", '="many"'), "points missing"),
    "points that do not agree": (EXERCISE + CHECK.replace("=3", "=4"), "gives 4 points, its parts 3"),
    "points without a check": ("# %% points=3\n1 + 1\n", "points belong to a check"),
    "an exercise twice": (
        EXERCISE + EXERCISE + CHECK,
        "two cells with exercise='causal_mask', the first in line 4",
    ),
    "a check twice": (EXERCISE + CHECK + CHECK, "two cells with check='causal_mask'"),
    "a check without exercise": (CHECK, "has no cell exercise='causal_mask' before it"),
    "an exercise without check": (EXERCISE, "has no cell check='causal_mask'"),
    "a check of nothing": (
        EXERCISE + CHECK.replace("causal_mask", "casual_mask"),
        "the lesson has attention_pooling",
    ),
    "another last line": (EXERCISE + CHECK + "print()\n", 'must be check("causal_mask", causal_mask)'),
    "never closed": (
        EXERCISE.replace("    ### END SOLUTION\n", "") + CHECK,
        "BEGIN SOLUTION is never closed",
    ),
    "never begun": (
        EXERCISE.replace("    ### BEGIN SOLUTION\n", "") + CHECK,
        "END SOLUTION without a beginning",
    ),
    "nested": (
        EXERCISE.replace("BEGIN SOLUTION\n", "BEGIN SOLUTION\n    ### BEGIN SOLUTION\n") + CHECK,
        "BEGIN SOLUTION inside another",
    ),
    "no solution": (EXERCISE.replace("### ", "# no ").replace("SOLUTION", "") + CHECK, "no solution in it"),
    "a solution outside": ("# %%\n### BEGIN SOLUTION\n1\n### END SOLUTION\n", "would be given to learners"),
    "two things at once": (EXERCISE.replace("# %% ", "# %% demo ") + CHECK, "a cell is one thing"),
    "a question in code": ('# %% question="why" points=1\n1\n', "a question is answered in words"),
}


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_text_says_where_and_how_to_mend_it(write, text, message):
    path = write(text)
    with pytest.raises(SourceError) as caught:
        instructor(path)
    assert message.removeprefix("15?: ") in str(caught.value)
    assert str(caught.value).startswith("02_attention.py:")
    line = int(str(caught.value).split(":")[1])
    assert path.read_text().splitlines()[line - 1].startswith("# %%")


def test_text_before_the_first_cell(write):
    path = write("")
    path.write_text("import torch\n" + path.read_text())
    with pytest.raises(SourceError, match=r"02_attention.py:1: text before the first cell"):
        instructor(path)


def test_a_lesson_without_checks(write):
    path = write("").rename(write("").with_name("12_nowhere.py"))
    with pytest.raises(SourceError, match=r"there is no package course_lib.exercises.nowhere"):
        instructor(path)


def test_a_text_can_be_opened_as_a_notebook():
    for path in lessons():
        assert jupytext.read(path).cells[0].cell_type == "markdown"
