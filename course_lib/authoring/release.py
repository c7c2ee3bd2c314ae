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
[Open this lesson in Colab]({colab}). There, save a copy in Drive first (menu *File*); the menu *Runtime*,
*Change runtime type* has a GPU.

**Before you hand in**, save, and let the course look over your file, in a new cell:
`from course_lib.submission import check_submission; check_submission("{lesson}.ipynb")`"""
SETUP = """\
# Installs the course where it is missing, as on Colab: one small file, and nothing that it needs.
import importlib.util

if importlib.util.find_spec("course_lib") is None:
    %pip install --quiet --no-deps {wheel}"""


def colab_address(lesson: str) -> str:
    """Where a badge leads: the student's notebook of this release, opened in Colab."""
    return (
        f"https://colab.research.google.com/github/{OWNER}/{REPOSITORY}/blob/{TAG}/"
        f"notebooks/{lesson}/{lesson}.ipynb"
    )


class AddSetup(NbGraderPreprocessor):
    """Last of generate_assignment's preprocessors (see nbgrader_config.py): two cells below the title."""

    def preprocess(self, notebook: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        lesson = resources["nbgrader"]["notebook"]
        about = ABOUT.format(colab=colab_address(lesson), lesson=lesson)
        notebook.cells[1:1] = [
            new_markdown_cell(about, id="about-colab"),
            new_code_cell(SETUP.format(wheel=WHEEL), id="setup"),
        ]
        return notebook, resources
