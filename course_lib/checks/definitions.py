"""Finds the code of a function or class: its definition in a cell or file."""

import ast
import dis
import inspect
import linecache
import sysconfig
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

WORKSHOP = str(Path(__file__).parents[1])  # the course's own code; of it only answers in `exercises` are read
ANSWERS = str(Path(__file__).parents[1] / "exercises")
INSTALLED = tuple(map(sysconfig.get_path, ("stdlib", "purelib", "platlib")))

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def functions_of(piece: Any) -> Iterator[FunctionType]:
    """The function itself, or the methods of a class."""
    if inspect.isclass(piece):
        for value in vars(piece).values():
            inner = value
            if isinstance(value, property):
                inner = value.fget
            elif isinstance(value, (staticmethod, classmethod)):
                inner = value.__func__
            elif isinstance(value, cached_property):
                inner = value.func
            # A class that is built by a decorator has methods that stand in no file of its own.
            if isinstance(inner, FunctionType) and not inner.__code__.co_filename.startswith("<string>"):
                yield inner
    elif isinstance(piece, FunctionType):
        yield piece


def is_installed(function: FunctionType) -> bool:
    """Whether its code is Python's own or a library's."""
    return function.__code__.co_filename.startswith(INSTALLED)


def definition_of(piece: Any) -> Definition | None:
    """Where the file or the cell defines it; None for a lambda, and where there is no source."""
    for function in functions_of(piece):
        code = function.__code__
        kind = ast.ClassDef if inspect.isclass(piece) else (ast.FunctionDef, ast.AsyncFunctionDef)
        for node in _definitions_in(tree_of(code.co_filename)):
            if isinstance(node, kind) and node.name == piece.__name__ and _spans(node, code.co_firstlineno):
                return node
    return None


@lru_cache(maxsize=256)  # a check asks for each function of an answer, and a file of answers is long
def _definitions_in(tree: ast.Module) -> tuple[Definition, ...]:
    return tuple(node for node in ast.walk(tree) if isinstance(node, Definition))


def _spans(node: Definition, line: int) -> bool:
    return first_line(node) <= line <= (node.end_lineno or line)


def first_line(node: ast.stmt) -> int:
    """That of its first decorator, if it has one."""
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])


def bound_names(node: ast.stmt) -> Iterator[str]:
    """What a statement at the top of a text defines or imports."""
    if isinstance(node, Definition):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    else:
        stored = (inner for inner in ast.walk(node) if isinstance(inner, ast.Name))
        yield from (inner.id for inner in stored if isinstance(inner.ctx, ast.Store))


def tree_of(file: str) -> ast.Module:
    """Without docstrings: nobody asks for them, and they may quote code."""
    return _parsed("".join(linecache.getlines(file)))


@lru_cache(maxsize=256)
def _parsed(text: str) -> ast.Module:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])
    for node in _definitions_in(tree):
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.copy_location(ast.Pass(), node)]
    return tree


@lru_cache(maxsize=1024)
def global_names(code: CodeType) -> tuple[str, ...]:
    """Names that it, or a function inside it, looks up in the globals."""
    looked_up = [i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            looked_up += global_names(constant)
    return tuple(looked_up)
