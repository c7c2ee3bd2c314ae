"""The interpreter's own attributes in a learner's cell: see audit.py."""

import ast
from collections.abc import Iterator

from course_lib.grading.sandbox.audited_cell import Cell
from course_lib.grading.sandbox.audited_self import is_of_self, reaches_in
from course_lib.grading.sandbox.audited_uses import Flag
from course_lib.grading.sandbox.suspicions import (
    DUNDERS,
    NAMES_OF_MODULES,
    REACHING,
    SETTERS,
    SHOWN_DUNDERS,
)

PRINTERS = ("traceback.print_exception", "traceback.format_exception", "traceback.print_tb")
PRINTERS += ("traceback.format_tb", "traceback.extract_tb")
MODULES_OF_ALL = ("__builtins__", "__builtin__", "__loader__", "__spec__")  # names that each notebook has
NAMES = ("__name__", "__qualname__")  # of a class, which are texts


def dunders(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    if isinstance(node, ast.Attribute) and node.attr in DUNDERS:
        if node.attr == "__dict__" and _is_used_as_names(node, cell):
            return
        if node.attr == "__traceback__" and _is_told(node, cell):
            return
        if node.attr in SHOWN_DUNDERS and not cell.resolved(node) and _is_shown(node, cell):
            return
        yield Flag(f"reaches into the interpreter: `{node.attr}`")
    if isinstance(node, ast.Name) and node.id in MODULES_OF_ALL:
        yield Flag(f"reaches into the interpreter: `{node.id}`")
    reached: set[str] = set()
    match node:
        case ast.MatchClass(kwd_attrs=names):  # also of a module
            reached = {one for one in names if one in (*DUNDERS, *NAMES_OF_MODULES) or one.startswith("_")}
        case ast.AnnAssign(target=ast.Name(id=field)):  # a pattern reads it where the class is a dataclass
            reached = {field} & {*DUNDERS}
        case ast.Attribute(attr=name) if name not in SETTERS or not _sets_by_a_plain_name(node, cell):
            reached = {name} & {*REACHING}
    if reached:
        yield Flag(f"reaches into the interpreter: `{min(reached)}`")


def _sets_by_a_plain_name(setter: ast.Attribute, cell: Cell) -> bool:
    """Whether it is what a method calls of the class above its own, or the name stands there."""
    match cell.parent(setter):
        case ast.Call(func=function, args=args) if function is setter:
            match setter.value:
                case ast.Call(func=ast.Name(id="super"), args=[]):
                    return True
            # What the name is given may be one more text, and what it is set on.
            return isinstance(args[-2] if len(args) > 1 else None, ast.Constant)
    return False


def _is_told(error: ast.Attribute, cell: Cell) -> bool:
    """Whether of an error's traceback only the line is asked, or it is printed."""
    match parent := cell.parent(error):
        case ast.Attribute(attr="tb_lineno"):
            return True
        case ast.Call(func=function):
            return bool(cell.resolved(function) & {*PRINTERS}) and error in parent.args
    return False


def _is_used_as_names(names: ast.Attribute, cell: Cell) -> bool:
    """Whether an item is read under a name that can be seen, or it is the __dict__ of a method's self."""
    if reaches_in(names, cell):
        return False
    if cell.is_read(names) or is_of_self(names.value, cell):
        return True
    if cell.resolved(names):
        return False
    match cell.parent(names):
        case ast.Subscript(ctx=ast.Load()) | ast.Call(func=ast.Name(id="len" | "sorted" | "list")):
            return True
        case ast.Compare():
            return True
        case ast.Subscript():  # as self.x = 1 does
            return isinstance(names.value, ast.Name) and names.value.id == "self"
    return False


def _is_shown(node: ast.Attribute, cell: Cell) -> bool:
    """Whether it is printed, stands in an f-string, is a line of its own, or only gives names of classes."""
    match parent := cell.parent(node):
        case ast.Call(func=ast.Name(id="print")) | ast.FormattedValue() | ast.Expr():
            return True
        case ast.Subscript():
            outer = cell.parent(parent)
            return isinstance(outer, ast.Attribute) and outer.attr in NAMES
        case ast.comprehension(target=ast.Name(id=name), ifs=[]):
            match cell.parent(parent):
                case (
                    ast.ListComp(elt=ast.Attribute(value=ast.Name(id=shown), attr=attr))
                    | ast.GeneratorExp(elt=ast.Attribute(value=ast.Name(id=shown), attr=attr))
                ):
                    return shown == name and attr in NAMES
    return False
