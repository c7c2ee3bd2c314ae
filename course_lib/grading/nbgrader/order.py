"""Puts a lesson's cells back into their order: a name must not be used above the cell that defines it."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

import nbformat
from nbformat import NotebookNode

from course_lib.grading.nbgrader.repair import grade_id

Key = tuple[str, str]  # ("name", its grade id), or its kind and its text
IMPORT = re.compile(r"^(import|from) ", re.MULTILINE)
RESTORED = "the lesson's cells stood in another order: restored"


def restore_order(notebook: NotebookNode, released: str, editions: Sequence[str] = ()) -> list[str]:
    """In place, where a check stands above its answer, or an answer above the lesson's imports.

    Cells of the lesson change places with each other; a learner's own stay where they are. Another order that
    runs, such as a block that was moved as a whole, stays too. released: the text of the notebook that was
    handed out; editions: the same in other languages. Cells without a name are known by their text. Returns
    what was repaired.
    """
    texts = {_key(cell) for cell in notebook.cells}
    versions = [_released(text) for text in (released, *editions)]
    ranks, imports = max(versions, key=lambda version: len(texts & version[0].keys()))
    if not _is_broken(notebook, imports):
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
def _released(text: str) -> tuple[dict[Key, int], list[Key]]:
    """Each cell's rank, and the keys of what all answers need: the first code, and imports above them."""
    cells = nbformat.reads(text, as_version=4).cells
    ranks: dict[Key, int] = {}
    for rank, cell in enumerate(cells):
        ranks.setdefault(_key(cell), rank)
    above = [cell for cell in takewhile(lambda cell: not grade_id(cell), cells) if cell.cell_type == "code"]
    return ranks, [_key(cell) for cell in above if cell is above[0] or IMPORT.search(cell.source)]


def _is_broken(notebook: NotebookNode, imports: list[Key]) -> bool:
    places = {}
    for place, cell in enumerate(notebook.cells):
        places.setdefault(_key(cell), place)
    names = {name: place for (kind, name), place in places.items() if kind == "name"}
    start = max((places.get(key, -1) for key in imports), default=-1)
    return any(
        place < max(start, names.get(name.removeprefix("check_"), -1)) for name, place in names.items()
    )


def _key(cell: NotebookNode) -> Key:
    name = grade_id(cell)
    return ("name", name) if name else (cell.cell_type, cell.source.strip())
