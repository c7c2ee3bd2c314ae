"""What a cell does with IPython's shell: see audit.py."""

import ast
from collections.abc import Iterator

from course_lib.grading.sandbox.audited_cell import Cell
from course_lib.grading.sandbox.audited_dunders import NAMES
from course_lib.grading.sandbox.audited_magics import BRACES, SHELL, TWICE, Magic
from course_lib.grading.sandbox.audited_uses import Flag
from course_lib.grading.sandbox.built_names import whole_text
from course_lib.grading.sandbox.suspicions import HARMLESS_MAGICS, NOTED_MAGICS


def of_magic(called: Magic, cell: Cell) -> Iterator[Flag]:
    magic = called.name
    # Where a line is expanded twice, what a text stands for is read for braces once more.
    expands_twice = magic in TWICE and BRACES in cell.modules
    hides_code = expands_twice and any(_may_hold_braces(one, cell) for one in called.expressions)
    if hides_code or magic not in (*HARMLESS_MAGICS, *NOTED_MAGICS):
        yield Flag(f"drives IPython: `%{magic}`")
    elif magic in NOTED_MAGICS:
        yield Flag(f"uses the magic `%{magic}`", tampers=False)


def shell(name: ast.AST, cell: Cell) -> Iterator[Flag]:
    """What is done with get_ipython(). Magics are looked at by themselves: see Cell.magics."""
    if not isinstance(name, (ast.Name, ast.Attribute)) or not _is_get_ipython(name, cell):
        return
    call = cell.parent(name)
    use = cell.parent(call) if isinstance(call, ast.Call) else None
    match use:
        case ast.Attribute(attr="run_line_magic" | "run_cell_magic"):
            if not cell.is_magic(cell.parent(use)):
                yield Flag("runs a magic whose name cannot be read: `get_ipython`")
        case ast.Attribute(attr=attribute) if attribute in SHELL and _is_read(cell.parent(use), use, cell):
            yield Flag("runs a shell command", tampers=False)
        case ast.Attribute(attr="__class__") if isinstance(named := cell.parent(use), ast.Attribute):
            if named.attr not in NAMES:
                yield Flag("drives IPython: `get_ipython`")
            yield Flag("asks where it runs: `get_ipython`", tampers=False)
        case ast.Attribute(attr="config") if isinstance(cell.parent(use), ast.Compare):
            yield Flag("asks where it runs: `get_ipython`", tampers=False)
        case (
            ast.Call(func=ast.Name(id="str" | "print" | "type" | "repr"))
            | ast.Compare()
            | ast.Expr()
            | ast.Assign()
        ):
            yield Flag("asks where it runs: `get_ipython`", tampers=False)
        case _:
            yield Flag("drives IPython: `get_ipython`")


def _is_read(call: ast.AST | None, function: ast.AST, cell: Cell) -> bool:
    """Whether the command can be read. A text that is put together may hold braces, and so code."""
    if BRACES not in cell.modules:
        return isinstance(call, ast.Call) and call.func is function
    match call:
        case ast.Call(args=[command, *_]):
            is_whole = isinstance(command, ast.Constant)
            return call.func is function and (is_whole or _is_without_braces(command, cell))
    return False


def _is_without_braces(command: ast.expr, cell: Cell) -> bool:
    texts = [whole_text(command, cell)]
    match command:
        case ast.JoinedStr(values=parts):
            return all(_is_without_braces(one, cell) for one in parts)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _is_without_braces(left, cell) and _is_without_braces(right, cell)
        case ast.FormattedValue(value=value):
            return _is_without_braces(value, cell)
        case ast.Name() if texts == [None]:
            texts = [*cell.constants_of(command)]
    return bool(texts) and not any(text is None or "{" in text for text in texts)


def _is_get_ipython(node: ast.Name | ast.Attribute, cell: Cell) -> bool:
    plain = isinstance(node, ast.Name) and node.id == "get_ipython" and isinstance(node.ctx, ast.Load)
    return plain or "IPython.get_ipython" in cell.resolved(node)


def _may_hold_braces(expression: str, cell: Cell) -> bool:
    text = whole_text(ast.parse(expression, mode="eval").body, cell)
    return text is None or "{" in text
