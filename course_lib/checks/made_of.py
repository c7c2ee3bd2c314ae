"""What an answer is made of: functions and classes of the learner's, and what these have at hand."""

import contextlib
import functools
import gc
import inspect
import sys
import weakref
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from contextvars import ContextVar
from itertools import islice
from types import BuiltinFunctionType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

from course_lib.checks.definitions import ANSWERS, INSTALLED, WORKSHOP, functions_of, global_names

DEPTH, MOST = 12, 200_000  # boxes in boxes, and things in them, that are looked at
# Modules of Python's whose objects hold others: a deque, an iterator, a namespace.
BOXES = {"builtins", "collections", "itertools", "types", "functools", "operator", "weakref"}
BOXES |= {"queue", "contextvars", "thread"}
CALLED = FunctionType, BuiltinFunctionType, MethodType, ModuleType, functools.partial, type
HELD = *CALLED, list, dict, set, deque, bytearray
OPEN = "__main__", "torch"  # where classes are from whose objects are looked into
NUMBERS = "Tensor", "Parameter", "ndarray"  # names of classes
OF_NUMPYS = "base", "operands", "iters"  # what an object of NumPy's has of another
OF_EACH_CLASS = "__module__", "__qualname__", "__annotations__", "__dict__", "__weakref__", "__doc__"
NO_BOXES = bool, int, float, complex, str, bytes, type(None)
CLASSES = 1000  # of which the slots are kept
_slots: dict[int, tuple[type, list[MemberDescriptorType]]] = {}  # by the id of the class, which is kept too


def own_pieces(answer: Any, uses: Collection[str]) -> Iterator[Any]:
    """The answer, its own base classes, and the learner's functions and classes that these can call.

    uses: names that are not followed.
    """
    found, queue = set(), deque([unwrapped(answer), *inside(answer)])
    while queue:
        piece = queue.popleft()
        if id(piece) in found or not _is_own(piece):
            continue
        found.add(id(piece))
        yield piece
        if inspect.isclass(piece):
            queue += piece.__bases__
        for function in functions_of(piece):
            queue += (one for name, value in at_hand(function) if name not in uses for one in inside(value))


