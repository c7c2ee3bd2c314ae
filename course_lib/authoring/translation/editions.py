"""The notebooks of a lesson in another language, made from its English ones.

Only what people read is another: ids, metadata, code and the places of answers are the English notebooks', so
that the same grader grades both.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from course_lib.authoring.address import read_address
from course_lib.authoring.setup_cell import ADDED, ENGLISH, FOLDED, SETUP, Words, sources_of_added
from course_lib.authoring.translation import catalogs
from course_lib.authoring.translation.catalogs import EVERY_LESSON
from course_lib.authoring.translation.code_cells import rewrite_code
from course_lib.authoring.translation.text_cells import rewrite_text
from course_lib.authoring.translation.units import Say, Unit, collect, language
from course_lib.checks.notebook import STUB


def editions(built: dict[Path, str], root: Path) -> dict[Path, str]:
    """All notebooks in other languages, by path, from the English ones of `built`.

    A language has the lessons that it has a catalog of.
    """
    made: dict[Path, str] = {}
    for locale in catalogs.locales(root):
        for path, text in built.items():
            if path.stem in catalogs.names(root, locale):
                notebook = translated(nbformat.reads(text, as_version=4), path.stem, locale, root)
                target = root / language(locale) / path.relative_to(root)
                made[target] = nbformat.writes(notebook) + "\n"
    return made


def editions_of(notebook: NotebookNode, lesson: str, root: Path) -> Iterator[str]:
    """The text of one notebook in all languages that the course in `root` has it in."""
    for locale in catalogs.locales(root):
        if lesson in catalogs.names(root, locale):
            yield nbformat.writes(translated(notebook, lesson, locale, root)) + "\n"


def speaker(root: Path, locale: str, lesson: str) -> Say:
    """Knows the translations of a lesson."""
    return catalogs.speaker(root, locale, lesson, EVERY_LESSON)


def translated(notebook: NotebookNode, lesson: str, locale: str, root: Path) -> NotebookNode:
    """A copy of a learners' or an instructor's notebook, in this language.

    The setup cell says in which language checks and figures speak, so that the instructor's gets one too.
    """
    copy: Any = nbformat.from_dict(notebook)
    say = speaker(root, locale, lesson)
    added = sources_of_added(lesson, read_address(), words(say), locale)
    if not any(cell.id == SETUP for cell in copy.cells):
        copy.cells.insert(1, new_code_cell(id=SETUP, metadata=FOLDED))
    for cell in copy.cells:
        cell.source = added[cell.id] if cell.id in ADDED else rewrite(cell, say)
    return copy


def words(say: Say) -> Words:
    """What the build adds to each lesson."""
    texts = {name: rewrite_text(getattr(ENGLISH, name), say) for name in ("about", "hand_in")}
    codes = {name: rewrite_code(getattr(ENGLISH, name), say) for name in ENGLISH._fields if name not in texts}
    return Words(**texts, **codes)


def rewrite(cell: NotebookNode, say: Say) -> str:
    """Its source. Locked cells and the place of an answer stay as they are: the grader knows them."""
    if cell.metadata.get("nbgrader", {}).get("locked") or cell.source.strip() == STUB:
        return cell.source
    if cell.cell_type == "code":
        return rewrite_code(cell.source, say, strings="exercise" not in cell.metadata)
    return rewrite_text(cell.source, say)


def units_of(notebook: NotebookNode) -> list[Unit]:
    """Of an instructor's notebook, which has all that is the lesson's own."""
    return collect(lambda say: [rewrite(cell, say) for cell in notebook.cells])


def units_of_every_lesson(stub: str) -> list[Unit]:
    """stub: what stands in the place of a solution."""
    return collect(lambda say: [words(say), rewrite_code(stub, say)])
