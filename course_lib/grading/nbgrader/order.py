"""Puts a lesson's cells back into their order: a name must not be used above the cell that defines it."""

import nbformat
from nbformat import NotebookNode

from course_lib.grading.nbgrader.repair import grade_id

RESTORED = "the lesson's cells stood in another order: restored"


def restore_order(notebook: NotebookNode, released: str) -> list[str]:
    """In place, among the places that these cells hold; a learner's own cells stay where they are.

    released: the text of the notebook that was handed out. Cells without a name are known by their text.
    Returns what was repaired.
    """
    ranks: dict[tuple[str, str], int] = {}
    for rank, cell in enumerate(nbformat.reads(released, as_version=4).cells):
        ranks.setdefault(_key(cell), rank)
    places, seen = [], set()
    for place, cell in enumerate(notebook.cells):
        if (key := _key(cell)) in ranks and key not in seen:
            seen.add(key)
            places.append(place)
    cells = [notebook.cells[place] for place in places]
    ordered = sorted(cells, key=lambda cell: ranks[_key(cell)])
    for place, cell in zip(places, ordered, strict=True):
        notebook.cells[place] = cell
    return [] if all(one is other for one, other in zip(cells, ordered, strict=True)) else [RESTORED]


def _key(cell: NotebookNode) -> tuple[str, str]:
    name = grade_id(cell)
    return ("name", name) if name else (cell.cell_type, cell.source.strip())
