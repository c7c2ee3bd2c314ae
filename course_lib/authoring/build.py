"""Builds both notebooks of every lesson from its text: `course build`.

solutions/NN_name.py (jupytext percent format) becomes solutions/NN_name/NN_name.ipynb for instructors and,
by nbgrader's own preprocessors, notebooks/NN_name/NN_name.ipynb for learners. From all lessons together
follow README's table, the list of graded cells, the written questions, and the tables of docs/. A lesson
with a catalog in translations/ gets both notebooks in that language too, in a tree such as zh/, and a page of
docs/ gets one in docs/zh/.
"""

import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import SaveCells
from traitlets.config.loader import PyFileConfigLoader

from course_lib import exercises
from course_lib.authoring.contents import contents
from course_lib.authoring.questions import problems as problems_of_guide
from course_lib.authoring.questions import questions
from course_lib.authoring.questions import translated as translated_questions
from course_lib.authoring.translation.catalogs import locales
from course_lib.authoring.translation.editions import editions
from course_lib.authoring.translation.library import phrasebooks
from course_lib.authoring.translation.pages import pages
from course_lib.authoring.translation.units import language

ROOT = Path(__file__).resolve().parents[2]
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
GRADED = {  # the kinds of cells that nbgrader knows, with its flags
    "exercise": {"solution": True, "grade": False, "locked": False},
    "check": {"solution": False, "grade": True, "locked": True},
    "question": {"solution": True, "grade": True, "locked": False},
}
KEYS = {*GRADED, "points", "corrects", "demo"}
REGIONS = ("SOLUTION", "HIDDEN TESTS")


class SourceError(Exception):
    """A lesson's text breaks a rule. The message names file, line, and the mend."""

    def __init__(self, path: Path, line: int, problem: str):
        super().__init__(f"{path.name}:{line}: {problem}")


def lessons(root: Path = ROOT) -> list[Path]:
    """The texts of all lessons, in order."""
    return sorted(
        path for path in (root / "solutions").glob("[0-9][0-9]_*.py") if not path.stem.endswith("_hidden")
    )


def build_lesson(path: Path, root: Path = ROOT) -> dict[Path, str]:
    """The content of both notebooks, by the paths where they belong."""
    full = instructor(path)
    versions = {"solutions": full, "notebooks": student(full, path.stem, root)}
    return {
        root / folder / path.stem / f"{path.stem}.ipynb": nbformat.writes(notebook) + "\n"
        for folder, notebook in versions.items()
    }


def instructor(path: Path) -> NotebookNode:
    """The instructor's notebook: nbgrader's metadata from our short keys, and ids that outlive rebuilding."""
    text = path.read_text(encoding="utf-8")
    notebook = jupytext.reads(text, fmt="py:percent")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.startswith("# %%")]
    if len(lines) != len(notebook.cells):
        raise SourceError(path, 1, "text before the first cell: begin with a line `# %% [markdown]`")
    notebook.metadata, notebook.nbformat_minor = {"kernelspec": KERNEL}, 5
    _check_cells(path, list(zip(lines, notebook.cells, strict=True)))
    taken: set[str] = set()
    for cell in notebook.cells:
        _add_metadata(cell)
        cell.id = _cell_id(cell, taken)
    return notebook


def student(notebook: NotebookNode, lesson: str, root: Path = ROOT) -> NotebookNode:
    """What `nbgrader generate_assignment` makes of it, without touching the gradebook."""
    settings = config(root)
    result: Any = nbformat.from_dict(notebook)
    resources: Any = {"nbgrader": {"assignment": lesson, "notebook": lesson}}
    for step in GenerateAssignment(config=settings).preprocessors:
        if step is not SaveCells:
            result, resources = step(config=settings).preprocess(result, resources)
    return result


def config(root: Path) -> Any:
    return PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()


def _add_metadata(cell: NotebookNode) -> None:
    """Put nbgrader's keys beside ours, which stay, so that jupytext can write the text again."""
    if _is_demo(cell):
        cell.metadata["tags"] = ["skip-execution"]
    for kind, flags in GRADED.items():
        if name := cell.metadata.get(kind):
            grade_id = f"check_{name}" if kind == "check" else name
            cell.metadata["nbgrader"] = {"grade_id": grade_id, "schema_version": 3, "task": False, **flags}
            if flags["grade"]:
                cell.metadata["nbgrader"]["points"] = cell.metadata["points"]


def _is_demo(cell: NotebookNode) -> bool:
    return cell.metadata.get("title") == "demo"  # how jupytext reads `# %% demo`


def _cell_id(cell: NotebookNode, taken: set[str]) -> str:
    """The grade id, else a hash of the source; a repeated cell counts on."""
    base = (
        cell.metadata.get("nbgrader", {}).get("grade_id")
        or hashlib.sha1(cell.source.encode()).hexdigest()[:8]
    )
    base = re.sub(r"[^a-zA-Z0-9-_]", "-", base)
    name, count = base, 1
    while name in taken:
        count += 1
        name = f"{base}-{count}"
    taken.add(name)
    return name


