"""Ways by which Python reads attributes under names that nobody sees in a cell: see audit.py."""

import ast
import re
from collections.abc import Iterator

from course_lib.grading.sandbox.audited_cell import Cell
from course_lib.grading.sandbox.audited_self import is_metaclass, is_of_classes
from course_lib.grading.sandbox.audited_uses import Flag
from course_lib.grading.sandbox.built_names import may_reach_in, whole_text
from course_lib.grading.sandbox.suspicions import CALLS, DUNDERS, METHODS

MATCHED = "__match_args__"  # the attributes that `case Kind(first, second)` reads
FORMATTER = "string.Formatter"  # what is derived from it gets the objects that a text names
COPIERS = {"functools.wraps": 1, "functools.update_wrapper": 2}  # of attributes, beyond so many arguments
COPIED = ("wrapped", "wrapper")  # the same by name: not attributes
STANDARD = ("WRAPPER_ASSIGNMENTS", "WRAPPER_UPDATES")
FIELDS = ("fields", "field_names")  # of make_dataclass, of namedtuple
BUILT = (*DUNDERS, *METHODS, MATCHED)  # what nobody needs to build a name for
BY_NAME = Flag(f"{CALLS['getattr']}: `{MATCHED}`")


def lookups(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    if _names_patterns(node, cell):
        yield BY_NAME
    match node:
        case ast.ClassDef() if is_of_classes(node, cell):
            for one in node.body:
                if (name := getattr(one, "name", "")) in ("__getattr__", "__getattribute__"):
                    yield Flag(f"{CALLS['getattr']}: `{name}`")
        case ast.Call(args=[_, _, members]) if is_metaclass(node.func, cell):
            if any(may_reach_in(key, cell, BUILT) for key in _keys(members, cell)):
                yield Flag(f"{CALLS['__build_class__']}: `{ast.unparse(node)[:80]}`")
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            fields = [*node.args[1:2], *(one.value for one in node.keywords if one.arg in FIELDS)]
            if any(_names_fields(name, one, cell) for one in fields):
                yield Flag(f"{CALLS['getattr']}: `{ast.unparse(node)[:80]}`")
    match node:
        case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()) | ast.Call():
            called = cell.called(node)
            if FORMATTER in called and not _formats_plainly(node, cell):
                yield Flag(f"{CALLS['getattr']}: `{FORMATTER}`")
            copiers = () if isinstance(node, ast.Call) else called & COPIERS.keys()
            for copier in copiers:
                if not _copies_plainly(node, COPIERS[copier], cell):
                    yield Flag(f"{CALLS['getattr']}: `{copier}`")


def _names_patterns(node: ast.AST, cell: Cell) -> bool:
    """Whether it sets __match_args__ to what cannot be read."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return name == MATCHED and not _is_given_names(node, cell)
        case ast.Constant() | ast.BinOp() | ast.JoinedStr():
            return whole_text(node, cell) == MATCHED and not isinstance(cell.parent(node), ast.Expr)
    return MATCHED in (getattr(node, field, None) for field in ("name", "asname", "arg", "rest"))


def _names_fields(maker: str, fields: ast.expr, cell: Cell) -> bool:
    """Whether a class with these fields reads the interpreter's own attributes in a pattern."""
    if maker == "make_dataclass":
        texts = (one for one in ast.walk(fields) if isinstance(one, ast.expr))
        return any(may_reach_in(one, cell) for one in texts)
    names = whole_text(fields, cell) if maker == "namedtuple" else None
    return bool({*re.findall(r"\w+", names or "")} & {*DUNDERS})


def _is_given_names(target: ast.AST, cell: Cell) -> bool:
    match cell.parent(target):
        case (
            ast.Assign(value=ast.Tuple(elts=names) | ast.List(elts=names))
            | ast.AnnAssign(value=ast.Tuple(elts=names) | ast.List(elts=names))
        ):
            texts = [one.value for one in names if isinstance(one, ast.Constant)]
            return len(texts) == len(names) and not any(str(text).startswith("_") for text in texts)
        case ast.AnnAssign(value=None):
            return True
    return False


def _formats_plainly(formatter: ast.expr, cell: Cell) -> bool:
    """Formatter().parse(text), or .format of a text that can be read."""
    made = cell.parent(formatter)
    used = cell.parent(made) if isinstance(made, ast.Call) and made.func is formatter else None
    match cell.parent(used):
        case ast.Call(func=ast.Attribute(attr="format") as function, args=[text, *_]) if function is used:
            return whole_text(text, cell) is not None
    return isinstance(used, ast.Attribute) and used.attr == "parse"


def _copies_plainly(copier: ast.expr, count: int, cell: Cell) -> bool:
    """Whether wraps or update_wrapper copies attributes whose names can be read."""
    match cell.parent(copier):
        case ast.Call(func=function, args=args, keywords=keywords) if function is copier:
            pass
        case ast.Call(func=function, args=[first, *args], keywords=keywords) if first is copier:
            if "functools.partial" not in cell.called(function):
                return False
        case _:
            return False
    names = args[count:] + [one.value for one in keywords if one.arg not in COPIED]
    return not any(isinstance(one, ast.Starred) for one in args) and all(map(_is_plain, names))


def _is_plain(names: ast.expr) -> bool:
    match names:
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return all(map(_is_plain, elements))
        case ast.Constant(value=str(text)):
            return text not in BUILT
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in STANDARD
        case ast.BinOp(left=left, right=right):
            return _is_plain(left) and _is_plain(right)
    return False


def _keys(members: ast.AST, cell: Cell) -> Iterator[ast.expr]:
    if isinstance(members, ast.Name):
        members = cell.assigned.get(members.id, members)
    for node in ast.walk(members):
        if isinstance(node, ast.Dict):
            yield from filter(None, node.keys)
