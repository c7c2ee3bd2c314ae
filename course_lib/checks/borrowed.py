"""What an answer uses of the course, or of a library, that may do its whole exercise."""

import ast
import inspect
import sys
from collections.abc import Collection, Iterator
from dataclasses import is_dataclass
from functools import partial
from itertools import filterfalse
from types import FunctionType, ModuleType
from typing import Any

from torch import nn

from course_lib.checks.definitions import ANSWERS, INSTALLED, WORKSHOP, definition_of, functions_of
from course_lib.checks.made_of import at_hand, inside, is_answer
from course_lib.checks.own_work import BORROWED
from course_lib.checks.results import RejectedError

LIBRARIES = {"torch", "numpy", "einops", "__main__"}  # what an answer may be made of, besides Python's own
# These calculate nothing, or no part of a Transformer.
LIBRARIES |= {"tqdm", "matplotlib", "IPython", "ipywidgets", "PIL", "rich", "tabulate", "psutil"}
LIBRARIES |= {"typing_extensions", "jaxtyping", "regex", "sortedcontainers"}


def borrowed_by(function: FunctionType, uses: Collection[str]) -> Iterator[str]:
    """What it uses of the course or of a library that may have the whole exercise ready."""
    if function.__code__.co_filename.startswith(ANSWERS):
        return
    for name, value in ((function.__name__, function), *at_hand(function)):
        if name not in uses and any(map(_is_foreign, inside(value))):
            yield name
    for node in ast.walk(definition_of(function) or ast.Module([], [])):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (module for module in modules if not _is_allowed(module))


def made_by_others(answer: Any, uses: Collection[str]) -> Iterator[str]:
    """The answer itself, or what it is derived from or made of, where that is the course's or a library's.

    Those in `exercises` are not asked: they are checked as answers are.
    """
    value = answer.func if isinstance(answer, partial) else answer
    for made in inspect.getmro(value) if isinstance(value, type) else inside(answer):
        name = getattr(made, "__name__", "") or type(made).__name__
        if name not in uses and _is_foreign(made) and not is_answer(made):
            yield name


def refuse_tools(made: nn.Module, uses: Collection[str]) -> None:
    """Raises RejectedError where a built module holds an object of the course's, also in a box."""
    held = inside([vars(module) for module in made.modules()])
    tools = (type(value).__name__ for value in held if _is_tool(value))
    for name in filterfalse(uses.__contains__, tools):
        raise RejectedError(BORROWED.format(name))


def _is_foreign(value: Any) -> bool:
    if isinstance(value, ModuleType):
        return not _is_allowed(value.__name__)
    if not isinstance(value, (FunctionType, type)):
        return _is_tool(value) or _is_of_another_library(type(value))
    module = getattr(value, "__module__", None)
    if not isinstance(module, str):
        return False
    # A learner's own function may come from a cell, or from a file of his. Python's own library writes
    # methods of dataclasses, of named tuples and enums, and what stands around a context manager.
    written_in = [function.__code__.co_filename for function in functions_of(value)]
    file = next(filterfalse(_is_of_python, written_in), "")
    file = file or getattr(sys.modules.get(module), "__file__", None) or ""
    return file.startswith((WORKSHOP, *INSTALLED)) and not _is_allowed(module)


def _is_tool(value: Any) -> bool:
    """Whether it is an object of the course's that does something, as a model; a plain record is none."""
    kind = type(value)
    if not kind.__module__.startswith("course_lib.") or is_answer(value):
        return False
    does = any(isinstance(one, FunctionType) and not name.startswith("_") for name, one in vars(kind).items())
    return does or not (is_dataclass(kind) or issubclass(kind, tuple))


def _is_of_another_library(kind: type) -> bool:
    """Whether an installed library has this class, and answers may not be made of that library."""
    root = str(type.__dict__["__module__"].__get__(kind)).partition(".")[0]
    file = getattr(sys.modules.get(root), "__file__", None) or ""
    return file.startswith(INSTALLED) and not _is_allowed(root)


def _is_of_python(file: str) -> bool:
    standard, *packages = INSTALLED
    return file.startswith(standard) and not file.startswith(tuple(packages))


def _is_allowed(module: str) -> bool:
    root = module.partition(".")[0]
    return root in LIBRARIES or root in sys.stdlib_module_names or _is_beside(root)


def _is_beside(module: str) -> bool:
    """Whether it is a file of the learner's, beside the notebook."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return bool(file) and not file.startswith((WORKSHOP, *INSTALLED))