def _check_cells(path: Path, cells: list[tuple[int, NotebookNode]]) -> None:
    known = _exercises_of(path)
    seen: dict[tuple[str, str], int] = {}
    for line, cell in cells:
        for problem in _problems(cell, known):
            raise SourceError(path, line, problem)
        for kind in GRADED:
            if (name := cell.metadata.get(kind)) is None:
                continue
            if (kind, name) in seen:
                raise SourceError(
                    path,
                    line,
                    f"two cells with {kind}={name!r}, the first in line {seen[kind, name]}: rename one",
                )
            seen[kind, name] = line
            if kind == "check" and ("exercise", name) not in seen:
                raise SourceError(
                    path, line, f"check={name!r} has no cell exercise={name!r} before it: add one"
                )
    for kind, name in list(seen):
        if kind == "exercise" and ("check", name) not in seen:
            raise SourceError(
                path, seen[kind, name], f"exercise={name!r} has no cell check={name!r}: add one after it"
            )


def _exercises_of(path: Path) -> dict:
    """The lesson's exercises by name, from course_lib.exercises.NAME for solutions/NN_NAME.py."""
    package = exercises.package(path.stem)
    try:
        return exercises.load(path.stem).exercises
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise SourceError(path, 1, f"there is no package {package}: write the exercises there") from None


def _problems(cell: NotebookNode, known_exercises: dict) -> Iterator[str]:
    """What breaks the rules in one cell, each with its mend."""
    keys = cell.metadata
    known = KEYS | {"lines_to_next_cell", "title"}
    unknown = sorted(set(keys) - known) + ([keys["title"]] if not _is_demo(cell) and "title" in keys else [])
    if unknown:
        yield f"unknown key {unknown[0]!r}: use {', '.join(sorted(KEYS))}"
    if len(kinds := [*filter(keys.get, GRADED), *(["demo"] if _is_demo(cell) else [])]) > 1:
        yield f"a cell is one thing, this is {' and '.join(kinds)}: make two cells"
    for region in REGIONS:
        yield from _unbalanced(cell.source, region)
    yield from _problems_of_points(keys, known_exercises)
    if "question" in keys and cell.cell_type != "markdown":
        yield "a question is answered in words: write `# %% [markdown] question=...`"
    if ("exercise" in keys or "question" in keys) and "BEGIN SOLUTION" not in cell.source:
        yield "no solution in it: put `BEGIN SOLUTION` and `END SOLUTION` around what the learner is to write"
    elif "question" in keys:
        yield from problems_of_guide(cell)
    if "exercise" not in keys and "question" not in keys and "BEGIN SOLUTION" in cell.source:
        yield "a solution outside an exercise would be given to learners: add exercise=... or question=..."
    if name := keys.get("check"):
        call = f'check("{name}", {name})'
        if cell.source.strip().splitlines()[-1] != call:
            yield f"the last line of a check must be {call}"


def _problems_of_points(keys: dict, known: dict) -> Iterator[str]:
    graded = "check" in keys or "question" in keys
    if not graded:
        if "points" in keys:
            yield "points belong to a check or a question: remove them here"
        return
    if not isinstance(keys.get("points"), (int, float)) or keys["points"] <= 0:
        yield f"points missing: add points=N, a number above 0 (got {keys.get('points')!r})"
    elif name := keys.get("check"):
        if name not in known:
            yield f"check={name!r}: the lesson has {', '.join(known)}; correct the name or add it there"
        elif keys["points"] != known[name].points:
            parts = known[name].points
            yield f"check={name!r} gives {keys['points']:g} points, its parts {parts:g}: make them equal"


def _unbalanced(source: str, region: str) -> Iterator[str]:
    inside = False
    for line in source.splitlines():
        if f"BEGIN {region}" in line:
            if inside:
                yield f"BEGIN {region} inside another: end the first with END {region}"
            inside = True
        elif f"END {region}" in line:
            if not inside:
                yield f"END {region} without a beginning: add BEGIN {region} above it"
            inside = False
    if inside:
        yield f"BEGIN {region} is never closed: add END {region} below it"


def _built(paths: list[Path], everything: bool) -> dict[Path, str]:
    """All files of these lessons; with `everything` also those that follow from all lessons together."""
    built: dict[Path, str] = {}
    for path in paths:
        built |= build_lesson(path)
    others = editions(built, ROOT)
    if everything:
        full, released = _notebooks(built, "solutions"), _notebooks(built, "notebooks")
        built |= contents(released, ROOT) | questions(full, config(ROOT), ROOT)
        built |= phrasebooks(ROOT, {locale: guides(full, others, locale) for locale in locales(ROOT)})
        others |= pages(ROOT)
    return built | others


def guides(full: dict[str, NotebookNode], others: dict[Path, str], locale: str) -> list[tuple[str, str]]:
    """What learners are told of written questions, English and in this language."""
    notebooks = {path: text for path, text in others.items() if path.parts[-4] == language(locale)}
    return list(translated_questions(full, _notebooks(notebooks, "solutions"), config(ROOT)))


def _notebooks(built: dict[Path, str], folder: str) -> dict[str, NotebookNode]:
    """Built notebooks of one of the two folders, by lesson."""
    return {path.stem: nbformat.reads(text, 4) for path, text in built.items() if path.parts[-3] == folder}


def build_course(names: Sequence[str] = (), check: bool = False) -> int:
    """Build these lessons, or all; with `check` write nothing. Returns the exit code of `course build`."""
    paths = [path for path in lessons() if path.stem in names or not names]
    try:
        built = _built(paths, everything=not names)
    except SourceError as error:
        print(error, file=sys.stderr)
        return 1
    stale = {t: text for t, text in built.items() if not t.exists() or t.read_text(encoding="utf-8") != text}
    if not check:
        for target, text in stale.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    for target in stale:
        print(f"{'stale' if check else 'built'} {target.relative_to(ROOT)}")
    if stale and check:
        print("run: make build", file=sys.stderr)
        return 1
    return 0
