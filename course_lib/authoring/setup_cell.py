"""What each lesson begins and ends with: a link to Colab, the setup, a look at the file that is handed in."""

from itertools import takewhile
from typing import NamedTuple

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.preprocessors import NbGraderPreprocessor

from course_lib.authoring.address import Address, read_address
from course_lib.authoring.translation.units import language


class Words(NamedTuple):
    """What is written in these cells, in one language."""

    about: str
    hand_in: str
    published: str
    fallback: str
    unpublished: str


ABOUT = """\
[Open this lesson in Colab]({colab}), and save a copy in Drive (menu *File*). For a GPU: menu *Runtime*,
*Change runtime type*."""
HAND_IN = """\
**Before you hand in**, save the notebook, and check the saved file by running this in a new cell:
`from course_lib.submission import check_submission; check_submission("{lesson}.ipynb")`"""
PUBLISHED = """\
# @title Setup: run this cell first
# Installs the course if it is missing, as on Colab. PyTorch and the rest are on Colab already.
import importlib.util
import os

os.environ.setdefault("COURSE_LANGUAGE", "{locale}")
if importlib.util.find_spec("course_lib") is None:
    %pip install --quiet --no-deps {name}=={version}"""
FALLBACK = """
if importlib.util.find_spec("course_lib") is None:
    %pip install --quiet --no-deps {download}"""
UNPUBLISHED = """\
# @title Setup: run this cell first
# Looks whether the course is installed.
import importlib.util
import os

os.environ.setdefault("COURSE_LANGUAGE", "{locale}")
if importlib.util.find_spec("course_lib") is None:
    raise ModuleNotFoundError("To get the course, copy its whole folder here and type `make lab` in it.")"""
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}  # of a cell: by JupyterLab, and by Colab


ENGLISH = Words(ABOUT, HAND_IN, PUBLISHED, FALLBACK, UNPUBLISHED)
SETUP = "setup"
ADDED = ("about-colab", SETUP, "hand-in")  # the ids of the cells


def setup(address: Address, words: Words = ENGLISH, locale: str = "en") -> str:
    """The source of the setup cell. It names no address while there is none.

    locale: the language in which checks answer, see course_lib.language.
    """
    if not address.repository:
        return words.unpublished.format(locale=locale)
    source = words.published.format(name=address.name, version=address.version, locale=locale)
    return source + (words.fallback.format(download=address.download) if address.download else "")


def sources_of_added(
    lesson: str, address: Address, words: Words = ENGLISH, locale: str = "en"
) -> dict[str, str]:
    """The sources of the cells by their ids; no link to Colab while the course has no address."""
    colab = address.colab(lesson, "" if locale == "en" else language(locale))
    about = {"about-colab": words.about.format(colab=colab)} if colab else {}
    return about | {SETUP: setup(address, words, locale), "hand-in": words.hand_in.format(lesson=lesson)}


class AddSetup(NbGraderPreprocessor):
    """Last of generate_assignment's preprocessors (see nbgrader_config.py): cells that every lesson has.

    Below the title are the link to Colab, where the course is on GitHub, and the setup. That and the lesson's
    imports are folded, so that a lesson begins with its question; they run as all cells do.
    """

    def preprocess(self, notebook: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        lesson, address = resources["nbgrader"]["notebook"], read_address()
        for cell in takewhile(_has_imports, (cell for cell in notebook.cells if cell.cell_type == "code")):
            cell.metadata |= FOLDED
        added = sources_of_added(lesson, address)
        notebook.cells.insert(1, new_code_cell(added[SETUP], id=SETUP, metadata=FOLDED))
        if about := added.get("about-colab"):
            notebook.cells.insert(1, new_markdown_cell(about, id="about-colab"))
        notebook.cells.append(new_markdown_cell(added["hand-in"], id="hand-in"))
        return notebook, resources


def _has_imports(cell: NotebookNode) -> bool:
    is_plain = not {"nbgrader", "tags"} & {*cell.metadata}
    return is_plain and cell.source.startswith(("import ", "from "))
