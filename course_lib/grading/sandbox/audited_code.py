"""What one text of Python is flagged for: a learner's cell, or what is run as code in it: see audit.py."""

import ast
from collections.abc import Collection, Iterator

from course_lib.checks.score import MIME
from course_lib.grading.sandbox.audited_cell import IMPORTERS, Cell, imported_by, in_function, modules_of
from course_lib.grading.sandbox.audited_dunders import dunders
from course_lib.grading.sandbox.audited_lookups import lookups
from course_lib.grading.sandbox.audited_magics import codes_in
from course_lib.grading.sandbox.audited_self import is_of_self
from course_lib.grading.sandbox.audited_shell import of_magic, shell
from course_lib.grading.sandbox.audited_texts import names_in_text, texts_that_run, unread
from course_lib.grading.sandbox.audited_uses import Flag, calls, of_path
from course_lib.grading.sandbox.cell_text import MOST_CODES, MOST_DEPTH, TOO_MANY, TooCostlyError
from course_lib.grading.sandbox.lent import Lent, is_import
from course_lib.grading.sandbox.suspicions import METHODS, NAMES_OF_MODULES, OWN_METHODS, SETTINGS

OUR_NAMES = ("check",)


class Reader:
    """Of one notebook. given_texts: those that the notebook had when it was handed out.

    checked: the exercises that were checked before what is read now.
    """

    def __init__(self, lent: Lent, given_texts: Collection[str] = ()):
        self.lent, self.given_texts = lent, given_texts
        self.checked: set[str] = set()
        self._codes_left = MOST_CODES

    def flags(self, source: str, modules: dict[str, set[str]]) -> list[Flag]:
        """Of a cell. modules: see Cell."""
        return list(dict.fromkeys(self._of_cell(source, modules)))

    def flags_of_python(self, text: str, modules: dict[str, set[str]]) -> list[Flag]:
        """Of a text that runs without IPython, which reads prompts and magics in it."""
        try:
            cell = Cell(text, ast.parse(text), {**modules, **modules_of([text])})
            return list(self._in(cell, 0))
        except SyntaxError:  # it does not run
            return []
        except Exception as error:
            return [Flag(f"cannot be audited: {type(error).__name__}")]

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
            if path.split(".")[0] == "course_lib" and not self.lent.allows(path, node, cell, self.checked):
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
        if not _is_a_setting(path):
            yield Flag(f"patches `{ast.unparse(node)[:80]}`")
    if calls:
        yield Flag(f"patches `{ast.unparse(node)[:80]}`")


def _is_a_setting(path: str) -> bool:
    """And no name of a module that this one has at hand, as `torch.backends.mkldnn.torch.add` is."""
    named = [path.removeprefix(setting).split(".") for setting in SETTINGS if path.startswith(setting)]
    return any(not any(one in NAMES_OF_MODULES or one.startswith("_") for one in rest) for rest in named)


def _sets_own_name(node: ast.AST, cell: Cell) -> bool:
    """Whether it is `vars(self)["x"] = 1`, which is another way to write self.x = 1."""
    match node:
        case ast.Subscript(
            value=ast.Call(func=ast.Name(id="vars"), args=[thing], keywords=[]),
            slice=ast.Constant(value=str(name)),
        ):
            return name.isidentifier() and name not in METHODS and is_of_self(thing, cell)
    return False


def _redefines(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    name = getattr(node, "name", "")  # of a function, a class, an exception
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        name = node.id
    # `super().__setattr__` sets attributes of a method's own object only where it is Python's.
    others = "asname", "rest", *(["arg"] if isinstance(node, ast.arg) else [])
    if "super" in (name, *(getattr(node, other, "") for other in others)):
        yield Flag("redefines `super`")
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
    *(calls, shell, lookups, unread, dunders),
    *(_methods, _patches, _redefines),
)
