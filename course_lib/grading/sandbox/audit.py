"""Static audit of a learner's cells: flags code that reaches into the interpreter, the grader or the answers.

A flag forbids nothing; a person decides. Flags have two ranks. Of the first rank is what can deceive: it
tampers with what checks stand on, or borrows a finished piece. The answers are then run once more without
these cells: see Case.score in judge.py. Of the second rank is what honest notebooks do too, such as a shell
command; it is only noted.
"""

import ast
import json
from collections.abc import Collection, Iterator
from itertools import accumulate

from nbformat import NotebookNode
from nbgrader.utils import is_grade, is_locked, is_solution

from course_lib.checks.score import MIME
from course_lib.grading.sandbox.audited_annotations import annotations
from course_lib.grading.sandbox.audited_cell import IMPORTERS, Cell, imported_by, in_function, modules_of
from course_lib.grading.sandbox.audited_dunders import dunders
from course_lib.grading.sandbox.audited_lookups import lookups
from course_lib.grading.sandbox.audited_magics import codes_in
from course_lib.grading.sandbox.audited_self import is_of_self
from course_lib.grading.sandbox.audited_shell import of_magic, shell
from course_lib.grading.sandbox.audited_texts import names_in_text, texts_that_run, unread
from course_lib.grading.sandbox.audited_uses import Flag, calls, of_path
from course_lib.grading.sandbox.cell_text import (
    MOST_CODES,
    MOST_DEPTH,
    MOST_WORK,
    TOO_MANY,
    TooCostlyError,
    parsed,
    work,
)
from course_lib.grading.sandbox.lent import Lent, is_import
from course_lib.grading.sandbox.suspicions import (
    METHODS,
    OWN_METHODS,
    SETTINGS,
)

OUR_NAMES = ("check",)
SKIP = "skip-execution"  # tag of demonstrations

MOST_WORK_OF_ALL = 2_000_000  # see cell_text.work
TOO_MUCH = Flag("cannot be audited: the notebook's cells take too long")


def sources_of(notebook: str, kind: str = "code") -> list[str]:
    """The sources of its cells of this kind; none of an empty text."""
    cells = json.loads(notebook)["cells"] if notebook else []
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


def is_skipped(cell: NotebookNode) -> bool:
    """Whether it is not run while work is graded. A graded cell is, whatever its tags."""
    return SKIP in cell.metadata.get("tags", []) and not (is_grade(cell) or is_solution(cell))


class Audit:
    """released: the text of the notebook that was handed out; its own cells are not looked at.

    exercises: the names of what is to be written in it, which is never lent. editions: its texts in other
    languages.
    """

    def __init__(self, released: str = "", exercises: Collection[str] = (), editions: Collection[str] = ()):
        sources = sources_of(released)
        self.given = {source.strip() for text in editions for source in sources_of(text)}
        self.given |= {source.strip() for source in sources}
        self.given_texts = {text for source in self.given for text in _texts_of(source)}
        self.lent = Lent(sources, exercises, sources_of(released, "markdown"))
        self._codes_left = MOST_CODES  # of one notebook
        self._checked: set[str] = set()  # exercises, before the cell that is audited

    def flags(self, notebook: NotebookNode) -> dict[int, list[Flag]]:
        """Of cells of the learner's own that are run, by the cell's place in the notebook, from 0."""
        sources = {
            index: cell.source
            for index, cell in enumerate(notebook.cells)
            if cell.cell_type == "code" and not is_skipped(cell)
        }
        costs = {i: 0 if source.strip() in self.given else work(source) for i, source in sources.items()}
        # What is too costly by itself is not read, and takes nothing from the others.
        totals = accumulate(cost if cost <= MOST_WORK else 0 for cost in costs.values())
        unread = {i for i, total in zip(costs, totals, strict=True) if total > MOST_WORK_OF_ALL}
        try:
            modules = modules_of(source for index, source in sources.items() if index not in unread)
        except TooCostlyError:  # nobody knows what any cell's names are then
            unread, modules = {*sources}, {}
        self._codes_left = MOST_CODES
        flags, checks = {}, _last_checks(notebook)
        for index, source in sources.items():
            if not is_locked(notebook.cells[index]) and source.strip() not in self.given:
                self._checked = {name for name, place in checks.items() if place < index}
                found = [TOO_MUCH] if index in unread else self._of_cell(source, modules)
                flags[index] = list(dict.fromkeys(found))
        return {index: of_cell for index, of_cell in flags.items() if of_cell}

    def _of_cell(self, source: str, modules: dict[str, set[str]], depth: int = 0) -> list[Flag]:
        """A cell that defeats the audit is flagged for that, and the audit of the others goes on."""
        try:
            if depth:
                self._codes_left -= 1
            if depth > MOST_DEPTH or self._codes_left < 0:
                raise TooCostlyError(TOO_MANY)
            cell = Cell.read(source, modules)
            return list(self._in(cell, depth)) if cell else []  # what does not parse does not run either
        except TooCostlyError as error:
            return [Flag(f"cannot be audited: {error}")]
        except Exception as error:
            return [Flag(f"cannot be audited: {type(error).__name__}")]

    def _in(self, cell: Cell, depth: int) -> Iterator[Flag]:
        if MIME in cell.source:
            yield Flag("writes what only a check writes")
        for path, node in cell.paths():
            if path in IMPORTERS and (name := imported_by(cell.parent(node))):
                yield from of_path(name, True)
                path = name
            elif path not in IMPORTERS or not _asks_for_a_version(node, cell):
                yield from of_path(path, is_import(node))
            if path.split(".")[0] == "course_lib" and not self.lent.allows(path, node, cell, self._checked):
                yield _of_course(path)
        for node in cell.nodes:
            for inspector in INSPECTORS:
                yield from inspector(node, cell)
            if not isinstance(node, ast.Constant) or node.value not in self.given_texts:
                yield from names_in_text(node, cell)
        for magic in cell.magics():
            yield from of_magic(magic, cell)
        for code in codes_in(cell.nodes):
            yield from self._of_cell(code, cell.modules, depth + 1)
        for text in texts_that_run(cell):
            yield from self._of_cell(text, {**cell.modules, **modules_of([text])}, depth + 1)


