"""Which cells of a lesson one of them needs: the others, and their trainings, can be left out."""

import symtable
from collections.abc import Sequence


def needed(sources: Sequence[str], text: str) -> list[int]:
    """The places of the cells of code that hold the text, and of those before them that bind what these read.

    Cells that change an object without binding a name, or draw random numbers, are left out all the same.
    """
    places, wanted = [], set()
    for place in reversed(range(len(sources))):
        bound, read = _names(sources[place])
        if text in sources[place] or bound & wanted:
            places.append(place)
            wanted = (wanted - bound) | read
    return places[::-1]


def _names(source: str) -> tuple[set[str], set[str]]:
    """What the cell binds, and what it reads, also inside its functions and classes."""
    top = symtable.symtable(source, "a cell", "exec")
    bound = {name.get_name() for name in top.get_symbols() if name.is_assigned() or name.is_imported()}
    read, tables = set(), [top]
    for table in tables:
        tables += table.get_children()
        names = [name for name in table.get_symbols() if table is top or name.is_global()]
        read |= {name.get_name() for name in names if name.is_referenced()}
    return bound, read
