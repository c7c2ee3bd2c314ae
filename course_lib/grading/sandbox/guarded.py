"""Keeps from learners' code what it looks up by a name that no audit has read and that would be flagged.

These are frames, code and closures, modules, and functions that reach under the checks, whatever has them.
It may ask itself, or have a function of a library ask, as functools.update_wrapper does.
"""

import builtins
import operator
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FrameType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from course_lib.checks.definitions import INSTALLED, WORKSHOP
from course_lib.grading.sandbox.askers import asker, is_of_a_library, says, told_by_a_learner
from course_lib.grading.sandbox.audited_uses import of_path
from course_lib.grading.sandbox.known_modules import FINISHED
from course_lib.grading.sandbox.suspicions import CALLS, DUNDERS, REACHING

NAMES = frozenset((*DUNDERS, *REACHING)) - {"__dict__"}
CAREFUL = NAMES | {"__dict__"}
# What a type's __dict__ has to read something of its objects: of a frame its names, of a function its code.
READERS = {
    *(GetSetDescriptorType, MemberDescriptorType, WrapperDescriptorType),
    *(MethodDescriptorType, ClassMethodDescriptorType),
}
JUDGED = ModuleType, FunctionType, BuiltinFunctionType, FrameType
# By id: a name can be changed.
KNOWN = {id(module): name for name, module in list(sys.modules.items()) if isinstance(module, ModuleType)}
# What torch.compile asks whether a function is `getattr`, and which code it does not compile. Mostly they are
# not imported yet.
COMPILING = {"torch._dynamo.trace_rules", "torch._dynamo.variables.builtin"}
RUN = ("torch.compile", "torch.load", "torch.serialization.load", "numpy.load", "numpy.lib.npyio.load")
RUN += ("numpy.lib.npyio_impl.load",)
IMPORTING = "<frozen importlib"
IMPORTED_FROM = {"posix": "os", "nt": "os"}
RELOADING = os.path.join(INSTALLED[1], "IPython", "extensions", "autoreload.py")  # has a list of such names
GUARDED = ("getattr", "vars")
NO_NAME = "\0"  # that no code says
SHOWN = ("__name__", "__version__", "__doc__", "__file__")
_getattr, _vars, _attrgetter = getattr, vars, operator.attrgetter
NAMES_OF: Any = vars(ModuleType)["__dict__"].__get__  # nothing of the module's own runs


def guard() -> None:
    """In this process getattr, vars and operator.attrgetter are others, but for code of libraries."""
    for name, guarded in zip(GUARDED, (_guarded_getattr, _guarded_vars), strict=True):
        setattr(builtins, name, guarded)
    operator.attrgetter = _GuardedAttrgetter  # type: ignore[assignment,misc]
    for name in COMPILING & sys.modules.keys():
        _let_compare(sys.modules[name])
        _leave_as_it_is(sys.modules[name])
    sys.meta_path.insert(0, _Finder())


def keep_getters() -> None:
    """Those that libraries have made of such names are kept from learners, and what makes them."""
    for module in list(sys.modules.values()):
        for name, value in list(NAMES_OF(module).items()) if isinstance(module, ModuleType) else ():
            if type(value) is _attrgetter and CAREFUL & {*re.findall(r"\w+", repr(value))}:
                NAMES_OF(module)[name] = _for_libraries(value)
            elif value is _attrgetter and NAMES_OF(module) is not globals():
                NAMES_OF(module)[name] = _GuardedAttrgetter


