"""Static audit of a learner's cells: flags code that reaches into the interpreter, the grader or the answers.

A flag forbids nothing; a person decides. Flags have two ranks. Of the first rank is what can deceive: it
tampers with what checks stand on, or borrows a finished piece. The answers are then run once more without
these cells: see Case.score in judge.py. Of the second rank is what honest notebooks do too, such as a shell
command; it is only noted.
"""

import ast
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import accumulate

from nbformat import NotebookNode
from nbgrader.utils import is_locked

from course_lib.checks.score import MIME
from course_lib.grading.sandbox.audited_cell import (
    MOST_WORK,
    Cell,
    TooCostlyError,
    in_function,
    modules_of,
    work,
)
from course_lib.grading.sandbox.lent import Lent
from course_lib.grading.sandbox.suspicions import (
    BELOW_TORCH,
    CALLS,
    DUNDERS,
    FINISHED,
    HARMLESS_MAGICS,
    METHODS,
    MODULES,
    NOTED_MAGICS,
    READ_ONLY,
    SETTINGS,
)

OUR_NAMES = ("check",)
SHELL = ("system", "getoutput", "getoutput_raw", "sx")


@dataclass(frozen=True)
class Flag:
    """sentence: for a person; tampers: whether checks in the same process can no longer be believed.

    borrows: whether it takes a finished piece of the course instead of writing one.
    """

    sentence: str
    tampers: bool = True
    borrows: bool = False

    @property
    def is_serious(self) -> bool:
        """Of the first rank."""
        return self.tampers or self.borrows


MOST_WORK_OF_ALL = 2_000_000  # see audited_cell.work
TOO_MUCH = Flag("cannot be audited: the cells before it take too long")


