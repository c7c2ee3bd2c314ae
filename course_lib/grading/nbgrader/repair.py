"""Repair submissions before nbgrader reads them: a deleted cell must not stop the grading of a class."""

import ast
import re

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor

from course_lib.grading.nbgrader.source import Source, SourceCell, read_source

REPAIRS = "course_repairs"  # notebook metadata: what was repaired, in sentences


ELSEWHERE = "# {} is defined in another cell"
NEARBY = "*The cell of this answer was missing. It may stand in a cell nearby.*"
OWN = ("exercise", "question")  # metadata of the course, each with the name of the cell
LONGEST_ANSWER = 50_000  # characters: a syntax tree takes a thousand times the memory of its text


class NotGradableError(Exception):
    """The submission cannot be graded. The message is one sentence for the instructor."""


class RepairCells(NbGraderPreprocessor):
    """The repair as one of autograde's sanitize_preprocessors (see nbgrader_config.py)."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as gradebook:
            source = read_source(gradebook, names["assignment"])
        for sentence in repair(nb, source):
            self.log.warning("%s: %s", names.get("student", "submission"), sentence)
        return nb, resources


def repair(notebook: NotebookNode, source: Source) -> list[str]:
    """Make each of the lesson's graded cells stand there once, with its released metadata.

    Returns what was repaired. Answers stay as the learner wrote them; locked cells get their text back from
    nbgrader's OverwriteCells, which runs later. Of a cell that was copied the last copy counts, as in
    nbgrader; the others become ordinary cells, and so do cells that another lesson grades.
    """
    # Colab stores the state of widgets in a form that nbconvert cannot read, so feedback would fail. It
    # belongs to outputs, which are made anew.
    notebook.metadata.pop("widgets", None)
    known = {cell.name: cell for cell in source.cells}
    # The order matters: each step relies on what the steps before it have left.
    repairs = _drop_unreadable(notebook)
    repairs += _recognize(notebook, known)
    repairs += _drop_foreign(notebook, known, source.lesson)
    repairs += _drop_copies(notebook)
    repairs += _restore_metadata(notebook, known)
    repairs += _restore_missing(notebook, source)
    if repairs:
        notebook.metadata[REPAIRS] = repairs
    return repairs


def _drop_unreadable(notebook: NotebookNode) -> list[str]:
    repairs = []
    for number, cell in enumerate(notebook.cells, 1):
        keys = cell.metadata.get("nbgrader")
        readable = isinstance(keys, dict) and isinstance(keys.get("grade_id"), str)
        if "nbgrader" in cell.metadata and not readable:
            del cell.metadata["nbgrader"]
            repairs.append(f"cell {number} had unreadable nbgrader metadata: now an ordinary cell")
    return repairs


def _recognize(notebook: NotebookNode, known: dict[str, SourceCell]) -> list[str]:
    """Cells that have lost their metadata, as by a tool that strips them, are known by what they hold.

    A locked cell by its text, an answer by the name that it defines or that the course's own metadata give;
    the last one counts, as of copies.
    """
    repairs, present = [], {grade_id(cell) for cell in notebook.cells}
    lost = [name for name in known if name not in present]
    if not lost:
        return []
    texts = {cell.source.strip(): cell.name for cell in known.values() if cell.locked}
    found: dict[str, list[int]] = {}
    for place, cell in enumerate(notebook.cells):
        if "nbgrader" not in cell.metadata:
            names = [*_defined(cell), *(str(cell.metadata.get(key)) for key in OWN)]
            for name in {texts.get(cell.source.strip(), ""), *names}.intersection(lost):
                found.setdefault(name, []).append(place)
        elif grade_id(cell).startswith("check_"):
            found.setdefault(grade_id(cell), []).append(place)
    for name in [name for name in lost if name in found]:
        check = found.get(f"check_{name}", [len(notebook.cells)])[-1]
        place = max((one for one in found[name] if one < check), default=found[name][-1])
        cell = notebook.cells[place]
        if "nbgrader" not in cell.metadata:  # of two answers in one cell the first
            cell.metadata["nbgrader"] = nbformat.from_dict(known[name].metadata())
            repairs.append(f"cell {name} had lost its nbgrader metadata: known by what it holds")
    return repairs


def _defined(cell: NotebookNode) -> list[str]:
    """The functions and classes that a cell defines."""
    if cell.cell_type != "code" or len(cell.source) > LONGEST_ANSWER:
        return []
    try:
        body = ast.parse(cell.source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]


def _drop_foreign(notebook: NotebookNode, known: dict[str, SourceCell], lesson: str) -> list[str]:
    graded = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    foreign = [cell for cell in graded if grade_id(cell) not in known]
    if len(foreign) == len(graded):
        found = ", ".join(grade_id(cell) for cell in foreign[:3]) or "none that is graded"
        expected = ", ".join(list(known)[:3])
        raise NotGradableError(
            f"not the notebook of {lesson}: expected cells such as {expected}, found {found}"
        )
    repairs = [f"cell {grade_id(cell)} is not of this lesson: now an ordinary cell" for cell in foreign]
    for cell in foreign:
        del cell.metadata["nbgrader"]
    return repairs


def _drop_copies(notebook: NotebookNode) -> list[str]:
    repairs, seen = [], set()
    for cell in reversed(notebook.cells):  # so that the last copy is seen first, and stays
        if (name := grade_id(cell)) in seen:
            repairs.append(f"cell {name} was copied: the last copy counts")
            del cell.metadata["nbgrader"]
        elif name:
            seen.add(name)
    return repairs


def _restore_metadata(notebook: NotebookNode, known: dict[str, SourceCell]) -> list[str]:
    repairs = []
    for cell in notebook.cells:
        if not (name := grade_id(cell)):
            continue
        expected, got = known[name].metadata(), cell.metadata["nbgrader"]
        keys = (expected.keys() | got.keys()) - {"checksum"}  # nbgrader computes it anew
        if changed := sorted(key for key in keys if not _same(got.get(key), expected.get(key))):
            cell.metadata["nbgrader"] = nbformat.from_dict(expected)
            repairs.append(f"cell {name} had its nbgrader metadata changed ({', '.join(changed)}): restored")
        repairs += _restore_type(cell, known[name])
        if known[name].locked and cell.source != known[name].source:
            repairs.append(f"cell {name} was changed: restored")
    return repairs


def _restore_type(cell: NotebookNode, original: SourceCell) -> list[str]:
    """nbgrader's OverwriteCells would refuse the notebook for what a cell of the other type may hold."""
    repairs, name = [], original.name
    if cell.cell_type != original.cell_type:
        repairs.append(f"cell {name} was turned from {original.cell_type} to {cell.cell_type}: restored")
        cell.cell_type = original.cell_type
        for key in ("outputs", "execution_count"):
            cell.pop(key, None)
    if cell.cell_type == "code":
        cell.setdefault("outputs", [])
        cell.setdefault("execution_count", None)
        if files := cell.pop("attachments", None):
            repairs.append(f"cell {name} is code and had attachments ({', '.join(files)}): removed")
    return repairs


