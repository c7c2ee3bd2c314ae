"""Annotations that Python evaluates as code, also those that a cell puts together: see audit.py.

All of this is asked only where the notebook names something that evaluates annotations.
"""

import ast
import re
from collections.abc import Collection, Iterator

from course_lib.grading.sandbox.audited_cell import Cell
from course_lib.grading.sandbox.audited_uses import Flag
from course_lib.grading.sandbox.typed_names import ANNOTATIONS, is_plain

# What is taken for annotations, or leads to other names than the cell's own.
SPECIAL = ("__annotations__", "__annotate__", "__wrapped__", "__module__")
ASKED = ("__getattr__", "__getattribute__")  # for annotations too, of an object of such a class
WRITES = Flag("writes annotations that are run as code")
MAKERS = ("make_dataclass", "NamedTuple", "TypedDict")
WRAPPERS = {"functools.wraps": 1, "functools.update_wrapper": 2}  # and how many arguments are ordinary


def annotations(node: ast.AST, cell: Cell) -> Iterator[Flag]:
    if isinstance(node, ast.Call) and _hides_a_keyword(node, cell):
        yield Flag(f"runs text as code: `{ast.unparse(node)[:80]}`")
    if (loose := cell.modules.get(ANNOTATIONS)) is None:
        return
    match node:
        case (
            ast.arg(annotation=ast.expr() as value)
            | ast.FunctionDef(returns=ast.expr() as value)
            | ast.AsyncFunctionDef(returns=ast.expr() as value)
            | ast.AnnAssign(annotation=ast.expr() as value)
        ) if not is_plain(value, loose):
            yield WRITES
    if any(name in SPECIAL for name in _set_by(node)) or _answers_for_names(node):
        yield WRITES
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in SPECIAL[:2]:
            if not cell.is_read(node) and not _is_looked_at(node, cell):
                yield WRITES
        case ast.Call() if _makes_fields(node, loose) or _leads_elsewhere(node, cell):
            yield WRITES


def _answers_for_names(node: ast.AST) -> bool:
    """Whether it is a __getattr__ that does more than to ask what the object holds, or to raise."""
    if not isinstance(node, ast.FunctionDef) or node.name not in ASKED:
        return False
    own, name = (one.arg for one in [*node.args.args, ast.arg(""), ast.arg("")][:2])
    passed_on = rf"getattr\({own}\.\w+, {name}\)|super\(\)\.__getattr__\({name}\)"
    given = [one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value]
    return not all(re.fullmatch(passed_on, ast.unparse(value)) for value in given)


def _set_by(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return [name]
    return [str(getattr(node, field, "")) for field in ("name", "asname", "arg", "rest")]


def _hides_a_keyword(call: ast.Call, cell: Cell) -> bool:
    """Whether it gives inspect.signature a dict of keywords, of which one may be eval_str."""
    paths = _meant(call, cell)
    return any(word.arg is None for word in call.keywords) and any(
        path.lower().startswith("inspect.signature") for path in paths
    )


def _is_looked_at(names: ast.AST, cell: Cell) -> bool:
    match cell.parent(names):
        case ast.Call(func=ast.Name(id="print" | "len" | "sorted" | "list" | "dict")) | ast.Expr():
            return True
        case ast.Subscript(ctx=ast.Load()) | ast.FormattedValue() | ast.Compare():
            return True
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            return iterated is names
    return False


def _makes_fields(call: ast.Call, loose: Collection[str]) -> bool:
    """Whether it makes a class whose annotations cannot be read."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    fields = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "fields")]
    types = [kind for field in fields for node in ast.walk(field) for kind in _types_in(node)]
    return name in MAKERS and not all(is_plain(kind, loose) for kind in types)


def _types_in(fields: ast.AST) -> list[ast.expr]:
    """Those of ("x", int) or {"x": int}."""
    match fields:
        case ast.Tuple(elts=[_, kind, *_]):
            return [kind]
        case ast.Dict(values=kinds):
            return kinds
    return []


def _leads_elsewhere(call: ast.Call, cell: Cell) -> bool:
    """Whether names in annotations are looked up where the call says.

    update_wrapper(f, g, assigned=()) keeps the annotations of f, and their names are those of g's module.
    """
    paths = _meant(call, cell)
    words = {word.arg for word in call.keywords}
    if paths & {"typing.get_type_hints", "typing_extensions.get_type_hints"}:
        return len(call.args) > 1 or bool(words - {"include_extras", "obj"})
    ordinary = [number for path, number in WRAPPERS.items() if path in paths]
    if not ordinary:
        return False
    is_passed_on = not cell.called(call.func) & {*WRAPPERS}
    return is_passed_on or len(call.args) > min(ordinary) or bool(words & {"assigned", None})


def _meant(call: ast.Call, cell: Cell) -> set[str]:
    """What is called, or handed to the call, as to functools.partial."""
    functions = (call.func, *(one for one in call.args if isinstance(one, (ast.Name, ast.Attribute))))
    return {path for one in functions for path in cell.called(one)}
