"""Texts that a cell puts together as it runs, such as "__" + "globals__", as far as they can be read."""

import ast
from collections.abc import Callable, Collection
from functools import reduce
from typing import NamedTuple

from course_lib.grading.sandbox.audited_cell import Cell
from course_lib.grading.sandbox.suspicions import DUNDERS

# Methods that make another text of a text: what comes out is not followed.
MAKERS = "join format replace decode translate removeprefix removesuffix hex fromhex".split()  # noqa: SIM905
CASES: dict[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper, "swapcase": str.swapcase}
LONGEST = 10_000  # characters of a text that is put together: no name is as long


class Built(NamedTuple):
    """How a text begins and ends; whole: whether that is all of it."""

    begins: str = ""
    ends: str = ""
    whole: bool = False

    @classmethod
    def of(cls, text: str) -> "Built":
        return cls(text, text, True)

    def then(self, other: "Built") -> "Built":
        if max(map(len, (*self[:2], *other[:2]))) > LONGEST:
            return Built()
        begins = self.begins + (other.begins if self.whole else "")
        ends = (self.ends if other.whole else "") + other.ends
        return Built(begins, ends, self.whole and other.whole)


def whole_text(node: ast.AST, cell: Cell) -> str | None:
    """Of a constant, or of constants that are put together; None where it is anything else."""
    built = _built(node, cell)
    return built.begins if built and built.whole else None


def is_built(node: ast.AST, cell: Cell) -> bool:
    """Whether the cell puts it together, so that it cannot be read."""
    built = _built(node, cell)
    return built is not None and not built.whole


def may_reach_in(name: ast.expr, cell: Cell, names: Collection[str] = DUNDERS) -> bool:
    """Whether a text that the cell builds may be one of these. One that it is given is not asked about."""
    built = _built(name, cell)
    if built is None:
        return False
    if built.whole:
        return built.begins in names
    return any(
        one.startswith(built.begins)
        and one.endswith(built.ends)
        and (one.startswith("__") or len(built.begins) != 1)  # f"t{i}" is no tb_frame
        for one in names
    )


def _built(node: ast.AST, cell: Cell) -> Built | None:
    """None where the text is not built here. Each node is read once: names may stand for each other."""
    if node not in cell.texts:
        cell.texts[node] = Built()  # of a name that stands for itself
        cell.texts[node] = _read(node, cell)
    return cell.texts[node]


def _read(node: ast.AST, cell: Cell) -> Built | None:
    match node:
        case ast.Constant(value=str(text)):
            return Built.of(text)
        case ast.Constant(value=bytes(text)):
            return Built.of(text.decode("latin-1"))
        case ast.Name(id=name) if value := cell.assigned.get(name):
            return _built(value, cell)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            one, other = _built(left, cell), _built(right, cell)
            return (one or Built()).then(other or Built()) if one or other else None
        case ast.BinOp(op=ast.Mult(), left=left, right=ast.Constant(value=int(times))) if 0 < times < 10:
            return (one := _built(left, cell)) and reduce(Built.then, [one] * times)
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str(text))):
            return Built(text.partition("%")[0])
        case ast.JoinedStr(values=values):
            inner = (one.value if isinstance(one, ast.FormattedValue) else one for one in values)
            return reduce(Built.then, (_built(one, cell) or Built() for one in inner), Built.of(""))
        case ast.Subscript(value=value, slice=ast.Slice()):
            return _built(value, cell) and Built()
        case ast.Call(func=ast.Attribute(value=value, attr=attribute)) if change := CASES.get(attribute):
            one = _built(value, cell)
            return one and Built(change(one.begins), change(one.ends), one.whole)
        case ast.Call(func=ast.Attribute(attr=attribute)) if attribute in MAKERS:
            return Built()
        case ast.Call(func=ast.Name(id="chr")):
            return Built()
    return None
