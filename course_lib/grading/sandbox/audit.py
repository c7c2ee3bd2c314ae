"""Static audit of a learner's cells: flags code that reaches into the interpreter, the grader or the answers.

A flag forbids nothing; a person decides. Where a flagged cell tampers with what checks stand on, the answers
are run once more without it: see Case.score in judge.py.
"""

import ast
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode
from nbgrader.utils import is_locked

from course_lib.checks.score import MIME

TAMPERING = {  # calls that can change what checks stand on
    "exec": "runs text as code",
    "eval": "runs text as code",
    "compile": "runs text as code",
    "__import__": "imports by name",
    "globals": "reads all variables by name",
    "vars": "reads all variables by name",
    "setattr": "sets attributes by name",
    "delattr": "deletes attributes by name",
    "get_ipython": "controls IPython or runs a shell command",
}
MODULES = {  # that can
    "builtins": "uses Python's built-in names",
    "ctypes": "bypasses Python",
    "gc": "looks for objects in memory",
    "importlib": "imports by name",
    "IPython": "controls IPython",
    "marshal": "runs text as code",
    "mmap": "bypasses Python",
    "nbgrader": "uses the grader",
    "pickle": "runs text as code",
    "runpy": "runs a file as code",
    "socket": "opens a network connection",
}
DISRUPTIVE_MODULES = {  # modules that let code misbehave, but not deceive
    "atexit": "acts when the process ends",
    "faulthandler": "can end the process",
    "multiprocessing": "starts processes",
    "resource": "changes the process's limits",
    "signal": "sends or catches signals",
    "sqlite3": "opens a database",
    "subprocess": "starts processes",
    "threading": "starts threads",
    "urllib": "opens a network connection",
    "_thread": "starts threads",
}
DISRUPTIVE_ATTRIBUTES = {  # of modules: they let code misbehave, but not deceive
    "os": (
        *("_exit", "abort", "kill", "killpg", "fork", "system", "popen", "remove", "walk", "setsid"),
        *("getppid", "getpid"),
    ),
    "sys": ("exit", "setrecursionlimit"),
    "inspect": (),
}
HARMLESS = {  # attributes of modules that honest code uses too
    "os": (
        *("environ", "path", "getcwd", "chdir", "listdir", "makedirs", "sep", "cpu_count", "linesep"),
        "name",
    ),
    "sys": (
        *("stdout", "stderr", "path", "version", "version_info", "maxsize", "float_info", "executable"),
        "argv",
    ),
    "inspect": ("signature", "getsource", "getdoc", "isfunction", "isclass", "cleandoc", "Parameter"),
}
MAGICS = ("matplotlib", "config", "time", "timeit", "pinfo", "pinfo2", "who", "whos", "pwd", "precision")
ATTRIBUTES = (
    *("__globals__", "__closure__", "__code__", "__subclasses__", "__builtins__", "__dict__", "__reduce__"),
    *("__bases__", "__mro__", "__getattribute__", "f_back", "f_locals", "f_globals", "tb_frame", "gi_frame"),
)
METHODS = (
    *("__torch_function__", "__torch_dispatch__", "__eq__", "__class__", "__float__"),
    "__instancecheck__",
)
ROOTS = {"torch", "course_lib", "F", "nn", "np", "plots", "math", "plt", *MODULES}  # of what is patched
PIECES = {"grading", "model", "authoring"}
OUR_NAMES = ("check",)


@dataclass(frozen=True)
class Flag:
    """sentence: for a person; tampers: whether checks in the same process can no longer be believed.

    borrows: whether it takes a finished piece of the course, in place of writing one.
    """

    sentence: str
    tampers: bool = True
    borrows: bool = False


class Audit:
    """released: the text of the notebook that was handed out; its own cells are not looked at."""

    def __init__(self, released: str = ""):
        cells = json.loads(released)["cells"] if released else []
        self.given = {"".join(cell["source"]).strip() for cell in cells}
        self.lent = {word for source in self.given for word in re.findall(r"[\w.]+", source)}

    def flags(self, notebook: NotebookNode) -> dict[int, list[Flag]]:
        """Of cells of the learner's own, by the cell's place in the notebook, from 0."""
        flags = {
            index: [each for each in dict.fromkeys(_in(cell.source)) if not self._is_lent(each)]
            for index, cell in enumerate(notebook.cells)
            if cell.cell_type == "code" and not is_locked(cell) and cell.source.strip() not in self.given
        }
        return {index: of_cell for index, of_cell in flags.items() if of_cell}

    def _is_lent(self, flag: Flag) -> bool:
        """Whether the lesson itself takes that piece from the course."""
        module = flag.sentence.split("`")[1].rpartition(".")[0] if flag.borrows else ""
        return bool(module) and module in self.lent


