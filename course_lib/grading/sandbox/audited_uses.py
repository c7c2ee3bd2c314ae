"""What single calls and dotted names of a learner's cell are flagged for: see audit.py."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from course_lib.grading.sandbox.audited_cell import Cell
from course_lib.grading.sandbox.audited_magics import literal_code
from course_lib.grading.sandbox.audited_self import is_of_self, reaches_in
from course_lib.grading.sandbox.built_names import may_reach_in, whole_text
from course_lib.grading.sandbox.cell_text import TooCostlyError
from course_lib.grading.sandbox.known_modules import (
    BELOW_TORCH,
    BY_NAME,
    FINISHED,
    NOT_PYTHONS,
    PRIVATE,
    STANDARD,
    TORCH,
    WHOLE_TORCH,
)
from course_lib.grading.sandbox.real_names import is_module
from course_lib.grading.sandbox.suspicions import CALLS, MODULES, NAMES_OF_MODULES, RARE, READ_ONLY

MEMBERS = (
    "inspect.isfunction",
    "inspect.ismethod",
    "inspect.isclass",
    "inspect.isroutine",
    "inspect.isbuiltin",
)
NOT_RUN = ("globals", "number", "repeat", "timer", "label", "sub_label", "description", "num_threads")
MOST_PARTS = 40  # of a dotted name, for the work grows with their cube


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


def of_path(path: str, is_import: bool) -> Iterator[Flag]:
    """Of a dotted name that begins with a module, such as torch.sys.modules: of each module on the way."""
    parts = path.split(".")
    if parts[0] == "__main__" and parts[1:] and parts[1][0] != "_" and parts[1] != "get_ipython":
        return  # what timeit imports of the notebook's own
    if len(parts) > MOST_PARTS:
        raise TooCostlyError(f"a name of {len(parts):,} parts, at most {MOST_PARTS} are read")
    if "torch" in parts[1:]:  # as in a library that is not loaded here
        yield from of_path(".".join(parts[parts.index("torch", 1) :]), is_import)
    if path.startswith(BELOW_TORCH) or (parts[0] == "torch" and not _is_of_torch(parts)):
        yield Flag(f"reaches below PyTorch's functions: `{path}`", borrows=path.startswith(FINISHED))
    elif _is_private(path, parts, is_import):
        yield Flag(f"reaches for a private name: `{path}`", borrows=parts[0] == "torch")
    if parts[0] in sys.stdlib_module_names and parts[0] not in (*MODULES, *STANDARD):
        yield Flag(f"{RARE}: `{path}`")
    for place, part in enumerate(parts):
        below = ".".join(parts[: place + 1])
        # `collections._sys` is sys, also in what is not loaded here: the standard library imports so.
        by_name = MODULES.get(part) or MODULES.get(part.removeprefix("_"))
        may_be_it = is_module(below) is None and below not in NOT_PYTHONS
        if not (module := MODULES.get(below) or (by_name if may_be_it else None)):
            continue
        name, *_ = rest = [*parts[place + 1 :], ""]
        names = {".".join(rest[:end]) for end in range(1, len(rest))}
        if names & {*module.harmless} or (not name and is_import and module.harmless):
            continue
        if is_import and names & {*module.imported}:
            continue
        is_own = place and below in MODULES
        shown = ".".join(filter(None, (below if is_own else part, name)))
        # A module as a value, in a list or an argument, can be used under any name.
        told = module.told if name or is_import or is_own else "passes on a module that can reach everything"
        is_noted = names & {*module.noted} or (not name and is_import and module.noted)
        yield Flag(f"{told}: `{shown}`", tampers=module.tampers and not is_noted)


def _is_of_torch(parts: list[str]) -> bool:
    """Whether all modules of PyTorch on the way are those that honest notebooks use."""
    path = ".".join(parts)
    if _is_excepted(path):
        return True
    ways = (".".join(parts[: place + 1]) for place in range(len(parts)))
    return all(way in TORCH or f"{way}.".startswith(_WHOLE) for way in ways if is_module(way))


_WHOLE = tuple(f"{one}." for one in WHOLE_TORCH)


def _is_private(path: str, parts: list[str], is_import: bool) -> bool:
    """Whether a module on the way is asked for a name with an underscore, which is nobody else's business."""
    for place, part in enumerate(parts[1:], 1):
        parent = ".".join(parts[:place])
        is_hidden = part.startswith("_") and (not part.startswith("__") or part == "__getattr__")
        of_module = is_import or place == 1 or is_module(parent)
        if is_hidden and of_module and part != "_":
            known = MODULES.get(parent)
            return not (known and part in known.noted) and not _is_excepted(path)
    return False


