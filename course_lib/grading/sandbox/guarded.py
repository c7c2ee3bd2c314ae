"""Keeps frames, code and closures from learners' code that looks them up by a name that no audit has read.

It may do so itself, or have a function of a library do it, as functools.update_wrapper does.
"""

import builtins
import operator
import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    GenericAlias,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any
from weakref import CallableProxyType, ProxyType

from course_lib.checks.definitions import INSTALLED, WORKSHOP
from course_lib.grading.sandbox.known_modules import BELOW_TORCH
from course_lib.grading.sandbox.suspicions import DUNDERS, REACHING

LIBRARIES = (*INSTALLED, WORKSHOP, "<frozen ")
NAMES = frozenset((*DUNDERS, *REACHING)) - {"__dict__"}
FRAMES = frozenset(("tb_frame", "gi_frame", "cr_frame", "ag_frame"))
CAREFUL = NAMES | {"__dict__"}
# What a type's __dict__ has to read something of its objects: of a frame its names, of a function its code.
READERS = {
    *(GetSetDescriptorType, MemberDescriptorType, WrapperDescriptorType),
    *(MethodDescriptorType, ClassMethodDescriptorType),
}
# By id: a name can be changed.
OF_PYTORCH = {
    id(module): name
    for name, module in list(sys.modules.items())
    if name.partition(".")[0] in ("torch", "numpy")
}
# What torch.compile asks whether a function is `getattr`. Mostly they are not imported yet.
COMPARING = {"torch._dynamo.trace_rules", "torch._dynamo.variables.builtin"}
# What has the attributes of another thing.
STAND_INS = ProxyType, CallableProxyType, GenericAlias
RUN = ("torch.compile", "torch.load", "numpy.load")
SHOWN = ("__name__", "__version__", "__doc__", "__file__")
_getattr, _vars, _attrgetter = getattr, vars, operator.attrgetter


def guard() -> None:
    """In this process getattr, vars and operator.attrgetter are others, but for code of libraries."""
    for name, guarded in (("getattr", _guarded_getattr), ("vars", _guarded_vars)):
        setattr(builtins, name, guarded)
    operator.attrgetter = _GuardedAttrgetter  # type: ignore[assignment,misc]
    for name in COMPARING & sys.modules.keys():
        _let_compare(sys.modules[name])
    sys.meta_path.insert(0, _Finder())
    sys.addaudithook(_refuse_frames)


class _Finder:
    """Gives those of COMPARING the real getattr before they run."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, _: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name in COMPARING else None
        if not spec or not spec.loader:
            return None
        run = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            _let_compare(module)
            run(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _let_compare(module: ModuleType) -> None:
    setattr(module, "getattr", _getattr)  # noqa: B010  (no name that a module declares)


def _guarded_getattr(thing: Any, name: Any, /, *default: Any) -> Any:
    """As getattr; but for NAMES it gives the default, or None, and for a class's __dict__ what vars gives."""
    # Nearly always, and a check asks thousands of times.
    is_module = issubclass(type(thing), (ModuleType, *STAND_INS))
    if type(name) is str and name not in CAREFUL and not is_module:
        return _getattr(thing, name, *default)
    plain = str.__str__(name) if isinstance(name, str) else ""
    if plain in NAMES and _is_passed_on(plain):
        return default[0] if default else None
    if plain == "__dict__" and issubclass(type(thing), type) and _asks_a_learner():
        return _without_readers(thing)
    value = _getattr(thing, plain or name, *default)
    if not is_module or not _is_kept_back(thing, plain, value) or not _asks_a_learner():
        return value
    if default:
        return default[0]
    raise AttributeError(f"the module has no attribute {plain!r} while work is graded")


def _is_kept_back(module: ModuleType, name: str, value: Any) -> bool:
    """Whether it is private, another module, or runs what it is given: under a name that nobody has read.

    What stands in for anything does not tell for what: there no module and no function is given.
    """
    if issubclass(type(module), STAND_INS):
        return isinstance(value, (ModuleType, FunctionType, BuiltinFunctionType))
    path = f"{OF_PYTORCH.get(id(module))}.{name}"
    if name in SHOWN:
        return False
    return (
        name.startswith("_") or path.startswith(BELOW_TORCH) or path in RUN or isinstance(value, ModuleType)
    )


def _guarded_vars(*given: Any) -> Any:
    if not given:
        return sys._getframe(1).f_locals
    thing, *_ = given
    if issubclass(type(thing), type) and _asks_a_learner():
        return _without_readers(thing)
    names = _vars(*given)
    if not issubclass(type(thing), (ModuleType, *STAND_INS)) or not _asks_a_learner():
        return names
    return {name: value for name, value in names.items() if not _is_kept_back(thing, name, value)}


class _GuardedAttrgetter:
    """A class, as the real one is: torch._dynamo wants one there."""

    def __new__(cls, *names: Any) -> Any:
        parts = {part for name in names if isinstance(name, str) for part in str.split(name, ".")}
        if parts & {*NAMES, "__dict__"} and _asks_a_learner():
            return lambda thing: None
        return _attrgetter(*names)


def _without_readers(kind: type) -> dict[str, Any]:
    return {name: member for name, member in _vars(kind).items() if type(member) not in READERS}


def _asks_a_learner() -> bool:
    """It does so, too, by inspect.getmembers, which gives all that a thing has."""
    code = sys._getframe(2).f_code
    return not _is_of_a_library(code) or code.co_name == "_getmembers"


def _is_passed_on(name: str) -> bool:
    """Whether a learner's code asks, or code of a library to which somebody has told the name.

    torch.compile copies code by a list of such names, so a library may have what is in code.
    """
    code = sys._getframe(2).f_code
    return not _is_of_a_library(code) or not (name.startswith("co_") or name in _constants(code))


def _is_of_a_library(code: CodeType) -> bool:
    return code.co_filename.startswith(LIBRARIES)


@lru_cache(maxsize=1024)
def _constants(code: CodeType) -> frozenset[Any]:
    """With those in tuples, as of a loop over some names."""
    return frozenset(
        one for each in code.co_consts for one in (each if isinstance(each, (tuple, frozenset)) else (each,))
    )


def _refuse_frames(event: str, given: tuple[Any, ...]) -> None:
    """Python tells before it gives a frame of a traceback or a generator, whoever reads it and how."""
    if event == "object.__getattr__" and given[1] in FRAMES and _asks_a_learner():
        raise AttributeError(f"there is no {given[1]!r} while work is graded")