def _asks_for_a_version(importer: ast.AST, cell: Cell) -> bool:
    """Whether of what is imported by name only the version is asked."""
    call = cell.parent(importer)
    if not isinstance(call, ast.Call) or call.func is not importer:
        return False
    match cell.parent(call):
        case (
            ast.Attribute(attr="__version__")
            | ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value="__version__"), *_])
        ):
            return True
    return False


def _last_checks(notebook: NotebookNode) -> dict[str, int]:
    """By exercise, the place of its check, or of the last cell that calls itself so."""
    graded = ((index, cell) for index, cell in enumerate(notebook.cells) if is_grade(cell))
    return {cell.metadata.nbgrader["grade_id"].removeprefix("check_"): index for index, cell in graded}


def _of_course(path: str) -> Flag:
    if path.startswith(("course_lib.checks", "course_lib.exercises", "course_lib.grading")):
        return Flag(f"reaches for the answers: `{path}`")
    return Flag(f"takes a ready-made piece: `{path}`", borrows=True, tampers=False)


def _methods(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    """Those of METHODS that it defines, in a class or later."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name in METHODS:
            yield Flag(f"defines `{name}`", tampers=name not in OWN_METHODS or not _is_of_own(node, cell))
        case (
            ast.Name(id=name, ctx=ast.Store())
            | ast.Attribute(attr=name, ctx=ast.Store())
            | ast.keyword(arg=name)
            | ast.alias(asname=name)
        ) if name in METHODS:
            yield Flag(f"defines `{name}`")


def _is_of_own(method: ast.AST, cell: Cell) -> bool:
    """Whether it stands in a class that is derived from no other: no result of an answer can be of it."""
    parent = cell.parent(method)
    return isinstance(parent, ast.ClassDef) and not parent.bases and not parent.keywords


def _patches(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    if not isinstance(node, (ast.Attribute, ast.Subscript)) or not isinstance(node.ctx, (ast.Store, ast.Del)):
        return
    root = _root(node)
    calls = isinstance(root, ast.Name) and root.id in ("globals", "vars", "locals", "type", "__import__")
    calls = calls and not _sets_own_name(node, cell)
    if isinstance(node, ast.Attribute):  # of self.F = F the module is not patched, of self.F.relu = f it is
        paths = {f"{path}.{node.attr}" for path in cell.resolved(node.value)}
    else:
        paths = cell.resolved(_innermost_attribute(node))
    for path in paths:
        if not path.startswith(SETTINGS):
            yield Flag(f"patches `{ast.unparse(node)[:80]}`")
    if calls:
        yield Flag(f"patches `{ast.unparse(node)[:80]}`")


def _sets_own_name(node: ast.AST, cell: Cell) -> bool:
    """Whether it is `vars(self)["x"] = 1`, which is another way to write self.x = 1."""
    match node:
        case ast.Subscript(
            value=ast.Call(func=ast.Name(id="vars"), args=[thing], keywords=[]),
            slice=ast.Constant(value=str(name)),
        ):
            return name.isidentifier() and name not in METHODS and is_of_self(thing, cell)
    return False


def _texts_of(source: str) -> Iterator[str]:
    """The constant texts in a cell that was handed out: who pastes it into another cell says nothing new."""
    tree = parsed(source)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _redefines(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    name = getattr(node, "name", "")  # of a function, a class, an exception
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        name = node.id
    # A helper's own variable of that name is nobody's business.
    if name in OUR_NAMES and not isinstance(node, ast.alias) and not in_function(node, cell):
        yield Flag(f"redefines `{name}`", tampers=not _is_value(cell.parent(node), cell))


def _is_value(assignment: ast.AST | None, cell: Cell) -> bool:
    """Whether what it assigns can be seen to be no function: check = torch.allclose(a, b)."""
    match assignment:
        case ast.Assign(targets=[ast.Name()], value=value):
            if isinstance(value, ast.Call):
                paths = cell.resolved(value.func)
                return isinstance(value.func, ast.Attribute) and all(
                    path.startswith("torch.") for path in paths
                )
            return isinstance(value, (ast.Constant, ast.Compare, ast.BinOp, ast.UnaryOp))
    return False


def _root(node: ast.AST) -> ast.AST:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def _innermost_attribute(node: ast.AST) -> ast.AST:
    """Without subscripts and calls around it: torch.backends.cudnn of torch.backends.cudnn["x"]()."""
    while isinstance(node, (ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


INSPECTORS = (
    *(calls, shell, annotations, lookups, unread, dunders),
    *(_methods, _patches, _redefines),
)
