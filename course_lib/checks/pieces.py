"""The text of an answer with all that it needs, so that it runs in another place than its notebook."""

import ast
import builtins
import dis
import inspect
import json
import linecache
import math
import re
import sys
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from course_lib.checks.definitions import (
    Definition,
    bound_names,
    first_line,
    functions_of,
    global_names,
    tree_of,
)
from course_lib.checks.made_of import unwrapped

LESSON_OF = {
    name.removeprefix("check_"): lesson
    for lesson, cells in json.loads(
        Path(__file__).parents[1].joinpath("graded_cells.json").read_text(encoding="utf-8")
    ).items()
    for name in cells
    if name.startswith("check_")
}  # of each exercise, in the order of the course
COURSE = __name__.partition(".")[0]


class NoTextError(Exception):
    """Why a piece cannot be written down."""


def text_of(name: str, answer: Any, references: Mapping[int, str] | None = None) -> str:
    """Python that defines `name` as the answer is: imports, constants, helpers, the definition.

    Names of other exercises are left to be looked up (see `needs`), under their names whatever the notebook
    calls them. references: exercises by the id of their reference, where an answer uses such.
    Raises NoTextError where it is made of something that no text gives.
    """
    collected = _Collected(name, references or {})
    answer = unwrapped(answer)
    collected.define(getattr(answer, "__name__", name), answer, name)
    parts = ["\n".join(sorted(collected.imports, key=import_order)), "\n".join(collected.constants)]
    parts += collected.definitions.values()
    return "\n\n\n".join(part for part in parts if part) + "\n"


def needs(name: str, text: str) -> list[str]:
    """The earlier exercises that a piece looks up, in the order of the course."""
    used = set(global_names(compile(text, name, "exec")))
    defined = {bound for node in ast.parse(text).body for bound in bound_names(node)}
    return [other for other in earlier(name) if other in used - defined]


def earlier(name: str) -> list[str]:
    """The exercises before this one."""
    return list(takewhile(lambda other: other != name, LESSON_OF))


class _Collected:
    """What a piece needs, as it is found. Definitions stand after those that they use."""

    def __init__(self, name: str, references: Mapping[int, str]):
        self.name, self.references = name, references
        self.imports: set[str] = set()
        self.constants: dict[str, None] = {}
        self.definitions: dict[int, str] = {}
        self.names: dict[str, Any] = {}  # what each name of the text stands for

    def define(self, known_as: str, piece: Any, name: str) -> None:
        """Adds the definition of a function or class as `name`; `known_as` is its name where it is used."""
        if id(piece) in self.definitions:
            return
        node, file = _definition(piece)
        if node is None:
            if known_as == "<lambda>":
                raise NoTextError("a lambda has no name to save it by. Write it with `def`")
            why = ". Remove the line `%%time` above it" if "<timed exec>" in _files(piece) else ""
            raise NoTextError(f"`{known_as}` has no definition that can be read{why}")
        self.definitions[id(piece)] = ""  # a recursive one meets itself
        changed = {node.name: name} if node.name != name else {}
        found = _globals_of(piece)
        for used in _names(piece, node):
            if used in found and used != node.name:
                changed |= self._look_up(used, found[used])
            elif used not in found and not hasattr(builtins, used) and used not in earlier(self.name):
                raise NoTextError(f"`{node.name}` uses `{used}`, which nothing defines")
        self.definitions[id(piece)] = renamed(_source(node, file), changed)
        self.definitions[id(piece)] = self.definitions.pop(id(piece))  # behind what it uses

    def _look_up(self, name: str, value: Any) -> dict[str, str]:
        """Adds what a name stands for; gives the name that it has in the text, where that is another."""
        if exercise := self.references.get(id(value)):
            return {name: exercise} if exercise != name else {}
        if name in earlier(self.name) and _is_exercise(name, value):
            if LESSON_OF[name] == LESSON_OF[self.name] or not _is_of_a_cell(value):
                return {}
            self.define(name, value, f"own_{name}")  # this notebook has another of that name
            return {name: f"own_{name}"}
        if self.names.setdefault(name, value) is not value:
            raise NoTextError(f"`{name}` stands for two things")
        if isinstance(value, ModuleType):
            self.imports.add(_import_of_module(value.__name__, name))
        elif (constant := _constant(value)) is not None:
            self.constants[f"{name} = {constant}"] = None
        elif _is_own(value):
            self.define(name, value, name)
        else:
            self.imports.add(_import_of(name, value))
        return {}


def _definition(piece: Any) -> tuple[Definition | None, str]:
    """Where a cell or a file defines it, by its lines: an exercise gives its reference another name."""
    for function in _functions(piece):
        file, line = function.__code__.co_filename, function.__code__.co_firstlineno
        for node in tree_of(file).body:
            inside = node.body if isinstance(node, ast.ClassDef) and inspect.isclass(piece) else [node]
            if isinstance(node, Definition) and any(first_line(item) == line for item in inside):
                return node, file
    return None, ""


