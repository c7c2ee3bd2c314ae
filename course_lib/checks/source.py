"""What the text of an answer tells, apart from what it does: its code, and what it takes from where."""

import ast
import copy
import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any

import torch

from course_lib.checks.borrowed import borrowed_by, made_by_others
from course_lib.checks.definitions import (
    Definition,
    definition_of,
    functions_of,
    global_names,
    tree_of,
)
from course_lib.checks.made_of import own_pieces

LENGTH = 20_000  # characters of code that are read
LOOKS_AROUND = {"locals", "vars", "dir", "eval", "exec", "currentframe", "_getframe"}  # reads without names
PLAIN = (bool, int, float, complex, str, list, tuple, dict, set, torch.Tensor, torch.nn.Parameter)
NEVER, OVERWRITTEN = "never", "overwritten"


@dataclass(frozen=True)
class Reading:
    """Of an answer and of the learner's own functions that it calls.

    code: as `ast.unparse` writes it, without comments and docstrings; empty where there is no source.
    leftovers: variables of the notebook that it reads, each with its value in words. Those that its own cell
      sets, and constants, whose names have no small letters, are no leftovers.
    unread: arguments that change nothing, with NEVER or OVERWRITTEN (before they are read).
    borrowed: the first function or module of the course, or of a library, that it uses and may not.
    """

    code: str = ""
    leftovers: tuple[tuple[str, str], ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    borrowed: str = ""


NOT_READ = Reading()


def read(answer: Any, uses: Collection[str] = ()) -> Reading:
    """uses: names of earlier exercises, which an answer may call."""
    pieces = list(own_pieces(answer, uses))
    definitions = [found for piece in pieces if (found := definition_of(piece))]
    answered = definition_of(pieces[0]) if pieces else None
    code = "\n\n".join(map(_text, definitions))[:LENGTH]
    functions = [function for piece in pieces for function in functions_of(piece)]
    borrowed = [name for function in functions for name in borrowed_by(function, uses)]
    borrowed += re.findall(r"['\"](course_lib[.\w]*)['\"]", code)  # as importlib takes it
    return Reading(
        code,
        tuple(dict.fromkeys(pair for function in functions for pair in _leftovers(function))),
        _unread(answered) if answered else (),
        next(iter([*made_by_others(answer, uses), *borrowed]), ""),
    )


def missing(answer: Any, names: Collection[str]) -> list[str]:
    """Those of these names that the answer looks up and its notebook has not defined."""
    functions = [function for piece in own_pieces(answer, names) for function in functions_of(piece)]
    looked_up = {(name, name in f.__globals__) for f in functions for name in global_names(f.__code__)}
    return [name for name in names if (name, False) in looked_up]


# The texts are kept: an answer is read for its visible parts, for examples and for hidden ones.
@lru_cache(maxsize=256)
def _text(definition: Definition) -> str:
    undecorated = copy.copy(definition)
    undecorated.decorator_list = []
    try:
        return ast.unparse(undecorated)
    except RecursionError:  # of a sum of a thousand terms
        return ""


def _leftovers(function: FunctionType) -> Iterator[tuple[str, str]]:
    names, set_here = function.__globals__, _set_in(tree_of(function.__code__.co_filename))
    for name in global_names(function.__code__):
        if name not in names or name in set_here or type(names[name]) not in PLAIN:
            continue
        if name != name.upper() and not _is_of_python(name, names[name]):
            yield name, _in_words(names[name])


@lru_cache(maxsize=256)
def _set_in(tree: ast.Module) -> set[str]:
    """Names that a cell sets or imports outside of functions and classes, or in them as `global`."""
    statements = [node for node in tree.body if not isinstance(node, Definition)]
    names = [name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names]
    for node in (node for statement in statements for node in ast.walk(statement)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.alias(asname=str(name)) | ast.alias(name=name):
                names.append(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                names.append(name)
    return set(names)


def _is_of_python(name: str, value: Any) -> bool:
    """Whether it is __name__ or its like, or a constant such as `pi`, imported in another cell."""
    is_constant = isinstance(value, float) and str(vars(math).get(name)) == str(value)
    return is_constant or name.startswith("__")


def _in_words(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, (list, tuple, dict, set)):
        return f"a {type(value).__name__} of {len(value)} items"
    return repr(value)[:40]


@lru_cache(maxsize=256)
def _unread(definition: Definition) -> tuple[tuple[str, str], ...]:
    """Of a function, or of the methods that a check calls, the arguments that change nothing."""
    found = []
    methods = definition.body if isinstance(definition, ast.ClassDef) else [definition]
    for function in methods:
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if function is not definition and function.name not in ("__init__", "forward", "__call__"):
            continue
        nodes = [node for statement in function.body for node in ast.walk(statement)]
        if any(_called(node) in LOOKS_AROUND for node in nodes if isinstance(node, ast.Call)):
            continue
        names = [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
        for name in names[isinstance(definition, ast.ClassDef) :]:
            if how := _how_unread(name, function.body, nodes):
                found.append((name, how))
    return tuple(found)


def _called(call: ast.Call) -> str:
    """The last part of its name."""
    match call.func:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return ""


def _how_unread(name: str, body: list[ast.stmt], nodes: Sequence[ast.AST]) -> str:
    """nodes: all that are in the body."""
    reads = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
    changed = any(isinstance(node, ast.AugAssign) and node.target in reads for node in nodes)
    if not changed and not any(isinstance(node.ctx, ast.Load) for node in reads):
        return NEVER
    first = next((s for s in body if any(n in reads for n in ast.walk(s))), None)
    if not isinstance(first, ast.Assign):
        return ""
    targets = [target.id for target in first.targets if isinstance(target, ast.Name)]
    reads_itself = any(node in reads for node in ast.walk(first.value))
    return OVERWRITTEN if name in targets and not reads_itself else ""