class _Finder:
    """Gives those of COMPILING the real getattr before they run."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, _: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name in COMPILING else None
        if not spec or not spec.loader:
            return None
        run = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            _let_compare(module)
            run(module)
            _leave_as_it_is(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _let_compare(module: ModuleType) -> None:
    setattr(module, "getattr", _getattr)  # noqa: B010  (no name that a module declares)


def _leave_as_it_is(module: ModuleType) -> None:
    """What follows the code of a function that it compiles would follow `_guarded_getattr` without end."""
    if hasattr(module, "SKIP_DIRS"):  # its `add` would import this module once more
        module.SKIP_DIRS.append(__file__)
        getattr(module, "_recompile_re")()  # noqa: B009


def _guarded_getattr(thing: Any, name: Any, /, *default: Any) -> Any:
    """As getattr; but for what is kept back the default, or None, and for a class's __dict__ what vars gives.

    It raises nothing: a loop over dir(torch.nn) goes on.
    """
    plain = name if type(name) is str else str.__str__(name) if isinstance(name, str) else ""
    if plain in CAREFUL:
        if plain in NAMES and _is_passed_on(plain):
            return default[0] if default else None
        if plain == "__dict__" and issubclass(type(thing), type) and _asks_a_learner("getattr"):
            return _without_readers(thing)
    value = _getattr(thing, plain or name, *default)
    # Nearly always it is neither, and a check asks thousands of times.
    is_of_interest = issubclass(type(value), JUDGED) or issubclass(type(thing), ModuleType)
    if not is_of_interest:
        return value
    if _asks_a_learner("getattr"):
        is_kept_back = _is_kept_back(thing, plain, value)
    else:
        is_kept_back = _is_told(thing, plain)
    return (default[0] if default else None) if is_kept_back else value


def _is_kept_back(thing: Any, name: str, value: Any) -> bool:
    kind = type(value)
    is_module = issubclass(kind, ModuleType)
    if issubclass(type(thing), ModuleType) and name not in SHOWN:
        return is_module or name.startswith("_") or _is_flagged(f"{name_of(thing)}.{name}")
    if is_module:
        return _is_flagged(name_of(value))
    if kind is FunctionType:
        code = value.__code__
        is_of_a_module = is_of_a_library(code) and code.co_qualname == code.co_name
        return is_of_a_module and _is_flagged_function(value.__globals__.get("__name__"), code.co_name)
    if kind is BuiltinFunctionType and issubclass(type(value.__self__), ModuleType):
        return _is_flagged_function(name_of(value.__self__), value.__name__)
    return kind is FrameType


def name_of(module: ModuleType) -> str:
    name = KNOWN.get(id(module)) or NAMES_OF(module).get("__name__")
    return name if type(name) is str else "?"


@lru_cache(maxsize=4096)
def _is_flagged(path: str) -> bool:
    """Whether the audit would do so if it stood in a cell."""
    return path in RUN or any(flag.is_serious for flag in of_path(path, False))


@lru_cache(maxsize=4096)
def _is_flagged_function(module: str, name: str) -> bool:
    """Where it is written, which is often another module than the one that a cell would import it from."""
    if module == "builtins":
        return name in CALLS
    path = f"{module}.{name}"
    public = ".".join(IMPORTED_FROM.get(part, part).lstrip("_") for part in path.split("."))
    return name.startswith("_") or path.startswith(FINISHED) or _is_flagged(public)


def _guarded_vars(*given: Any) -> Any:
    if not given:
        return sys._getframe(1).f_locals
    names = _vars(*given)
    if not _asks_a_learner("vars"):
        return names
    thing, *_ = given
    if issubclass(type(thing), type):
        names = _without_readers(thing)
    kept = [name for name, value in names.items() if _is_kept_back(thing, name, value)]
    return {name: value for name, value in names.items() if name not in kept} if kept else names


class _GuardedAttrgetter:
    """A class, as the real one is: torch._dynamo wants one there."""

    def __new__(cls, *names: Any) -> Any:
        get = _attrgetter(*names)
        parts = {part for name in names if isinstance(name, str) for part in str.split(name, ".")}
        careful, asking = parts & CAREFUL, sys._getframe(1)
        if any(not says(asking.f_code, part) and told_by_a_learner(asking, part) for part in careful):
            return lambda thing: None
        # A library may hand on what it has made, as `six` does.
        return _for_libraries(get) if careful else get


def _for_libraries(get: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda thing: get(thing) if is_of_a_library(sys._getframe(1).f_code) else None


# An answer may use them, as what they stand for.
_GuardedAttrgetter.__module__, _GuardedAttrgetter.__name__ = "operator", "attrgetter"
_guarded_getattr.__module__ = _guarded_vars.__module__ = "builtins"


def _without_readers(kind: type) -> dict[str, Any]:
    return {name: member for name, member in _vars(kind).items() if type(member) not in READERS}


def _asks_a_learner(function: str) -> bool:
    """Also by a library that does not name this function, but calls whatever it is given.

    inspect.getmembers gives all that a thing has, to learners' code and to a library's module.
    """
    code = asker()
    if is_of_a_library(code) and code.co_name == "_getmembers":
        return told_by_a_learner(sys._getframe(2), NO_NAME)
    return not is_of_a_library(code) or not says(code, function)


def _is_told(thing: Any, name: str) -> bool:
    """Whether a library asks a module for what would be flagged, and what somebody has told it.

    An entry point's load() does so. The course tells pickle, which is written in C; IPython asks itself for
    its magics, also by traitlets, and PyTorch for its operations.
    """
    if not issubclass(type(thing), ModuleType) or says(asker(), name):
        return False
    module, asking = name_of(thing), sys._getframe(2)
    root = module.partition(".")[0]
    trusted = IMPORTING, WORKSHOP, *packages(root, *(["traitlets"] if root == "IPython" else []))
    tellers = asking.f_code.co_filename, asking.f_back.f_code.co_filename if asking.f_back else ""
    if tellers[0].startswith(trusted) or tellers[1].startswith(WORKSHOP):
        return False
    return _is_flagged(f"{module}.{name}") and told_by_a_learner(asking, name)


def packages(*roots: str) -> list[str]:
    return [os.path.join(INSTALLED[1], root, "") for root in roots]


def _is_passed_on(name: str) -> bool:
    """Whether a learner's code asks, or code of a library to which somebody has told the name.

    torch.compile copies code by a list of such names, so a library may have what is in code.
    """
    code = asker()
    if not is_of_a_library(code):
        return True
    is_compiled = name.startswith("co_") and code.co_filename.startswith(tuple(packages("torch")))
    is_its_own = is_compiled or says(code, name) or code.co_filename == RELOADING
    return not is_its_own and told_by_a_learner(sys._getframe(2), name)