def _in(source: str) -> Iterator[Flag]:
    try:
        tree = ast.parse(TransformerManager().transform_cell(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # it does not run either
    if MIME in source:
        yield Flag("writes what only a check writes")
    nodes = list(ast.walk(tree))
    harmless = {id(_harmless_shell(node)) for node in nodes}
    nodes = [node for node in nodes if id(node) not in harmless]
    imported = {alias.asname or alias.name.split(".")[0] for node in nodes for alias in _aliases(node)}
    for node in nodes:
        for inspector in (_imports, _names, _attributes, _patches, _redefines):
            yield from inspector(node, imported)


def _harmless_shell(node: ast.AST) -> ast.expr | None:
    """The name get_ipython in get_ipython().run_line_magic("time", ...), which IPython makes of %time."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=shell), attr="run_line_magic" | "run_cell_magic"),
            args=[ast.Constant(value=magic), *_],
        ) if magic in MAGICS:
            return shell
    return None


def _aliases(node: ast.AST) -> list[ast.alias]:
    return node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else []


def _imports(node: ast.AST, _: Collection[str]) -> Iterator[Flag]:
    for alias in _aliases(node):
        module = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
        root, *rest = module.split(".")
        if root in MODULES:
            yield Flag(f"{MODULES[root]}: `{root}`")
        if root in DISRUPTIVE_MODULES:
            yield Flag(f"{DISRUPTIVE_MODULES[root]}: `{root}`", tampers=False)
        if rest:
            yield from _of_system(root, rest[0])
        if root == "course_lib" and _holds_answers(rest):
            yield Flag(f"uses the answers: `{module}`")
        if root == "course_lib" and rest and rest[0] in PIECES:
            yield Flag(f"uses a finished piece: `{module}`", borrows=True)


def _holds_answers(rest: list[str]) -> bool:
    """course_lib.checks; and course_lib.exercises, but for what a notebook takes of its lesson there."""
    return rest[:1] == ["checks"] or (rest[:1] == ["exercises"] and len(rest) != 3)


def _names(node: ast.AST, _: Collection[str]) -> Iterator[Flag]:
    if isinstance(node, ast.Name) and node.id in TAMPERING:
        yield Flag(f"{TAMPERING[node.id]}: `{node.id}`")
    if isinstance(node, ast.Name) and node.id == "open":
        yield Flag("opens a file: `open`", tampers=False)


def _attributes(node: ast.AST, _: Collection[str]) -> Iterator[Flag]:
    if not isinstance(node, ast.Attribute):
        return
    if node.attr in ATTRIBUTES:
        yield Flag(f"uses the interpreter's internals: `{node.attr}`")
    root = node.value.id if isinstance(node.value, ast.Name) else ""
    yield from _of_system(root, node.attr)
    if root == "course_lib" and node.attr in ("checks", "exercises", *PIECES):
        yield Flag(f"uses a finished piece: `course_lib.{node.attr}`", borrows=True)


def _of_system(module: str, attribute: str) -> Iterator[Flag]:
    if module in HARMLESS and attribute not in HARMLESS[module]:
        disruptive = attribute in DISRUPTIVE_ATTRIBUTES[module]
        yield Flag(f"controls the system: `{module}.{attribute}`", tampers=not disruptive)


def _patches(node: ast.AST, imported: Collection[str]) -> Iterator[Flag]:
    if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
        root = _root(node)
        harmless = isinstance(node, ast.Subscript) and root == "os"  # os.environ[...] = ...
        if root in ROOTS | set(imported) and not harmless:
            yield Flag(f"patches `{ast.unparse(node)}`")
    if isinstance(node, ast.FunctionDef) and node.name in METHODS:
        yield Flag(f"defines `{node.name}`")


def _redefines(node: ast.AST, _: Collection[str]) -> Iterator[Flag]:
    name = getattr(node, "name", "")  # of a function, a class, an exception
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        name = node.id
    if name in OUR_NAMES and not isinstance(node, ast.alias):
        yield Flag(f"redefines `{name}`")


def _root(node: ast.AST) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
