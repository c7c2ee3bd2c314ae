"""Texts of a learner's cell that are run as code, by others than the interpreter: see audit.py."""

import ast
import doctest
import pickletools
import re
import sys
from collections.abc import Iterator
from typing import TypeGuard

from course_lib.grading.sandbox.audited_cell import Cell
from course_lib.grading.sandbox.audited_uses import Flag
from course_lib.grading.sandbox.built_names import is_built, whole_text
from course_lib.grading.sandbox.suspicions import (
    DUNDERS,
    METHODS,
    REACHING,
    REACHING_TEXT,
    TIMERS,
)

# What runs the texts that it is given: functions, or all below a name with a dot, and methods of whatever.
# Such a text is read as code; a function's that is put together so that it cannot be read is flagged.
RUN = (
    *TIMERS,
    *("cProfile.run", "cProfile.runctx", "profile.run", "profile.runctx", "pandas.eval", "numexpr.evaluate"),
    *("sympy.sympify", "sympy.S", "sympy.parse_expr", "sympy.parsing.", "sympy.lambdify", "sympy.core."),
)
RUN_BY_METHODS = ("run", "eval", "query", "sympify", "parse_expr", "write", "write_text")
LOADS = ("pickle.loads", "pickle.load", "torch.load", "torch.serialization.load", "pandas.read_pickle")
CALLING = {"REDUCE", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "BUILD"}  # what in a pickle calls something
# Where bytes come from elsewhere: a file, the network, or an object that was pickled here.
SOURCES = (
    "dumps",
    "read",
    "read_bytes",
    "getvalue",
    "getbuffer",
    "get",
    "open",
    "recv",
    "urlopen",
    "tobytes",
)


def texts_that_run(cell: Cell) -> Iterator[str]:
    """What timeit and its like are given, and examples that doctest runs."""
    for node in cell.nodes:
        if isinstance(node, ast.Call):
            by_method = isinstance(node.func, ast.Attribute) and node.func.attr in RUN_BY_METHODS
            if by_method or _runs_texts(node, cell):
                yield from filter(_is_python, (whole_text(value, cell) for value in _values(node)))
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if cell.runs_docstrings and ">>>" in text:
            yield from (one.source for one in _examples(text))


def unread(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    """Texts and bytes that run, and that cannot be read."""
    if not isinstance(node, ast.Call):
        return
    if _runs_texts(node, cell) and any(is_built(value, cell) for value in _values(node)):
        yield Flag(f"runs text as code: `{ast.unparse(node)[:80]}`")
    if (paths := cell.called(node.func) & {*LOADS}) and node.args:
        loads = any(path.endswith("s") for path in paths)
        if _is_made_here(node.args[0], cell, loads):
            yield Flag(f"runs bytes as code: `{ast.unparse(node)[:80]}`")


def names_in_text(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    """Names in a text: of the course, as pkgutil.resolve_name takes them, or as in "{0.__globals__}"."""
    text = whole_text(node, cell)
    if text is None or isinstance(cell.parent(node), ast.Expr):
        return
    if "course_lib" in text:
        yield Flag("names the course in a text", borrows=True, tampers=False)
    if text in (*DUNDERS, *REACHING) or any(
        name in text for name in DUNDERS if name[:2] == "__" and name != "__import__"
    ):
        yield Flag("names the interpreter's own attributes in a text")
    if found := re.search(REACHING_TEXT, text):
        yield Flag(f"names in a text what reaches past the checks: `{found[0]}`")
    if (name := text) in METHODS and _is_set(node, cell):
        yield Flag(f"defines `{name}`")
    if _calls_as_pickle(text):
        yield Flag("runs bytes as code: a pickle in a text")


def _runs_texts(call: ast.Call, cell: Cell) -> bool:
    return any(
        path == one or (one.endswith(".") and path.startswith(one))
        for path in cell.called(call.func)
        for one in RUN
    )


def _is_python(text: str | None) -> TypeGuard[str]:
    """Without magics, which only IPython knows."""
    try:
        return bool(text) and bool(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _values(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _examples(text: str) -> list[doctest.Example]:
    try:
        return doctest.DocTestParser().get_examples(text)
    except ValueError:  # doctest runs none of such a text
        return []


def _is_made_here(data: ast.expr, cell: Cell, is_data: bool, follows: bool = True) -> bool:
    """Whether the cell writes these bytes itself. is_data: otherwise it is a file's name, or a file."""
    match data:
        case ast.Name(id=name) if follows and (value := cell.assigned.get(name)):
            return _is_made_here(value, cell, is_data, follows=False)
        case ast.Call(func=ast.Name(id="BytesIO") | ast.Attribute(attr="BytesIO"), args=[inner]):
            return _is_made_here(inner, cell, True, follows)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if not is_data or name in SOURCES:
            return False
        case ast.Call(func=function, args=args):
            of = [*args[:1], *([function.value] if isinstance(function, ast.Attribute) else [])]
            return any(_is_made_here(one, cell, True, follows) for one in of)
        case ast.Constant() | ast.List() | ast.Tuple() | ast.BinOp() | ast.JoinedStr():
            return is_data
    return is_data and (whole_text(data, cell) is not None or is_built(data, cell))


def _is_set(name: ast.AST, cell: Cell) -> bool:
    """Whether it is a key of a dict, as type() takes it, or what setattr or an item's assignment sets."""
    match cell.parent(name):
        case ast.Dict(keys=keys):
            return name in keys
        case ast.Tuple() as several:  # and not where names are only compared with them
            return not isinstance(cell.parent(several), ast.Compare)
        case ast.Subscript(ctx=ast.Store()):
            return True
        case ast.Call(
            func=ast.Name(id="setattr") | ast.Attribute(attr="__setattr__" | "update" | "setdefault")
        ):
            return True
    return False


def _calls_as_pickle(text: str) -> bool:
    """Whether pickle would read it, and call something that is imported."""
    try:
        codes = [
            (code.name, str(of).split(".")[0]) for code, of, _ in pickletools.genops(text.encode("latin-1"))
        ]
    except Exception:  # no pickle, which is told in many ways
        return False
    # Of a text that only looks so: cat, sat, b.
    known = any(name in ("GLOBAL", "INST") and of.split()[0] in sys.modules for name, of in codes)
    return (known or text[0] == "\x80") and any(name in CALLING for name, _ in codes)
