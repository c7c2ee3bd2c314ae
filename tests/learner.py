"""A learner who has solved whole lessons: the answers of their solutions, kept as a check would keep them."""

import ast
import linecache
from collections.abc import Collection

import jupytext

from course_lib import exercises
from course_lib.authoring.build import ROOT, lessons
from course_lib.checks.kept import keep


def solved(lesson: str) -> dict[str, object]:
    """The names that the cells of a lesson's solution import and define; experiments do not run."""
    names: dict[str, object] = {"__name__": "__main__"}
    text = (ROOT / "solutions" / f"{lesson}.py").read_text(encoding="utf-8")
    for number, cell in enumerate(jupytext.reads(text, fmt="py:percent").cells):
        if cell.cell_type != "code" or cell.metadata.get("title") == "demo" or "check" in cell.metadata:
            continue
        file = f"<{lesson}, cell {number}>"
        lines = cell.source.splitlines(keepends=True)
        linecache.cache[file] = len(cell.source), None, lines, file
        defining = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign)
        body = [node for node in ast.parse(cell.source).body if isinstance(node, defining)]
        exec(compile(ast.Module(body, []), file, "exec"), names)
    return names


def finish(numbers: Collection[str], without: Collection[str] = ()) -> None:
    """Keep the solutions of these lessons, "01" for instance, but for some exercises."""
    for path in lessons():
        if path.stem[:2] not in numbers:
            continue
        names = solved(path.stem)
        for name in exercises.load(path.stem).exercises:
            if name not in without and (problem := keep(name, names[name])):
                raise ValueError(problem)
