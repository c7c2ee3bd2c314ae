"""Whether a cell reads or sets the names of its own objects, as `self.__dict__.update(a=1)` does."""

import ast
from collections.abc import Iterator

from course_lib.grading.sandbox.audited_cell import Cell
from course_lib.grading.sandbox.built_names import may_reach_in

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
OF_CLASSES = ("staticmethod", "classmethod")
LOOKUPS = ("get", "pop", "setdefault", "update", "__getitem__", "__setitem__")


def is_of_self(thing: ast.AST, cell: Cell) -> bool:
    """Whether it is the first argument of a method around it, in a class whose objects are no classes."""
    if not isinstance(thing, ast.Name) or cell.resolved(thing) or cell.is_given(thing.id):
        return False
    node: ast.AST | None = thing
    while (node := cell.parent(node)) is not None:
        if isinstance(node, FUNCTIONS) and thing.id in _arguments(node):
            kind = cell.parent(node)
            return (
                isinstance(kind, ast.ClassDef)
                and not is_of_classes(kind, cell)
                and _is_method(node, thing.id)
            )
    return False


def is_of_classes(kind: ast.ClassDef, cell: Cell) -> bool:
    """Whether its objects are classes themselves."""
    return any(is_metaclass(base, cell) for base in kind.bases)


def is_metaclass(kind: ast.expr, cell: Cell) -> bool:
    """Whether it is type, or by its name one like ABCMeta."""
    names = ast.unparse(kind), *cell.called(kind)
    return "type" in names or any(name.endswith("Meta") for name in names)


def reaches_in(names: ast.AST, cell: Cell) -> bool:
    """Whether in this dict something is looked up or set under a name that the cell puts together."""
    parent = cell.parent(names)
    match parent:
        case ast.Subscript(slice=name):
            return may_reach_in(name, cell)
        case ast.Attribute(attr=attr) if attr in LOOKUPS:
            call = cell.parent(parent)
            return isinstance(call, ast.Call) and any(may_reach_in(one, cell) for one in _keys(call))
    return False


def _arguments(function: Function) -> list[str]:
    return [one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)]


def _is_method(function: Function, first: str) -> bool:
    args = [*function.args.posonlyargs, *function.args.args]
    decorators = {ast.unparse(one) for one in getattr(function, "decorator_list", ())}
    return bool(args) and args[0].arg == first and not decorators & {*OF_CLASSES}


def _keys(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args[:1]
    for node in ast.walk(call):
        if isinstance(node, ast.Dict):
            yield from filter(None, node.keys)
        if isinstance(node, ast.DictComp):
            yield node.key
