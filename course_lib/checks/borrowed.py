"""What an answer uses of the course, or of a library, that may do its whole exercise."""

import ast
import contextlib
import inspect
import sys
from collections import deque
from collections.abc import Collection, Iterator
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

from course_lib.checks.definitions import (
    ANSWERS,
    INSTALLED,
    WORKSHOP,
    definition_of,
    functions_of,
    global_names,
)

LIBRARIES = {"torch", "numpy", "einops", "__main__"}  # what an answer may be made of, besides Python's own
LIBRARIES |= {"tqdm", "matplotlib", "IPython", "typing_extensions", "jaxtyping"}  # these calculate nothing
PLOTS = "course_lib.plots"  # nor does this
DEPTH, MOST = 4, 100_000  # boxes in boxes, and things in them, that are looked at
BORROWED = (
    "Your code uses `{0}` of the course or of another library, which may do the whole exercise. Write your "
    "answer with Python, torch and the pieces that you have built."
)


def borrowed_by(function: FunctionType, uses: Collection[str]) -> Iterator[str]:
    """What it uses of the course or of a library that may have the whole exercise ready."""
    if function.__code__.co_filename.startswith(ANSWERS):
        return
    for name, value in _at_hand(function):
        if name not in uses and any(map(_is_foreign, _inside(value))):
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
    for made in inspect.getmro(value) if isinstance(value, type) else [value]:
        name = getattr(made, "__name__", "")
        if name not in uses and _is_foreign(made) and not _is_answer(made):
            yield name


def _at_hand(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What it can use by a name: globals, defaults, and variables of a function around it; and itself."""
    yield function.__name__, function
    for name in global_names(function.__code__):
        yield name, function.__globals__.get(name)
    for name, parameter in inspect.signature(function, follow_wrapped=False).parameters.items():
        yield name, parameter.default
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # not set yet
            yield name, cell.cell_contents


def _inside(value: Any) -> Iterator[Any]:
    """The value itself, and what is in it where it is a box of functions, also in a box in a box."""
    waiting = deque([(value, DEPTH)])
    for _ in range(MOST):
        if not waiting:
            return
        one, depth = waiting.popleft()
        yield one
        if depth:
            waiting.extend((item, depth - 1) for item in _held(one) if not _is_answer(item))


def _held(value: Any) -> Collection[Any]:
    if isinstance(value, partial):
        return [value.func]
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, (list, tuple, set)):
        return value
    # A learner's own object may hold one too.
    is_own = type(value).__module__ == "__main__" and hasattr(value, "__dict__")
    return vars(value).values() if is_own else ()


def _is_answer(value: Any) -> bool:
    """Whether it is one of `exercises`, which are checked as answers are."""
    return str(getattr(value, "__module__", "")).startswith("course_lib.exercises.")


def _is_foreign(value: Any) -> bool:
    if isinstance(value, ModuleType):
        return not _is_allowed(value.__name__)
    module = getattr(value, "__module__", None) if isinstance(value, (FunctionType, type)) else None
    if not isinstance(module, str):
        return False
    # A learner's own function may come from a cell, or from a file of his.
    written_in = [function.__code__.co_filename for function in functions_of(value)]
    file = next(iter(written_in), "") or getattr(sys.modules.get(module), "__file__", None) or ""
    return file.startswith((WORKSHOP, *INSTALLED)) and not _is_allowed(module)


def _is_allowed(module: str) -> bool:
    root = module.partition(".")[0]
    return root in LIBRARIES or root in sys.stdlib_module_names or module.startswith(PLOTS)
