"""What a released notebook takes from course_lib, by name: that much a learner may use too."""

import ast
import re
from collections.abc import Collection, Iterable
from pathlib import Path

import course_lib
from course_lib.grading.sandbox.audited_cell import Cell, in_function, modules_of

FIGURES = ("course_lib.plots", "course_lib.widgets")  # they draw; an answer that uses them has no points
PACKAGE = Path(course_lib.__file__).parent


class Lent:
    """sources: the code cells of the released notebook. exercises: names that are never lent.

    texts: its Markdown cells. What their code imports may be used, but no module is there for its sake.
    """

    def __init__(self, sources: Iterable[str], exercises: Collection[str] = (), texts: Iterable[str] = ()):
        self._imported, self._used = _taken(sources)
        imported, used = _taken(code for text in texts for code in _code_in(text))
        self._allowed = self._imported | imported
        self._lent = {each for each in self._allowed if not is_course_module(each)} | self._used | used
        self._kept_back = set(exercises)

    def names(self, module: str) -> set[str]:
        """What it imports from this module."""
        return {path.removeprefix(f"{module}.") for path in self._imported if path.startswith(f"{module}.")}

    @property
    def modules(self) -> set[str]:
        """The modules that it takes them from."""
        found = set()
        for path in self._imported:
            while not is_course_module(path):
                path = path.rpartition(".")[0]
            found.add(path)
        return {module for module in found if not module.startswith("course_lib.exercises")}

    def allows(self, path: str, node: ast.AST, cell: Cell, checked: Collection[str]) -> bool:
        """Whether the notebook itself uses this, or something that it is a part of, or a part of this.

        A module that it uses lends only the names that it reads from it. What is called as an exercise is
        lent only for its imports, and for calls of functions that no answer can make; and wholly where it was
        checked before this cell.
        """
        if any(path == figures or path.startswith(f"{figures}.") for figures in FIGURES):
            # A module is named as the function in it, and here it is always the function.
            is_package = PACKAGE.joinpath(*path.split(".")[1:]).is_dir() or path in FIGURES
            return is_import(node) or not is_package or _is_shown(node, cell)
        if is_import(node) and path in self._allowed:
            return True
        if not self._lends(path):
            return False
        # A lesson may be called as one of its exercises: what it lends, such as `check`, stays lent.
        is_lesson = path.startswith("course_lib.exercises.")
        if not (self._kept_back - {*checked}) & {*path.split(".")[3 if is_lesson else 2 :]}:
            return True
        return _is_called_at_once(node, cell)

    def _lends(self, path: str) -> bool:
        return any(
            path == lent or (path.startswith(f"{lent}.") and not is_course_module(lent))
            for lent in self._lent
        )


def is_import(node: ast.AST) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom))


def _taken(sources: Iterable[str]) -> tuple[set[str], set[str]]:
    """The names of course_lib in this code, those in imports and the others."""
    sources = list(sources)
    modules = modules_of(sources)
    cells = [cell for source in sources if (cell := Cell.read(source, modules))]
    found = [pair for cell in cells for pair in cell.paths() if pair[0].startswith("course_lib")]
    imported = {path for path, node in found if is_import(node)}
    return imported, {path for path, node in found if not is_import(node)}


def _is_shown(node: ast.AST, cell: Cell) -> bool:
    parent = cell.parent(node)
    return isinstance(parent, ast.Expr) or cell.is_shown_by(parent)


def _gives_data(made: ast.Call, cell: Cell) -> bool:
    """Whether of the object that is made only what it says is used, as in Vocabulary(s).encode(words)."""
    user = cell.parent(made)
    if isinstance(user, ast.Attribute) and user.attr in ("encode", "decode"):
        return isinstance(called := cell.parent(user), ast.Call) and called.func is user
    return cell.is_shown_by(user)


def _is_called_at_once(node: ast.AST, cell: Cell) -> bool:
    """Whether it is called as the cell runs, and not after that; and, if it makes an object, none stays."""
    parent = cell.parent(node)
    if not isinstance(parent, ast.Call) or parent.func is not node:
        return False
    of_a_class = any(part[:1].isupper() for path in cell.resolved(node) for part in path.split("."))
    if of_a_class and not _gives_data(parent, cell):
        return False
    return not in_function(parent, cell, ast.GeneratorExp, ast.ClassDef)


def _code_in(markdown: str) -> list[str]:
    """What stands in fences or backticks."""
    fences = r"^ *```[^\n]*\n(.*?)^ *```"
    inline = re.sub(fences, "", markdown, flags=re.DOTALL | re.MULTILINE)
    return [
        *re.findall(fences, markdown, re.DOTALL | re.MULTILINE),
        *re.findall(r"(?<!`)`([^`]+)`(?!`)", inline),
    ]


def is_course_module(path: str) -> bool:
    place = PACKAGE.joinpath(*path.split(".")[1:])
    return place.is_dir() or place.with_suffix(".py").is_file()
