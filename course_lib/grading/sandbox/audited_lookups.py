"""Ways by which Python reads attributes under names that nobody sees in a cell: see audit.py."""

import ast
from collections.abc import Iterator

from course_lib.grading.sandbox.audited_cell import Cell
from course_lib.grading.sandbox.audited_uses import Flag
from course_lib.grading.sandbox.built_names import is_built, whole_text
from course_lib.grading.sandbox.suspicions import CALLS

MATCHED = "__match_args__"  # the attributes that `case Kind(first, second)` reads
FORMATTER = "string.Formatter"  # what is derived from it gets the objects that a text names
BY_NAME = Flag(f"{CALLS['getattr']}: `{MATCHED}`")


def lookups(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            if name == MATCHED and not _is_given_names(node, cell):
                yield BY_NAME
        case ast.keyword(arg=name) | ast.alias(asname=name) | ast.FunctionDef(name=name):
            if name == MATCHED:
                yield BY_NAME
        case ast.Constant(value=text) if text == MATCHED and not isinstance(cell.parent(node), ast.Expr):
            yield BY_NAME
    match node:
        case ast.ClassDef() if is_of_classes(node, cell):
            for one in node.body:
                if (name := getattr(one, "name", "")) in ("__getattr__", "__getattribute__"):
                    yield Flag(f"{CALLS['getattr']}: `{name}`")
        case ast.Call(args=[_, _, ast.Dict(keys=keys)]) if _makes_a_class(node, cell):
            if any(key and is_built(key, cell) for key in keys):
                yield Flag(f"{CALLS['__build_class__']}: `{ast.unparse(node)[:80]}`")
        case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()):
            if FORMATTER in cell.called(node) and not _formats_plainly(node, cell):
                yield Flag(f"{CALLS['getattr']}: `{FORMATTER}`")


def is_of_classes(kind: ast.ClassDef, cell: Cell) -> bool:
    """Whether its objects are classes themselves."""
    return any(
        ast.unparse(base) == "type" or any(path.endswith("Meta") for path in (*cell.called(base), name))
        for base in kind.bases
        for name in [ast.unparse(base)]
    )


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


def _makes_a_class(call: ast.Call, cell: Cell) -> bool:
    name = ast.unparse(call.func)
    return name == "type" or name.endswith("Meta") or any(p.endswith("Meta") for p in cell.called(call.func))


def _formats_plainly(formatter: ast.AST, cell: Cell) -> bool:
    """Formatter().parse(text), or .format of a text that can be read."""
    made = cell.parent(formatter)
    used = cell.parent(made) if isinstance(made, ast.Call) and made.func is formatter else None
    match cell.parent(used):
        case ast.Call(func=ast.Attribute(attr="format") as function, args=[text, *_]) if function is used:
            return whole_text(text, cell) is not None
    return isinstance(used, ast.Attribute) and used.attr == "parse"
