"""What follows from all lessons: tables in README and docs, and a list of the cells that are graded."""

import html
import json
import re
from pathlib import Path

from nbformat import NotebookNode

from course_lib.authoring.address import read_address
from course_lib.authoring.citation import citation
from course_lib.authoring.sources import sources

BEGIN, END = "<!-- lessons: made by `make build` -->", "<!-- end of lessons -->"
BADGE = "https://colab.research.google.com/assets/colab-badge.svg"
HEAD = "| lesson | minutes | you build | what you will have made |\n|---|---|---|---|\n"
PICTURES = "docs/pictures"  # a PNG a lesson, and alt.json, by tests/pictures.py


def contents(notebooks: dict[str, NotebookNode], root: Path) -> dict[Path, str]:
    """README and pages in docs with their tables, CITATION.cff, and the list of graded cells, by path.

    notebooks: learners' notebooks by lesson.
    """
    readme, graded = root / "README.md", root / "course_lib" / "graded_cells.json"
    text = readme.read_text(encoding="utf-8")
    made = {readme: _with_table(text, notebooks, root), graded: _graded(notebooks)}
    return made | {root / "CITATION.cff": citation(root)} | sources(notebooks, root)


def _with_table(readme: str, notebooks: dict[str, NotebookNode], root: Path) -> str:
    if not (readme.count(BEGIN) == readme.count(END) == 1 and readme.index(BEGIN) < readme.index(END)):
        raise ValueError(f"README.md: expected one line {BEGIN} and below it one {END}")
    before, rest = readme.split(BEGIN)
    alts = json.loads((root / PICTURES / "alt.json").read_text(encoding="utf-8"))
    address = read_address(root)
    rows = [
        _row(lesson, notebook, alts.get(lesson), address.colab(lesson))
        for lesson, notebook in notebooks.items()
    ]
    badge = f"\n[colab]: {BADGE}\n" if address.colab("") else ""
    return f"{before}{BEGIN}\n\n{HEAD}{''.join(rows)}{badge}{END}{rest.split(END)[1]}"


def _graded(notebooks: dict[str, NotebookNode]) -> str:
    """JSON: by lesson and name the source of each locked cell, null for what learners write."""
    graded = {
        lesson: {
            cell.metadata.nbgrader.grade_id: cell.source if cell.metadata.nbgrader.locked else None
            for cell in notebook.cells
            if "nbgrader" in cell.metadata
        }
        for lesson, notebook in notebooks.items()
    }
    return json.dumps(graded, indent=1) + "\n"


def _row(lesson: str, notebook: NotebookNode, alt: str | None, colab: str | None) -> str:
    first = notebook.cells[0].source
    title = re.findall(r"^# (.+)$", first, re.MULTILINE)[0]
    minutes = re.findall(r"\*\*Time:\*\* (\d+) minutes", first)[0]
    exercises = ", ".join(cell.metadata.exercise for cell in notebook.cells if "exercise" in cell.metadata)
    page = f"notebooks/{lesson}/{lesson}.ipynb"
    badge = f"<br>[![Open {lesson} in Colab][colab]]({colab})" if colab else ""
    picture = f'<img src="{PICTURES}/{lesson}.png" width="300" alt="{_quoted(alt)}">' if alt else ""
    return f"| **[{lesson[:2]} {title}]({page})**{badge} | {minutes} | {exercises} | {picture} |\n"


def _quoted(text: str) -> str:
    """For an attribute within a table's cell."""
    return html.escape(text).replace("|", "&#124;")
