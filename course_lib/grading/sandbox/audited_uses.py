"""What single calls and dotted names of a learner's cell are flagged for: see audit.py."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from course_lib.grading.sandbox.audited_cell import Cell, in_function
from course_lib.grading.sandbox.built_names import may_reach_in
from course_lib.grading.sandbox.suspicions import BELOW_TORCH, CALLS, FINISHED, MODULES, READ_ONLY

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


def of_path(path: str, is_import: bool) -> Iterator[Flag]:
    """Of a dotted name that begins with a module, such as torch.sys.modules: of each module on the way."""
    if path.startswith(BELOW_TORCH):
        finished = path.startswith(FINISHED)
        yield Flag(f"reaches below PyTorch's functions: `{path}`", borrows=finished)
    parts = path.split(".")
    for place, part in enumerate(parts):
        # `collections._sys` is sys: the standard library imports so.
        if not (module := MODULES.get(part) or (place and MODULES.get(part.removeprefix("_")))):
            continue
        name, *_ = rest = [*parts[place + 1 :], ""]
        names = {".".join(rest[:end]) for end in range(1, len(rest))}
        if names & {*module.harmless} or (not name and is_import and module.harmless):
            continue
        if is_import and names & {*module.imported}:
            continue
        shown = f"{part}.{name}" if name else part
        # A module as a value, in a list or an argument, can be used under any name.
        told = module.told if name or is_import else "passes on a module that can reach everything"
        yield Flag(f"{told}: `{shown}`", tampers=module.tampers and not names & {*module.noted})


def calls(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    match node:
        case ast.Call(
            func=ast.Name(id="getattr" | "setattr" | "delattr" as name), args=[thing, attribute, *_]
        ):
            # On an object of the learner's it is ordinary; on a module it is one more way to write a dot.
            plain = isinstance(attribute, ast.Constant) and not str(attribute.value).startswith("__")
            if not cell.resolved(thing):
                if may_reach_in(attribute, cell):
                    yield Flag(f"{CALLS[name]}: `{ast.unparse(node)[:80]}`")
                return
            if name == "getattr" and isinstance(attribute, ast.Name):
                known = cell.constants_of(attribute)
                if known and not any(one.startswith("_") for one in known):
                    for path in (f"{path}.{one}" for path in cell.resolved(thing) for one in known):
                        yield from of_path(path, False)
                    return
            if name != "getattr" or not plain:
                yield Flag(f"{CALLS[name]}: `{ast.unparse(node)[:80]}`")
        case ast.Call(args=[thing, *_]) if "inspect.getmembers" in cell.resolved(node.func):
            # Of a class by its name it is ordinary; of what a function is given it reads everything by name.
            paths = cell.resolved(thing)
            if any("._" in path for path in paths) or (not paths and in_function(node, cell)):
                yield Flag(f"reads attributes by name: `{ast.unparse(node)[:80]}`")
        case ast.Call(func=ast.Name(id="globals" | "vars" | "locals" as name)):
            yield Flag(f"{CALLS[name]}: `{name}`", tampers=not _only_reads(node, cell))
        case ast.Name(id="getattr" | "setattr" | "delattr" | "globals" | "vars" | "locals" as name):
            if not isinstance(parent := cell.parent(node), ast.Call) or parent.func is not node:
                yield Flag(f"{CALLS[name]}: `{name}`")
        case ast.Name() | ast.Attribute() if _is_get_ipython(node, cell):
            yield from _of_shell(node, cell)
        case ast.Name(id="open", ctx=ast.Load()):
            yield Flag("opens a file: `open`", tampers=False)
        case ast.Name(id=name, ctx=ast.Load()) if name in CALLS:
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


def _is_get_ipython(node: ast.Name | ast.Attribute, cell: Cell) -> bool:
    plain = isinstance(node, ast.Name) and node.id == "get_ipython" and isinstance(node.ctx, ast.Load)
    return plain or "IPython.get_ipython" in cell.resolved(node)


def _is_plain_getter(parent: ast.AST | None, getter: ast.AST) -> bool:
    """attrgetter("score"): the same as a dot, and no way to a module or below a name."""
    if not isinstance(parent, ast.Call) or parent.func is not getter or not parent.args:
        return False
    names = parent.args[:1] if "methodcaller" in ast.unparse(getter) else parent.args
    texts = [str(name.value) if isinstance(name, ast.Constant) else "" for name in names]
    return all(text.isidentifier() and text not in MODULES and text[0] != "_" for text in texts)


def _only_reads(call: ast.Call, cell: Cell) -> bool:
    """Whether the names that the call gives are looked at on the spot, and not kept or written to."""
    parent = cell.parent(call)
    match parent:
        case ast.keyword(arg="globals"):  # of timeit, where all that it runs can be read
            timed = cell.parent(parent)
            return cell.is_timed(timed) and all(
                isinstance(one, (ast.Constant, ast.Lambda)) for one in _run(timed)
            )
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
        case ast.Call(func=ast.Name(id=function)):
            return function in ("print", "len", "sorted", "list", "set", "dict", "str", "type", "display")
        case ast.Expr() | ast.For() | ast.comprehension():
            return True
    return False


def _run(timed: ast.AST | None) -> list[ast.expr]:
    """What a call of timeit runs."""
    if not isinstance(timed, ast.Call):
        return []
    return timed.args[:2] + [
        one.value for one in timed.keywords if one.arg not in ("globals", "number", "repeat", "timer")
    ]


def _of_shell(name: ast.AST, cell: Cell) -> Iterator[Flag]:
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
