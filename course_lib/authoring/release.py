"""Where the course is published, and what that puts into a learner's notebook: a link to Colab, a setup cell.

OWNER, REPOSITORY and course_lib.__version__ are the one place: change them, then `make build`.
"""

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.preprocessors import NbGraderPreprocessor

from course_lib import __version__

OWNER, REPOSITORY = "OWNER", "REPOSITORY"
TAG = f"v{__version__}"
WHEEL = f"https://github.com/{OWNER}/{REPOSITORY}/releases/download/{TAG}/course_lib-{__version__}-py3-none-any.whl"

ABOUT = """\
[Open this lesson in Colab]({colab}), and save a copy in Drive (menu *File*). For a GPU: menu *Runtime*,
*Change runtime type*."""
HAND_IN = """\
**Before you hand in**, save the notebook, and check the saved file by running this in a new cell:
`from course_lib.submission import check_submission; check_submission("{lesson}.ipynb")`"""
SETUP = """\
# @title Setup: run this cell first
# Installs the course if it is missing, as on Colab. PyTorch and the rest are on Colab already.
import importlib.util

if importlib.util.find_spec("course_lib") is None:
    %pip install --quiet --no-deps {wheel}"""
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}  # of a cell: by JupyterLab, and by Colab


def colab_address(lesson: str) -> str:
    """Where a badge leads: the student's notebook of this release, opened in Colab."""
    return (
        f"https://colab.research.google.com/github/{OWNER}/{REPOSITORY}/blob/{TAG}/"
        f"notebooks/{lesson}/{lesson}.ipynb"
    )


class AddSetup(NbGraderPreprocessor):
    """Last of generate_assignment's preprocessors (see nbgrader_config.py): cells that every lesson has.

    Below the title are the link to Colab and the setup. That and the lesson's imports are folded, so that a
    lesson begins with its question; they run as all cells do.
    """

    def preprocess(self, notebook: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        lesson = resources["nbgrader"]["notebook"]
        for cell in notebook.cells:
            imports = cell.cell_type == "code" and cell.source.startswith(("import ", "from "))
            if imports and not {"nbgrader", "tags"} & {*cell.metadata}:
                cell.metadata |= FOLDED
        setup = new_code_cell(SETUP.format(wheel=WHEEL), id="setup", metadata=FOLDED)
        about = ABOUT.format(colab=colab_address(lesson))
        notebook.cells[1:1] = [new_markdown_cell(about, id="about-colab"), setup]
        notebook.cells.append(new_markdown_cell(HAND_IN.format(lesson=lesson), id="hand-in"))
        return notebook, resources