def code_of(notebook: str) -> list[str]:
    """The sources of its code cells."""
    cells = json.loads(notebook)["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


class Audit:
    """released: the text of the notebook that was handed out; its own cells are not looked at.

    exercises: the names of what is to be written in it, which is never lent. editions: its texts in other
    languages.
    """

    def __init__(self, released: str = "", exercises: Collection[str] = (), editions: Collection[str] = ()):
        sources = code_of(released) if released else []
        self.given = {source.strip() for text in editions for source in code_of(text)}
        self.given |= {source.strip() for source in sources}
        self.lent = Lent(sources, exercises)

    def flags(self, notebook: NotebookNode) -> dict[int, list[Flag]]:
        """Of cells of the learner's own, by the cell's place in the notebook, from 0."""
        sources = {i: cell.source for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"}
        costs = {i: 0 if source.strip() in self.given else work(source) for i, source in sources.items()}
        # What is too costly by itself is not read, and takes nothing from the others.
        totals = accumulate(cost if cost <= MOST_WORK else 0 for cost in costs.values())
        unread = {i for i, total in zip(costs, totals, strict=True) if total > MOST_WORK_OF_ALL}
        modules = modules_of(source for index, source in sources.items() if index not in unread)
        flags = {
            index: [TOO_MUCH] if index in unread else list(dict.fromkeys(self._of_cell(source, modules)))
            for index, source in sources.items()
            if not is_locked(notebook.cells[index]) and source.strip() not in self.given
        }
        return {index: of_cell for index, of_cell in flags.items() if of_cell}

    def _of_cell(self, source: str, modules: dict[str, set[str]]) -> list[Flag]:
        """A cell that defeats the audit is flagged for that, and the audit of the others goes on."""
        try:
            cell = Cell.read(source, modules)
            return list(self._in(cell)) if cell else []  # what does not parse does not run either
        except TooCostlyError as error:
            return [Flag(f"cannot be audited: {error}")]
        except Exception as error:
            return [Flag(f"cannot be audited: {type(error).__name__}")]

    def _in(self, cell: Cell) -> Iterator[Flag]:
        if MIME in cell.source:
            yield Flag("writes what only a check writes")
        for path, is_import in cell.paths():
            yield from _of_path(path, is_import)
            yield from self._of_course(path, is_import)
        for node in cell.nodes:
            for inspector in (_calls, _dunders, _patches, _redefines, _texts):
                yield from inspector(node, cell)
        for magic, code in cell.magics():
            yield from _of_magic(magic)
            if code is not None:
                yield from self._of_cell(code, cell.modules)

    def _of_course(self, path: str, is_import: bool) -> Iterator[Flag]:
        parts = path.split(".")
        if parts[0] != "course_lib" or self.lent.allows(path, is_import):
            return
        if parts[1:2] in (["checks"], ["exercises"], ["grading"]):
            yield Flag(f"reaches for the answers: `{path}`")
        else:
            yield Flag(f"takes a ready-made piece: `{path}`", borrows=True, tampers=False)


def _of_path(path: str, is_import: bool) -> Iterator[Flag]:
    """Of a dotted name that begins with a module, such as torch.sys.modules: of each module on the way."""
    if path.startswith(BELOW_TORCH):
        finished = path.startswith(FINISHED)
        yield Flag(f"reaches below PyTorch's functions: `{path}`", borrows=finished)
    parts = path.split(".")
    for place, part in enumerate(parts):
        if not (module := MODULES.get(part)):
            continue
        name, *_ = [*parts[place + 1 :], ""]
        if name in module.harmless or (not name and is_import and module.harmless):
            continue
        shown = f"{part}.{name}" if name else part
        # A module as a value, in a list or an argument, can be used under any name.
        told = module.told if name or is_import else "passes on a module that can reach everything"
        yield Flag(f"{told}: `{shown}`", tampers=module.tampers and name not in module.noted)


def _calls(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    match node:
        case ast.Call(
            func=ast.Name(id="getattr" | "setattr" | "delattr" as name), args=[thing, attribute, *_]
        ):
            # On an object of the learner's it is ordinary; on a module it is one more way to write a dot.
            plain = isinstance(attribute, ast.Constant) and not str(attribute.value).startswith("__")
            if cell.resolved(thing) and (name != "getattr" or not plain):
                yield Flag(f"{CALLS[name]}: `{ast.unparse(node)[:80]}`")
        case ast.Call(func=ast.Name(id="globals" | "vars" | "locals" as name)):
            yield Flag(f"{CALLS[name]}: `{name}`", tampers=not _only_reads(node, cell))
        case ast.Name(id="getattr" | "setattr" | "delattr" | "globals" | "vars" | "locals" as name):
            if not isinstance(parent := cell.parent(node), ast.Call) or parent.func is not node:
                yield Flag(f"{CALLS[name]}: `{name}`")
        case ast.Name(id="get_ipython"):
            yield from _of_shell(node, cell)
        case ast.Name(id="open", ctx=ast.Load()):
            yield Flag("opens a file: `open`", tampers=False)
        case ast.Name(id=name, ctx=ast.Load()) if name in CALLS:
            yield Flag(f"{CALLS[name]}: `{name}`")
        case ast.Attribute(attr="attrgetter" | "methodcaller" as name):
            yield Flag(f"reads attributes by name: `{name}`")
        case ast.alias(name="attrgetter" | "methodcaller" as name):
            yield Flag(f"reads attributes by name: `{name}`")


def _only_reads(call: ast.Call, cell: Cell) -> bool:
    """Whether the names that the call gives are looked at on the spot, and not kept or written to."""
    parent = cell.parent(call)
    match parent:
        case ast.Attribute(attr=attribute):
            return attribute in READ_ONLY
        case ast.Subscript(ctx=ast.Load()) | ast.Compare():
            return not isinstance(cell.parent(parent), ast.Attribute) or cell.is_read(parent)
        case ast.Call(func=ast.Name(id=function)):
            return function in ("print", "len", "sorted", "list", "set", "dict", "str", "type", "display")
        case ast.Expr() | ast.For() | ast.comprehension():
            return True
    return False


def _of_shell(name: ast.Name, cell: Cell) -> Iterator[Flag]:
    """What is done with get_ipython(). Magics are looked at by themselves: see Cell.magics."""
    call = cell.parent(name)
    use = cell.parent(call) if isinstance(call, ast.Call) else None
    match use:
        case ast.Attribute(attr="run_line_magic" | "run_cell_magic"):
            if not cell.is_magic(cell.parent(use)):
                yield Flag("runs a magic whose name cannot be read: `get_ipython`")
        case ast.Attribute(attr=attribute) if attribute in SHELL:
            yield Flag("runs a shell command", tampers=False)
        case ast.Call(func=ast.Name(id="str" | "print" | "type" | "repr")) | ast.Compare():
            yield Flag("asks where it runs: `get_ipython`", tampers=False)
        case _:
            yield Flag("drives IPython: `get_ipython`")


def _of_magic(magic: str) -> Iterator[Flag]:
    if magic in NOTED_MAGICS:
        yield Flag(f"uses the magic `%{magic}`", tampers=False)
    elif magic not in HARMLESS_MAGICS:
        yield Flag(f"drives IPython: `%{magic}`")


def _dunders(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    if isinstance(node, ast.Attribute) and node.attr in DUNDERS:
        if node.attr == "__dict__" and cell.is_read(node):
            return
        yield Flag(f"reaches into the interpreter: `{node.attr}`")
    if isinstance(node, ast.MatchClass) and (reached := {*node.kwd_attrs} & {*DUNDERS}):
        yield Flag(f"reaches into the interpreter: `{min(reached)}`")
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in METHODS:
        yield Flag(f"defines `{node.name}`")


def _patches(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    if not isinstance(node, (ast.Attribute, ast.Subscript)) or not isinstance(node.ctx, (ast.Store, ast.Del)):
        return
    root = _root(node)
    calls = isinstance(root, ast.Name) and root.id in ("globals", "vars", "locals", "type", "__import__")
    for path in cell.resolved(_innermost_attribute(node)):
        if not path.startswith(SETTINGS):
            yield Flag(f"patches `{ast.unparse(node)[:80]}`")
    if calls:
        yield Flag(f"patches `{ast.unparse(node)[:80]}`")


def _texts(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    """Names in a text: of the course, as pkgutil.resolve_name takes them, or as in "{0.__globals__}"."""
    text = _text(node)
    if text is None or isinstance(cell.parent(node), ast.Expr):
        return
    if "course_lib" in text:
        yield Flag("names the course in a text", borrows=True, tampers=False)
    if any(name in text for name in DUNDERS if name.startswith("__") and name != "__import__"):
        yield Flag("names the interpreter's own attributes in a text")


def _text(node: ast.AST) -> str | None:
    """Of a constant, or of constants that are put together on the spot."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Constant(value=bytes(text)):
            return text.decode("latin-1")
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            one, other = _text(left), _text(right)
            return None if one is None or other is None else one + other
    return None


def _redefines(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    name = getattr(node, "name", "")  # of a function, a class, an exception
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        name = node.id
    # A helper's own variable of that name is nobody's business.
    if name in OUR_NAMES and not isinstance(node, ast.alias) and not in_function(node, cell):
        yield Flag(f"redefines `{name}`")


def _root(node: ast.AST) -> ast.AST:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def _innermost_attribute(node: ast.AST) -> ast.AST:
    """Without subscripts and calls around it: torch.backends.cudnn of torch.backends.cudnn["x"]()."""
    while isinstance(node, (ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node
