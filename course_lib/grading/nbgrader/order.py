"""Puts a lesson's cells back into their order: a name must not be used above the cell that defines it."""

from collections.abc import Sequence
from functools import lru_cache

import nbformat
from nbformat import NotebookNode

from course_lib.grading.nbgrader.repair import grade_id

Key = tuple[str, str]  # ("name", its grade id), or its kind and its text
RESTORED = "the lesson's cells stood in another order: restored"


def restore_order(notebook: NotebookNode, released: str, editions: Sequence[str] = ()) -> list[str]:
    """In place, where a check stands above its answer, or an answer above the lesson's first code.

    Cells of the lesson change places with each other; a learner's own stay where they are. Another order that
    runs, such as a block that was moved as a whole, stays too. released: the text of the notebook that was
    handed out; editions: the same in other languages. Cells without a name are known by their text. Returns
    what was repaired.
    """
    texts = {_key(cell) for cell in notebook.cells}
    versions = [_released(text) for text in (released, *editions)]
    ranks, first_code = max(versions, key=lambda version: len(texts & version[0].keys()))
    if not _is_broken(notebook, first_code):
        return []
    places, seen = [], set()
    for place, cell in enumerate(notebook.cells):
        if (key := _key(cell)) in ranks and key not in seen:
            seen.add(key)
            places.append(place)
    cells = [notebook.cells[place] for place in places]
    ordered = sorted(cells, key=lambda cell: ranks[_key(cell)])
    for place, cell in zip(places, ordered, strict=True):
        notebook.cells[place] = cell
    return [RESTORED]


@lru_cache(maxsize=8)  # the same for a whole class
def _released(text: str) -> tuple[dict[Key, int], Key]:
    """The rank of each cell, and the key of the first one with code."""
    cells = nbformat.reads(text, as_version=4).cells
    ranks: dict[Key, int] = {}
    for rank, cell in enumerate(cells):
        ranks.setdefault(_key(cell), rank)
    return ranks, _key(next(cell for cell in cells if cell.cell_type == "code"))


def _is_broken(notebook: NotebookNode, first_code: Key) -> bool:
    places = {}
    for place, cell in enumerate(notebook.cells):
        places.setdefault(_key(cell), place)
    names = {name: place for (kind, name), place in places.items() if kind == "name"}
    start = places.get(first_code, -1)
    return any(
        place < max(start, names.get(name.removeprefix("check_"), -1)) for name, place in names.items()
    )


def _key(cell: NotebookNode) -> Key:
    name = grade_id(cell)
    return ("name", name) if name else (cell.cell_type, cell.source.strip())
