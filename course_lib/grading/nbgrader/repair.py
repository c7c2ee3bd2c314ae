"""Mend submissions before nbgrader reads them: one learner's slip must not stop the grading of a class."""

import re

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor

from course_lib.grading.nbgrader.source import Source, SourceCell, read_source

REPAIRS = "course_repairs"  # notebook metadata: what was mended, in sentences


class NotGradable(Exception):
    """A submission that nothing can be made of. The message is one sentence for the instructor."""


class RepairCells(NbGraderPreprocessor):
    """First of autograde's sanitize_preprocessors (see nbgrader_config.py)."""

    def preprocess(self, notebook: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as gradebook:
            source = read_source(gradebook, names["assignment"])
        for sentence in repair(notebook, source):
            self.log.warning("%s: %s", names.get("student", "submission"), sentence)
        return notebook, resources


def repair(notebook: NotebookNode, source: Source) -> list[str]:
    """Make the lesson's own cells what they were released as, each there once; say what was mended.

    Answers stay as the learner wrote them. Of a cell that was copied the last copy counts, as nbgrader has
    it, and the others become ordinary cells, as does what another lesson grades.
    """
    known = {cell.name: cell for cell in source.cells}
    repairs = [*_drop_unreadable(notebook), *_drop_foreign(notebook, known, source.lesson)]
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
        if "nbgrader" in cell.metadata and not (
            isinstance(keys, dict) and isinstance(keys.get("grade_id"), str)
        ):
            del cell.metadata["nbgrader"]
            repairs.append(f"cell {number} had unreadable nbgrader metadata: now an ordinary cell")
    return repairs


def _drop_foreign(notebook: NotebookNode, known: dict[str, SourceCell], lesson: str) -> list[str]:
    graded = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    foreign = [cell for cell in graded if grade_id(cell) not in known]
    if len(foreign) == len(graded):
        found = ", ".join(grade_id(cell) for cell in foreign[:3]) or "none that is graded"
        expected = ", ".join(list(known)[:3])
        raise NotGradable(f"not the notebook of {lesson}: expected cells such as {expected}, found {found}")
    repairs = [f"cell {grade_id(cell)} is not of this lesson: now an ordinary cell" for cell in foreign]
    for cell in foreign:
        del cell.metadata["nbgrader"]
    return repairs


def _drop_copies(notebook: NotebookNode) -> list[str]:
    repairs, seen = [], set()
    for cell in reversed(notebook.cells):
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
        right, got = known[name].metadata(), cell.metadata["nbgrader"]
        changed = [key for key in right.keys() | got.keys() if not _same(got.get(key), right.get(key))]
        if changed := sorted(set(changed) - {"checksum"}):  # nbgrader writes it anew
            cell.metadata["nbgrader"] = nbformat.from_dict(right)
            repairs.append(f"cell {name} had its nbgrader metadata changed ({', '.join(changed)}): restored")
        if cell.cell_type != known[name].cell_type:
            repairs.append(
                f"cell {name} was turned from {known[name].cell_type} to {cell.cell_type}: restored"
            )
        if known[name].locked and cell.source != known[name].source:
            repairs.append(f"cell {name} was changed: restored")
    return repairs


def _same(got, right) -> bool:
    """Points are 2 in a notebook and 2.0 in the gradebook; a bool is no number here."""
    return got == right and isinstance(got, bool) == isinstance(right, bool)


def _restore_missing(notebook: NotebookNode, source: Source) -> list[str]:
    repairs, before = [], None
    for original in source.cells:
        places = [index for index, cell in enumerate(notebook.cells) if grade_id(cell) == original.name]
        if places:
            before = places[0]
            continue
        before = 0 if before is None else before + 1
        notebook.cells.insert(before, _fresh(original, notebook))
        repairs.append(f"cell {original.name} was missing: restored")
    return repairs


def _fresh(original: SourceCell, notebook: NotebookNode) -> NotebookNode:
    make = nbformat.v4.new_code_cell if original.cell_type == "code" else nbformat.v4.new_markdown_cell
    cell = make(original.source, metadata={"nbgrader": original.metadata()})
    if original.locked:
        cell.metadata.update(editable=False, deletable=False)
    if (notebook.nbformat, notebook.nbformat_minor) < (4, 5):
        del cell["id"]
        return cell
    taken = {one.get("id") for one in notebook.cells}
    name = re.sub(r"[^a-zA-Z0-9-_]", "-", original.name)[:50]
    cell.id = next(id for id in [name, *(f"{name}-{n}" for n in range(2, len(taken) + 3))] if id not in taken)
    return cell


def grade_id(cell: NotebookNode) -> str:
    """The name by which the gradebook knows a cell, "" for ordinary cells."""
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")
