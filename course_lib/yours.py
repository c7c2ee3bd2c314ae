"""A learner's own pieces of earlier lessons, taken from the notebooks, if they pass their checks."""

import ast
import json
from pathlib import Path
from typing import Any

from course_lib import exercises
from course_lib.checks.exercise import Exercise
from course_lib.checks.lesson import Lesson, is_grading


class UnusablePieceError(Exception):
    """Why a learner's piece cannot be used."""


def yours(lesson: str, name: str, instead: Any, folder: str | Path = "..") -> Any:
    """What you wrote for exercise `name` of a lesson ("03_multi_head"), or `instead`; prints which, and why.

    Yours is taken if it and the exercises that it uses earn full points. Of your notebook only imports,
    definitions and exercises up to `name` run. While work is graded it is always `instead`.
    """
    try:
        if is_grading():
            raise UnusablePieceError("work is graded with the course's")
        piece = _piece(Path(folder) / lesson / f"{lesson}.ipynb", lesson, name)
    except UnusablePieceError as reason:
        print(f"{name}: the course's ({reason})")
        return instead
    print(f"{name}: yours, from {lesson}.ipynb")
    return piece


def _piece(path: Path, lesson: str, name: str) -> Any:
    names = _run(_cells(path), name, lesson)
    checks: Lesson = exercises.load(lesson)
    for exercise in _needed(checks.exercises[name], checks):
        score = checks.check(exercise.name, names.get(exercise.name), trial=True)
        if score < exercise.points:
            raise UnusablePieceError(
                f"your {exercise.name} has {score:g} of {exercise.points:g} points in {path.name}"
            )
    return names[name]


def _cells(path: Path) -> list[dict]:
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    except OSError:
        raise UnusablePieceError(f"there is no {path}") from None
    except (ValueError, KeyError, TypeError):
        raise UnusablePieceError(f"{path} is not a notebook") from None


def _run(cells: list[dict], name: str, lesson: str) -> dict[str, Any]:
    """The names that a notebook has defined once exercise `name` is written; experiments do not run."""
    written = [cell["metadata"].get("exercise") for cell in cells]
    if name not in written:
        raise UnusablePieceError(f"{lesson}.ipynb has no cell for it")
    names: dict[str, Any] = {"__name__": lesson}
    try:
        for cell in cells[: written.index(name) + 1]:
            exec(compile(_needed_code(cell), f"{lesson}.ipynb", "exec"), names)
    except Exception as error:
        raise UnusablePieceError(f"{lesson}.ipynb raised {type(error).__name__}: {error}") from None
    return names


def _needed_code(cell: dict) -> str | ast.Module:
    """All of an exercise; of other cells the imports and definitions; of experiments nothing."""
    source, metadata = "".join(cell["source"]), cell["metadata"]
    if metadata.get("exercise"):
        return source
    if "skip-execution" in metadata.get("tags", ()):
        return ""
    try:
        statements = ast.parse(source).body
    except SyntaxError:  # a magic, say
        return ""
    return ast.Module([statement for statement in statements if _defines(statement)], [])


def _defines(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        return isinstance(statement.value, ast.Lambda)
    return isinstance(statement, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef))


def _needed(exercise: Exercise, checks: Lesson) -> list[Exercise]:
    """The exercise after those of its lesson that it is built on."""
    used = [other for other in exercise.uses if other.name in checks.exercises]
    return [needed for other in used for needed in _needed(other, checks)] + [exercise]
