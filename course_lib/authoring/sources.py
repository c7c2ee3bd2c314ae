"""Where mistakes and corrections come from: docs/misconceptions.md and docs/errata.md.

Both are tables written by hand, a row an entry. Their last column and the counts follow from the lessons.
"""

import re
from collections import defaultdict
from pathlib import Path

from nbformat import NotebookNode

from course_lib import exercises
from course_lib.checks.exercise import Mistake

BEGIN, END = "<!-- counts: made by `make build` -->", "<!-- end of counts -->"
ROW = re.compile(r"^\| \*\*(?P<id>.+?)\*\* \|(?P<cells>.*)\|(?P<last>[^|]*)\|$", re.MULTILINE)
FORESEEN, ASKED, UNUSED, NOT_MET = "foreseen", "only asked", "none", "not met by a lesson"

Tables = dict[str, list[Mistake]]  # mistakes by exercise


def sources(notebooks: dict[str, NotebookNode], root: Path) -> dict[Path, str]:
    """Both pages by path, from learners' notebooks by lesson and the mistakes of their exercises."""
    catalogue, errata = root / "docs" / "misconceptions.md", root / "docs" / "errata.md"
    tables = {
        exercise.name: list(exercise.mistakes)
        for lesson in notebooks
        for exercise in exercises.load(lesson).exercises.values()
    }
    return {
        catalogue: _with_counts(_with_last_column(catalogue, _exercises_by_id(tables), UNUSED), tables),
        errata: _with_last_column(errata, _met(notebooks), NOT_MET),
    }


def rows(page: str) -> list[tuple[str, ...]]:
    """The cells of each entry, its id first."""
    return [
        (row["id"], *(cell.strip() for cell in (*row["cells"].split("|"), row["last"])))
        for row in ROW.finditer(page)
    ]


def _exercises_by_id(tables: Tables) -> dict[str, str]:
    found: dict[str, list[str]] = defaultdict(list)
    for exercise, table in tables.items():
        for source in {source: None for mistake in table for source in mistake.sources}:
            found[source].append(exercise)
    return {source: ", ".join(names) for source, names in found.items()}


def _met(notebooks: dict[str, NotebookNode]) -> dict[str, str]:
    """By erratum the lessons with cells that correct it, and the headings above these cells."""
    met: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for lesson, notebook in notebooks.items():
        last = ""
        for cell in notebook.cells:
            headings = re.findall(r"^#+ (.+)$", cell.source, re.M) if cell.cell_type == "markdown" else []
            above = headings[0] if cell.source.startswith("#") and headings else last
            last = [last, *headings][-1]
            for erratum in cell.metadata.get("corrects", "").split():
                if above not in met[erratum][lesson]:
                    met[erratum][lesson].append(above)
    return {
        erratum: "<br>".join(
            f"[{lesson}](../notebooks/{lesson}/{lesson}.ipynb): {'; '.join(headings)}"
            for lesson, headings in places.items()
        )
        for erratum, places in met.items()
    }


def _with_last_column(path: Path, column: dict[str, str], otherwise: str) -> str:
    page = path.read_text(encoding="utf-8")
    known = [row["id"] for row in ROW.finditer(page)]
    if twice := sorted({entry for entry in known if known.count(entry) > 1}):
        raise ValueError(f"{path.name}: two entries {', '.join(twice)}: renumber one")
    if unknown := sorted(column.keys() - set(known)):
        raise ValueError(f"{path.name}: a lesson names {', '.join(unknown)}: add the entry or correct the id")

    def filled(row: re.Match) -> str:
        return f"| **{row['id']}** |{row['cells']}| {column.get(row['id'], otherwise)} |"

    return ROW.sub(filled, page)


def _with_counts(page: str, tables: Tables) -> str:
    entries = rows(page)
    foreseen = {entry for entry, _, seen, _ in entries if seen.startswith(FORESEEN)}
    asked = {entry for entry, _, seen, _ in entries if seen.startswith(ASKED)}
    unused = [entry for entry, _, _, names in entries if names == UNUSED]
    mistakes = [mistake for table in tables.values() for mistake in table]
    listed = [mistake for mistake in mistakes if mistake.sources]
    found = [mistake for mistake in listed if not (foreseen | asked).issuperset(mistake.sources)]
    before, rest = page.split(BEGIN)
    return (
        f"{before}{BEGIN}\n"
        f"We saw {len(entries) - len(foreseen | asked)} of the {len(entries)} entries in public code or "
        f"threads. {len(asked)} were only asked about there, and {len(foreseen)} are foreseen.\n"
        f"The exercises have {len(mistakes):,} wrong answers. {len(found):,} of them make a mistake that was "
        f"seen, and {len(listed) - len(found):,} make another mistake\n"
        f"of this catalogue. The other {len(mistakes) - len(listed):,} are not in it: we foresaw them for "
        "their exercise.\n"
        f"No exercise has {', '.join(unused)}.\n"
        f"{END}{rest.split(END)[1]}"
    )
