"""Texts that a cell puts together as it runs, such as "__" + "globals__", as far as they can be read."""

import ast
from collections.abc import Callable
from typing import NamedTuple

from course_lib.grading.sandbox.audited_cell import Cell
from course_lib.grading.sandbox.suspicions import DUNDERS

# Methods that make another text of a text: what comes out is not followed.
MAKERS = (
    "join",
    "format",
    "replace",
    "decode",
    "translate",
    "removeprefix",
    "removesuffix",
    "hex",
    "fromhex",
)
CASES: dict[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper, "swapcase": str.swapcase}
DEEPEST = 20  # of texts in texts


class Built(NamedTuple):
    """How a text begins and ends; whole: whether that is all of it."""

    begins: str = ""
    ends: str = ""
    whole: bool = False

    def then(self, other: "Built") -> "Built":
        begins = self.begins + (other.begins if self.whole else "")
        ends = (self.ends if other.whole else "") + other.ends
        return Built(begins, ends, self.whole and other.whole)


def constant(text: str) -> Built:
    return Built(text, text, True)


def whole_text(node: ast.AST, cell: Cell) -> str | None:
    """Of a constant, or of constants that are put together; None where it is anything else."""
    built = _built(node, cell)
    return built.begins if built and built.whole else None


def may_reach_in(name: ast.expr, cell: Cell) -> bool:
    """Whether a text that the cell builds may be one of DUNDERS. One that it is given is not asked about."""
    built = _built(name, cell)
    if built is None:
        return False
    if built.whole:
        return built.begins in DUNDERS
    return any(
        one.startswith(built.begins)
        and one.endswith(built.ends)
        and (one.startswith("__") or len(built.begins) != 1)  # f"t{i}" is no tb_frame
        for one in DUNDERS
    )


def _built(node: ast.AST, cell: Cell, depth: int = 0) -> Built | None:
    """None where the text is not built here."""
    if depth > DEEPEST:
        return Built()
    match node:
        case ast.Constant(value=str(text)):
            return constant(text)
        case ast.Constant(value=bytes(text)):
            return constant(text.decode("latin-1"))
        case ast.Name(id=name) if value := cell.assigned.get(name):
            return _built(value, cell, depth + 1)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            one, other = (_built(side, cell, depth + 1) for side in (left, right))
            return (one or Built()).then(other or Built()) if one or other else None
        case ast.BinOp(op=ast.Mult(), left=left, right=ast.Constant(value=int(times))) if times < 10:
            one = _built(left, cell, depth + 1)
            return constant(one.begins * times) if one and one.whole else one and Built()
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str(text))):
            return Built(text.partition("%")[0])
        case ast.JoinedStr(values=values):
            built = constant("")
            for value in values:
                inner = value.value if isinstance(value, ast.FormattedValue) else value
                built = built.then(_built(inner, cell, depth + 1) or Built())
            return built
        case ast.Subscript(value=value, slice=ast.Slice()):
            return _built(value, cell, depth + 1) and Built()
        case ast.Call(func=ast.Attribute(value=value, attr=attribute)) if attribute in CASES:
            if (one := _built(value, cell, depth + 1)) is None:
                return None
            change = CASES[attribute]
            return Built(change(one.begins), change(one.ends), one.whole)
        case ast.Call(func=ast.Attribute(attr=attribute)) if attribute in MAKERS:
            return Built()
        case ast.Call(func=ast.Name(id="chr")):
            return Built()
    return None