def _is_excepted(path: str) -> bool:
    """Whether it is one of PRIVATE, below one, or on the way to one."""
    return any(f"{path}.".startswith(f"{one}.") or one.startswith(f"{path}.") for one in PRIVATE)


def calls(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    match node:
        case ast.Call(
            func=ast.Name(id="getattr" | "setattr" | "delattr" as name), args=[thing, attribute, *_]
        ):
            # On an object of the learner's it is ordinary; on a module it is one more way to write a dot.
            plain = isinstance(attribute, ast.Constant) and not str(attribute.value).startswith("__")
            if not cell.resolved(thing):
                text = whole_text(attribute, cell)
                # What a method asks of its own object is kept from it as it runs, where it is not its own.
                is_own = name == "getattr" and text is None and is_of_self(thing, cell)
                if text in NAMES_OF_MODULES or (not is_own and may_reach_in(attribute, cell)):
                    yield Flag(f"{CALLS[name]}: `{ast.unparse(node)[:80]}`")
                return
            if name == "getattr" and isinstance(attribute, ast.Name):
                known = cell.constants_of(attribute)
                if known and not any(one.startswith("_") for one in known):
                    for path in (f"{path}.{one}" for path in cell.resolved(thing) for one in known):
                        yield from of_path(path, False)
                    return
            if name == "getattr" and not plain and cell.resolved(thing) <= BY_NAME:
                return
            if name != "getattr" or not plain:
                yield Flag(f"{CALLS[name]}: `{ast.unparse(node)[:80]}`")
        case ast.Call(args=[thing, *_]) if "inspect.getmembers" in cell.resolved(node.func):
            # Of a class by its name it is ordinary; of what a function is given it reads everything by name.
            paths = cell.resolved(thing)
            is_class = paths and not any(map(is_module, paths))
            if any("._" in path for path in paths) or not (is_class or _only_lists(node, cell)):
                yield Flag(f"reads attributes by name: `{ast.unparse(node)[:80]}`")
        case ast.Call(func=ast.Name(id="globals" | "vars" | "locals" as name)):
            of_module = any(cell.resolved(thing) for thing in node.args)
            is_read = _only_lists(node, cell) if of_module else _only_reads(node, cell)
            if name == "vars" and not of_module:
                is_own = len(node.args) == 1 and is_of_self(node.args[0], cell)
                is_read = (is_read or is_own) and not reaches_in(node, cell)
            yield Flag(f"{CALLS[name]}: `{name}`", tampers=not is_read)
        case ast.Name(id="getattr" | "setattr" | "delattr" | "globals" | "vars" | "locals" as name):
            if not isinstance(parent := cell.parent(node), ast.Call) or parent.func is not node:
                yield Flag(f"{CALLS[name]}: `{name}`")
        case ast.Call(func=ast.Name(id="breakpoint"), args=[], keywords=[]):
            yield Flag("opens a debugger: `breakpoint`", tampers=False)
        case ast.Name(id="breakpoint", ctx=ast.Load()):
            match cell.parent(node):
                case ast.Call(args=[], keywords=[]):
                    return
            yield Flag("opens a debugger: `breakpoint`")
        case ast.Call() if _gets_a_graph(node, cell):
            yield Flag(f"reaches below PyTorch's functions: `{ast.unparse(node)[:80]}`", borrows=True)
        case ast.Name(id="open", ctx=ast.Load()):
            yield Flag("opens a file: `open`", tampers=False)
        case ast.Name(id=name, ctx=ast.Load()) if name in CALLS and not _runs_a_literal(node, cell):
            yield Flag(f"{CALLS[name]}: `{name}`")
        case (
            ast.Name(id="attrgetter" | "methodcaller" as name)
            | ast.Attribute(attr="attrgetter" | "methodcaller" as name)
        ):
            if not _is_plain_getter(cell.parent(node), node):
                yield Flag(f"reads attributes by name: `{name}`")
        case ast.alias(name="attrgetter" | "methodcaller" as name, asname=str()):
            yield Flag(f"reads attributes by name: `{name}`")
        case (
            ast.Name(id="__doc__" | "__test__", ctx=ast.Store())
            | ast.Attribute(attr="__doc__" | "__test__", ctx=ast.Store())
        ) if cell.runs_docstrings:
            yield Flag("writes text that doctest runs")


def _runs_a_literal(function: ast.AST, cell: Cell) -> bool:
    call = cell.parent(function)
    return isinstance(call, ast.Call) and call.func is function and bool(literal_code(call))


def _gets_a_graph(call: ast.Call, cell: Cell) -> bool:
    """Whether it gives torch.compile a function for a backend, which gets PyTorch's own graph."""
    if not any("torch.compile" in cell.resolved(one) for one in (call.func, *call.args)):
        return False
    given = [one.value for one in call.keywords if one.arg in ("backend", None)]
    return not all(
        whole_text(one, cell) or (isinstance(one, ast.Name) and cell.constants_of(one))
        for one in (*given, *call.args[4:])
    )


def _only_lists(call: ast.Call, cell: Cell) -> bool:
    """Whether what it gives is shown, or gone through by names without their values, or methods only."""
    if any(
        cell.resolved(one) & {*MEMBERS} for one in (*call.args[1:], *(word.value for word in call.keywords))
    ):
        return True
    match cell.parent(call):
        case ast.Call(func=ast.Name(id="print" | "len" | "sorted" | "pprint")) | ast.Expr() | ast.Compare():
            return True
        case ast.Attribute(attr="keys"):
            return True
        case ast.For(target=target) | ast.comprehension(target=target):
            value = target.elts[-1] if isinstance(target, ast.Tuple) else None
            return isinstance(value, ast.Name) and value.id not in _kept(cell)
    return False


@lru_cache(maxsize=1)
def _kept(cell: Cell) -> set[str]:
    """The names whose values are used, and not only shown or asked what they are."""
    names = (node for node in cell.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    return {name.id for name in names if not _is_looked_at(name, cell)}


def _is_looked_at(value: ast.Name, cell: Cell) -> bool:
    match cell.parent(value):
        case ast.FormattedValue():
            return True
        case ast.Call(func=ast.Name(id=name)) if name in (
            "print",
            "type",
            "callable",
            "isinstance",
            "issubclass",
            "len",
            "str",
            "repr",
        ):
            return True
        case ast.Call(func=function):
            return any(path.startswith("inspect.") for path in cell.resolved(function))
    return False


def _is_plain_getter(parent: ast.AST | None, getter: ast.AST) -> bool:
    """attrgetter("score"): the same as a dot, and no way to a module or below a name."""
    if not isinstance(parent, ast.Call) or parent.func is not getter or not parent.args:
        return False
    names = parent.args[:1] if "methodcaller" in ast.unparse(getter) else parent.args
    texts = [str(name.value) if isinstance(name, ast.Constant) else "" for name in names]
    parts = [part for text in texts for part in text.split(".")]
    return not any(
        not part.isidentifier() or part in MODULES or part[0] == "_" or is_module(f"torch.{part}")
        for part in parts
    )


def _only_reads(call: ast.Call, cell: Cell) -> bool:
    """Whether the names that the call gives are looked at on the spot, and not kept or written to."""
    parent = cell.parent(call)
    match parent:
        case ast.keyword(arg="globals"):  # of timeit, where all that it runs can be read
            timed = cell.parent(parent)
            return cell.is_timed(timed) and all(
                isinstance(one, (ast.Constant, ast.Lambda)) for one in _run(timed)
            )
        case ast.Call(func=function) if "doctest.run_docstring_examples" in cell.resolved(function):
            return True  # examples are read where doctest is imported
        case ast.keyword(arg=None):
            match cell.parent(parent):
                case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="format")):
                    return True
        case ast.BinOp(left=ast.Constant(), op=ast.Mod()):
            return True
        case ast.Attribute(attr=attribute):
            return attribute in READ_ONLY
        case ast.Subscript(ctx=ast.Load()) | ast.Compare():
            return not isinstance(cell.parent(parent), ast.Attribute) or cell.is_read(parent)
        case ast.Call(func=ast.Attribute(ast.Attribute(thing, "__dict__"), "update"), args=[_]):
            # A constructor keeps what it was given: `locals` there has nothing else.
            return isinstance(call.func, ast.Name) and call.func.id == "locals" and is_of_self(thing, cell)
        case ast.Call(func=ast.Name(id=function)):
            return function in ("print", "len", "sorted", "list", "set", "dict", "str", "type", "display")
        case ast.Expr() | ast.For() | ast.comprehension():
            return True
    return False


def _run(timed: ast.AST | None) -> list[ast.expr]:
    """What a call of timeit runs."""
    if not isinstance(timed, ast.Call):
        return []
    return timed.args[:2] + [one.value for one in timed.keywords if one.arg not in NOT_RUN]