def at_hand(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What it can use by a name: globals, defaults, and variables of a function around it."""
    for name in global_names(function.__code__):
        yield name, function.__globals__.get(name)
    yield from variables_of(function)


def variables_of(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Its defaults, and variables of a function around it."""
    code, defaults = function.__code__, function.__defaults__ or ()
    yield from zip(code.co_varnames[: code.co_argcount][::-1], defaults[::-1], strict=False)
    yield from (function.__kwdefaults__ or {}).items()
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # not set yet
            yield name, cell.cell_contents


def inside(value: Any) -> Iterator[Any]:
    """The value itself, and what is in it where it is a box of functions, also in a box in a box.

    A library's object may lead to half of the process: what is in one that another one holds is not looked
    at, but for what can be called.
    """
    waiting = deque([(value, DEPTH, False)])
    seen = dict[int, Any]()  # those seen are kept, and so are their ids
    for _ in range(MOST):
        if not waiting:
            return
        one, depth, is_within = waiting.popleft()
        if id(one) in seen:  # the members of an enum hold their class, which holds them
            continue
        seen[id(one)] = one
        yield one
        if depth:
            held = (item for item in islice(_held(one, is_within), MOST) if type(item) not in NO_BOXES)
            is_within |= _is_closed(one)
            waiting.extend((item, depth - 1, is_within) for item in held if not is_answer(item))


def _is_closed(value: Any) -> bool:
    """Whether it is an object that is not looked into, or a method of one that may be such."""
    is_open = isinstance(value, HELD) or _root(value) in OPEN or _is_box(value)
    return isinstance(value, MethodType) or not is_open


def _root(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def _is_box(value: Any) -> bool:
    return _root(value).lstrip("_") in BOXES


def _held(value: Any, is_within: bool) -> Iterable[Any]:
    """is_within: whether a library's object holds it."""
    match value:
        case functools.partial():
            return [value.func, *value.args, *value.keywords.values()]
        case functools._lru_cache_wrapper():
            return [value.__wrapped__]
        case MethodType():
            return [value.__func__, value.__self__]
        case dict():
            return value.values()
        case list() | tuple() | set():
            return value
        case FunctionType():
            return vars(value).values()
        case weakref.ref():
            return [value()]
        case ContextVar():
            return [value.get(None)]
        case ModuleType():
            is_real = sys.modules.get(value.__name__) is value
            return [] if is_real else vars(value).values()
    if is_array_of_objects(value):
        return value.reshape(-1).tolist()
    # A learner's own class or object may hold one too, and the object's class may use one.
    if inspect.isclass(value):
        is_own = getattr(value, "__module__", "") == "__main__"
        # Its own methods are read with it, and a type in an annotation is not used.
        named = vars(value).items() if is_own else ()
        return [item for name, item in named if name not in OF_EACH_CLASS and not _is_its_method(item, value)]
    if _is_box(value):
        return gc.get_referents(value)
    root, held = _root(value), getattr(value, "__dict__", None)
    values = list(held.values()) if isinstance(held, dict) else []
    if root not in OPEN:
        values += _in_slots(value) if declares_slots(type(value)) else ()
        kinds = CALLED if is_within else HELD
        numbers = _of_another(value) if root == "numpy" else ()
        return [*numbers, *(one for one in values if isinstance(one, kinds) or type(one).__name__ in NUMBERS)]
    return [*[type(value)] * (root == "__main__"), *values, *_in_slots(value)]


def _of_another(value: Any) -> Iterator[Any]:
    """The numbers that an array, or an iterator over some, has of another one."""
    for name in OF_NUMPYS:
        with contextlib.suppress(AttributeError, ValueError):  # an iterator that has been closed
            yield getattr(value, name)


def _is_its_method(item: Any, kind: type) -> bool:
    return isinstance(item, FunctionType) and item.__module__ == kind.__module__


def _in_slots(value: Any) -> Iterator[Any]:
    for slot in slots_of(type(value)):
        with contextlib.suppress(AttributeError):  # empty
            yield slot.__get__(value)


def slots_of(kind: type) -> list[MemberDescriptorType]:
    """Those of its base classes too, as they were when this was asked first."""
    if id(kind) not in _slots:
        if len(_slots) > CLASSES:
            _slots.clear()
        items = (item for base in kind.__mro__ for item in vars(base).values())
        _slots[id(kind)] = kind, [item for item in items if isinstance(item, MemberDescriptorType)]
    return _slots[id(kind)][1]


@functools.lru_cache(maxsize=CLASSES)
def declares_slots(kind: type) -> bool:
    """Whether it is written in Python with slots: those of C are often of what must not be touched."""
    return any("__slots__" in vars(base) for base in kind.__mro__)


def is_array_of_objects(value: Any) -> bool:
    """Whether it is one of NumPy's."""
    return type(value).__module__ == "numpy" and getattr(getattr(value, "dtype", None), "hasobject", False)


def is_answer(value: Any) -> bool:
    """Whether it is one of `exercises`, which are checked as answers are."""
    return str(getattr(value, "__module__", "")).startswith("course_lib.exercises.")


def unwrapped(answer: Any) -> Any:
    """The function inside of its decorators."""
    try:
        return inspect.unwrap(answer) if isinstance(answer, FunctionType) else answer
    except ValueError:  # they go in a circle
        return answer


def _is_own(piece: Any) -> bool:
    """Whether a learner, or an exercise, has written it as a function or a class."""
    functions = list(functions_of(piece))
    file = functions[0].__code__.co_filename if functions else ""
    if file.startswith(WORKSHOP):
        return file.startswith(ANSWERS)
    return bool(file) and not file.startswith(INSTALLED)