def _same(got, right) -> bool:
    """Points are 2 in a notebook and 2.0 in the gradebook; a bool is no number here."""
    return got == right and isinstance(got, bool) == isinstance(right, bool)


def _restore_missing(notebook: NotebookNode, source: Source) -> list[str]:
    """A missing cell comes right after the graded cell before it in the lesson, or first of all."""
    repairs, previous = [], -1  # index of the graded cell before
    defined: set[str] | None = None  # in the notebook; read where a cell is missing
    for original in source.cells:
        places = [index for index, cell in enumerate(notebook.cells) if grade_id(cell) == original.name]
        if places:
            previous = places[0]
            continue
        previous += 1
        cell = _new_cell(original, notebook)
        if defined is None:
            defined = {name for one in notebook.cells for name in _defined(one)}
        if not original.locked and original.name in defined:
            cell.source = ELSEWHERE.format(original.name)  # the stub would take its place
        elif not original.locked and original.cell_type == "markdown":
            cell.source = NEARBY  # the stub would get 0 points, and nobody would look for the answer
        notebook.cells.insert(previous, cell)
        repairs.append(f"cell {original.name} was missing: restored")
    return repairs


def _new_cell(original: SourceCell, notebook: NotebookNode) -> NotebookNode:
    """The cell as it was released, with an id that no other cell of the notebook has."""
    make = nbformat.v4.new_code_cell if original.cell_type == "code" else nbformat.v4.new_markdown_cell
    cell = make(original.source, metadata={"nbgrader": original.metadata()})
    if original.locked:
        cell.metadata.update(editable=False, deletable=False)
    if (notebook.nbformat, notebook.nbformat_minor) < (4, 5):  # formats without ids, such as Colab's
        del cell["id"]
        return cell
    taken = {one.get("id") for one in notebook.cells}
    name = re.sub(r"[^a-zA-Z0-9-_]", "-", original.name)[:50]
    cell.id = next(id for id in [name, *(f"{name}-{n}" for n in range(2, len(taken) + 3))] if id not in taken)
    return cell


def grade_id(cell: NotebookNode) -> str:
    """The name by which the gradebook knows a cell, "" for ordinary cells."""
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")
