"""Where names lead that stand in code: read, without running anything."""

import importlib.util
import inspect
import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from course_lib.grading.sandbox.askers import is_of_a_library
from course_lib.grading.sandbox.guarded import NAMES_OF

names_in: Any = vars(type)["__dict__"].__get__
order_of: Any = vars(type)["__mro__"].__get__


def is_of_a_class(code: CodeType) -> bool:
    """Whether it is what stands in a class: its variables are attributes, which nobody follows."""
    return code.co_name != "<module>" and not code.co_flags & inspect.CO_NEWLOCALS


def module_at(thing: Any, names: Iterable[str]) -> ModuleType | None:
    """What these names lead to from a module, if that is one."""
    for name in names:
        thing = NAMES_OF(thing).get(name) if issubclass(type(thing), ModuleType) else None
    return thing if issubclass(type(thing), ModuleType) else None


def is_installed(package: str) -> bool:
    """Or a file beside the notebook. What is neither gives an error, and nothing else."""
    return package in sys.modules or importlib.util.find_spec(package) is not None


def attribute(thing: Any, name: str) -> Any:
    """Of a function or a class, what a cell may have set there; other things are looked at as a whole."""
    if type(thing) is FunctionType:
        return vars(thing).get(name)
    kinds = order_of(thing) if issubclass(type(thing), type) else ()
    return next((names_in(kind)[name] for kind in kinds if name in names_in(kind)), None)


def written_on(function: FunctionType) -> Iterator[Any]:
    """What a function has besides, and a cell may set to anything."""
    yield function.__doc__
    yield function.__module__
    yield from function.__annotations__.values()


def named(value: Any) -> str:
    """A library's function by the name that it has there."""
    if type(value) is not FunctionType or not is_of_a_library(value.__code__):
        return ""
    return f"{value.__module__}.{value.__code__.co_qualname}"
