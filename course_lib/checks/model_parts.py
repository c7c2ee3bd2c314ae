"""A model's parts, without asking the model: an answer may have put something else for its methods."""

from collections.abc import Iterator
from types import FunctionType
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.as_installed import BY_TORCH
from course_lib.checks.definitions import is_installed
from course_lib.checks.exact import OF_TORCH
from course_lib.checks.results import RejectedError

REPLACED = (
    "Your function replaces `{0}`, a method of an object that it is given. Leave the methods of that object "
    "as they are."
)
CLASS_CHANGED = (
    "Since the first check, `{0}` has been replaced in the class `{1}`. Your function is given an object of "
    "this class. Leave the methods of the class as they are, and restart the kernel: until then the change "
    "stays."
)
COURSE = "course_lib."
# By which a check asks a model for what is in it.
ASKING = "parameters", "named_parameters", "buffers", "named_buffers", "modules", "named_modules"
ASKING += "children", "named_children", "state_dict", "get_parameter", "get_buffer", "get_submodule"
ASKING += ("__call__",)
_FIRST: dict[type, dict[str, Any]] = {}


def parts_of(model: nn.Module, path: str = "") -> Iterator[tuple[str, nn.Module]]:
    """As `named_modules`, but for a part with two names, which comes twice."""
    yield path, model
    for name, part in vars(model)["_modules"].items():
        if isinstance(part, nn.Module):
            yield from parts_of(part, f"{path}.{name}" if path else name)


class Methods:
    """Those of a model, or of another object of the course's, as they are when this is made."""

    def __init__(self, thing: Any) -> None:
        self._thing = thing
        self._own = replaced_methods(thing)
        # A class stays changed: what it was is what it was when it came for the first time.
        self._of_kinds = {kind: _FIRST.setdefault(kind, dict(vars(kind))) for kind in _kinds_of(thing)}

    def refuse_replaced(self) -> None:
        """Raises RejectedError where one has another in its place, on the object or in its class."""
        found = {name for _, name in replaced_methods(self._thing) - self._own}
        if found:
            raise RejectedError(REPLACED.format(min(found)))
        for kind, before in self._of_kinds.items():
            changed = _changed(kind, before)
            if changed:
                raise RejectedError(CLASS_CHANGED.format(min(changed), kind.__name__))


def parameter_of(part: nn.Module, name: str = "weight") -> Any:
    """Its parameter itself: under the name its class may have a property, which may say anything."""
    held = vars(part)["_parameters"]
    if name not in held:
        raise AttributeError(f"{type(part).__name__} has no parameter {name!r}")
    return held[name]


def linear(part: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """What nn.Linear with this part's parameters gives, whatever the part itself does."""
    held = vars(part)["_parameters"]
    return F.linear(x, held["weight"], held.get("bias")) if "weight" in held else part(x)


def answers_itself(model: nn.Module) -> str:
    """Which of ASKING a part has written anew, so that it may say anything; "" if none has."""
    parts = [part for _, part in parts_of(model)]
    kinds, spaces = {id(type(part)): type(part) for part in parts}.values(), [*map(vars, parts)]
    for name in ASKING:
        written_anew = not all(_is_installed(getattr(kind, name)) for kind in kinds)
        if written_anew or any(name in space for space in spaces):
            return name
    return ""


def own_kind_of_tensor(model: nn.Module) -> str:
    """The name of a parameter or a buffer of a class that is not PyTorch's: it may say anything of itself."""
    for path, part in parts_of(model):
        held = [*dict.items(vars(part)["_parameters"]), *dict.items(vars(part)["_buffers"])]
        for name, tensor in held:
            if tensor is not None and type(tensor) not in OF_TORCH:
                return f"{path}.{name}" if path else name
    return ""


def _changed(kind: type, before: dict[str, Any]) -> set[str]:
    """The names of methods in a class that do something else, and those of new ones.

    Data may change: Python writes `__slotnames__` where an object is copied, a grader takes `__doc__` away.
    """
    now = vars(kind)
    names = {name for name in before if not _same(now.get(name), before[name])}
    if kind.__module__.startswith(COURSE):  # PyTorch adds to its own
        names |= now.keys() - before.keys()
    else:
        names -= {name for name in BY_TORCH if _is_installed(now.get(name))}
    return {name for name in names if _acts(before.get(name, "")) or _acts(now.get(name, ""))}


def _same(one: Any, other: Any) -> bool:
    """Also of a method that was sent to a grader's process twice: there are two of it, with equal code."""
    if one is other or type(one) is not type(other):
        return one is other
    if isinstance(one, FunctionType):
        modules = [function.__globals__.get("__name__") for function in (one, other)]
        return one.__code__ == other.__code__ and modules[0] == modules[1]
    return isinstance(one, property) and all(map(_same, *([x.fget, x.fset, x.fdel] for x in (one, other))))


def _is_installed(value: Any) -> bool:
    return type(value) is FunctionType and is_installed(value)


def _acts(value: Any) -> bool:
    return callable(value) or hasattr(value, "__get__")


def _kinds_of(thing: Any) -> set[type]:
    things = [part for _, part in parts_of(thing)] if isinstance(thing, nn.Module) else [thing]
    kinds = {kind for one in things for kind in type(one).__mro__}
    return {kind for kind in kinds if kind.__module__.startswith((COURSE, "torch.nn."))}


def replaced_methods(model: Any) -> set[tuple[str, str]]:
    """The path of each part of which an attribute stands in front of a method, and the method's name."""
    if not isinstance(model, nn.Module):
        return set()
    return {
        (path, name)
        for path, part in parts_of(model)
        for name in vars(part)
        if callable(getattr(type(part), name, None))
    }
