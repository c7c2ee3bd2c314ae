"""Runs lessons, and keeps the runs until something changes that could change what they show.

A run's key is all that it is made of: the notebook, course_lib, and the versions of what computes and draws.
"""

import hashlib
import json
import os
import platform
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import nbformat
import torch
from nbformat import NotebookNode

from course_lib.authoring.build import ROOT
from course_lib.authoring.notebook_client import NotebookClient
from course_lib.authoring.site.wrong_answers import diagnoses
from course_lib.language import VARIABLE, language_of, speaking
from course_lib.program.html import PAGE
from course_lib.state import FOLDER

KEPT = ROOT / ".site"
# No saved pieces of whoever runs it, and the same numbers on every machine with these versions.
QUIET = {FOLDER: "", "OMP_NUM_THREADS": "1"}
NOT_IMPORTED = ("authoring", "grading", "subcommands")  # by a lesson: no arrow leads there in ARCHITECTURE.md


def kept_run(lesson: str, tree: str = "", kept: Path = KEPT) -> NotebookNode | None:
    """The run of the lesson as it is now, if there is one. tree: "" for English, such as "zh" for others."""
    file = _file(lesson, tree, kept)
    return nbformat.read(file, as_version=4) if file.exists() else None


def run(lesson: str, tree: str = "", kept: Path = KEPT) -> NotebookNode:
    """The instructor's notebook of that tree with its outputs, in its language; earlier runs go.

    Its metadata hold `diagnoses`, and as `translator` the page that it wrote, if it did.
    """
    notebook = nbformat.read(_notebook(lesson, tree), as_version=4)
    spoken = language_of(nbformat.read(_notebook(lesson, tree, "notebooks"), as_version=4).cells)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=None, skip_cells_with_tag="")
        client.resources = {"metadata": {"path": folder}}
        client.execute(env=os.environ | QUIET | {VARIABLE: spoken})
        page = Path(folder, PAGE)
        notebook.metadata["translator"] = page.read_text(encoding="utf-8") if page.exists() else ""
        notebook = nbformat.reads(without_paths(nbformat.writes(notebook), folder), as_version=4)
    with speaking(spoken):
        notebook.metadata["diagnoses"] = diagnoses(lesson, solutions(notebook))
    file = _file(lesson, tree, kept)
    file.parent.mkdir(parents=True, exist_ok=True)
    for old in file.parent.glob(f"{lesson}.*.ipynb"):
        old.unlink()
    nbformat.write(notebook, file)
    return notebook


def solutions(notebook: NotebookNode) -> str:
    """The code of its exercises' cells."""
    return "\n".join(cell.source for cell in notebook.cells if "exercise" in cell.metadata)


def without_paths(text: str, folder: str) -> str:
    """A notebook's JSON as if it had run in a reader's own folder, with a Python that they call `python`."""
    for path, shown in ((sys.executable, "python"), (folder + os.sep, ""), (folder, ".")):
        text = text.replace(json.dumps(path)[1:-1], shown)
    return text


def _notebook(lesson: str, tree: str, folder: str = "solutions") -> Path:
    return ROOT / tree / folder / lesson / f"{lesson}.ipynb"


def _file(lesson: str, tree: str, kept: Path) -> Path:
    return kept / tree / f"{lesson}.{key(_notebook(lesson, tree))}.ipynb"


def key(notebook: Path, library: Path = ROOT / "course_lib") -> str:
    """Differs as soon as one of these files does; whatever a lesson imports belongs to them."""
    versions = f"{platform.python_version()} {torch.__version__} {version('matplotlib')}"
    digest = hashlib.sha256(versions.encode())
    files = (path for path in library.rglob("*") if path.is_file())
    outside = {"__pycache__", *NOT_IMPORTED}
    inside = sorted(path for path in files if outside.isdisjoint(path.relative_to(library).parts))
    for file in [notebook, *inside]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]