def _functions(piece: Any) -> Iterator[FunctionType]:
    """The function, or the methods of a class, without what decorators put around them."""
    return map(unwrapped, functions_of(piece))


def _globals_of(piece: Any) -> dict[str, Any]:
    return next(_functions(piece)).__globals__


def _names(piece: Any, node: Definition) -> list[str]:
    """The global names that a definition uses, in the order of their first use."""
    outside = [*_decorators(node), *(getattr(node, "bases", []))]
    functions = [node] if not isinstance(node, ast.ClassDef) else []
    if isinstance(node, ast.ClassDef):
        functions = [item for item in node.body if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))]
        outside += [item for item in node.body if item not in functions]
    for function in functions:
        outside += [*_decorators(function), function.args, *filter(None, [function.returns])]
    found = [inner for item in outside for inner in ast.walk(item) if isinstance(inner, ast.Name)]
    set_here = {inner.id for inner in found if isinstance(inner.ctx, ast.Store)}  # in the body of a class
    found = [inner.id for inner in found if inner.id not in set_here]
    found += [name for function in _functions(piece) for name in global_names(function.__code__)]
    return list(dict.fromkeys(found))


def _decorators(node: Definition) -> list[ast.expr]:
    return [found for found in node.decorator_list if not ast.unparse(found).endswith(".reference")]


def _is_own(value: Any) -> bool:
    """Whether a learner has written it, or the course."""
    functions = list(functions_of(value))
    if not functions:
        return False
    module = getattr(value, "__module__", "") or ""
    return module.split(".")[0] in ("__main__", COURSE)


def _is_exercise(name: str, value: Any) -> bool:
    """Not PyTorch's of that name; the course's own are, for later notebooks give some that are shorter."""
    return callable(value) and (_is_own(value) or not _is_imported(name, value))


def _is_of_a_cell(value: Any) -> bool:
    """Whether this notebook defines it: a piece that `yours` brings comes from a file or a lesson's name."""
    named = _files(value).isdisjoint(LESSON_OF.values())
    return (
        value.__module__ == "__main__" and named and not any(Path(file).is_file() for file in _files(value))
    )


def _files(piece: Any) -> set[str]:
    return {function.__code__.co_filename for function in _functions(piece)}


def _source(node: Definition, file: str) -> str:
    """With its comments and decorators, but for the course's own, which enter it in a table."""
    lines = linecache.getlines(file)[: node.end_lineno]
    own = [found.lineno for found in _decorators(node)]
    first = min([node.lineno, *own])
    return "".join(lines[first - 1 :]).rstrip()


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The same code with other names for what stands at its top; arguments and attributes keep theirs."""
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    for row, column, name in sorted(_places(text), reverse=True) if names else ():
        before, after, old = lines[row - 1][:column], lines[row - 1][column:], name.encode()
        definition = re.match(rb"(async +)?(def|class) +", after)
        start = definition.end() if definition else 0
        if name in names and re.match(rb"%b\b" % old, after[start:]):
            lines[row - 1] = before + after[:start] + names[name].encode() + after[start + len(old) :]
    return b"".join(lines).decode()


def _places(text: str) -> set[tuple[int, int, str]]:
    """Row and column, in bytes, of names that stand at the top of a text, where they are set and used."""
    module = compile(text, "", "exec")
    found = {(node.lineno, 0, node.name) for node in ast.parse(text).body if isinstance(node, Definition)}
    codes = [module]
    for code in codes:
        codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
        for step in dis.get_instructions(code):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") or (step.opname, code) == ("STORE_NAME", module):
                where = step.positions
                if where and where.lineno is not None and where.col_offset is not None:
                    found.add((where.lineno, where.col_offset, step.argval))
    return found


def _constant(value: Any) -> str | None:
    """How a constant is written; None where it is none."""
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    try:
        return repr(value) if ast.literal_eval(repr(value)) == value else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _import_of_module(module: str, name: str) -> str:
    package, _, last = module.rpartition(".")
    if module == name:
        return f"import {module}"
    return f"from {package} import {last}" if last == name else f"import {module} as {name}"


def _is_imported(name: str, value: Any) -> bool:
    try:
        return bool(_import_of(name, value))
    except NoTextError:
        return False


def _import_of(name: str, value: Any) -> str:
    called = getattr(value, "__name__", None) or getattr(value, "_name", None) or name
    for module in _modules(value):
        if getattr(sys.modules.get(module), called, None) is value:
            return f"from {module} import {called}" + f" as {name}" * (called != name)
    kind = type(value).__name__
    raise NoTextError(f"it reads `{name}` ({kind}) of this notebook. Make that inside the answer")


def _modules(value: Any) -> Iterator[str]:
    """Where a thing may be imported from: functions of C do not tell."""
    if module := getattr(value, "__module__", None):
        yield module
    yield from ("torch", "torch.nn.functional", "math", "typing")


def import_order(line: str) -> tuple[bool, str, bool]:
    """The standard library first, then the others, by module."""
    module = line.split()[1]
    is_installed = module.partition(".")[0] not in sys.stdlib_module_names
    return is_installed, module, line.startswith("from")
