"""Where a call can leave something for a later one: what an answer can come to and that can be changed."""

import functools
import io
import os
import random
import sys
from array import array
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from operator import eq, is_
from types import FunctionType, MemberDescriptorType
from typing import Any

import torch
from torch import nn

from course_lib.checks.definitions import functions_of, global_names
from course_lib.checks.kinds import Kinds
from course_lib.checks.listeners import unheard
from course_lib.checks.made_of import at_hand, declares_slots, inside, own_pieces, slots_of

MISSING = object()
BARE = Kinds(bool, int, float, complex, str, bytes, type(None), list, tuple, dict, set, frozenset)
LARGEST = 10**7  # bytes of a tensor or an array that are looked at
RANDOM = "Generator", "RandomState"  # NumPy's
State = dict[Any, Any]


@dataclass(frozen=True)
class Place:
    """read: what is there, by key, or as a copy in one piece; write: puts some of it back; same: compares.

    Under a key there is an object: what is in it is a place of its own. MISSING is put back by a deletion.
    of_names: the keys are names of variables or attributes.
    """

    read: Callable[[], State]
    write: Callable[[State], Any]
    same: Callable[[Any, Any], bool] = is_
    of_names: bool = False


@contextmanager
def undisturbed() -> Iterator[None]:
    """Around each read and write: nobody listens, and no tensor of a class of its own has a say."""
    with unheard(), torch._C.DisableTorchFunction():
        yield


def places(answer: Any) -> Iterator[tuple[Any, Place, str]]:
    """Each with the thing whose place it is, and by which name a function has that, "" if by none."""
    pieces = [*own_pieces(answer, ())]
    functions = [function for piece in pieces for function in functions_of(piece)]
    held: list[tuple[Any, str]] = [(thing, "") for thing in (answer, *pieces)]
    for function in functions:
        yield function.__code__, _globals(function), ""
        yield from ((cell, _cell(cell), "") for cell in function.__closure__ or ())
        held += [(value, name) for name, value in at_hand(function)]
        held.append((function.__kwdefaults__, ""))
    held += [(os.environ, name) for value, name in held if value is os]
    for thing, name in held:
        for one in inside(thing):
            yield from ((place_of, place, name) for place_of, place in _places(one))


def _places(one: Any) -> Iterator[tuple[Any, Place]]:
    """Of one thing, not of what is in it: its contents, its attributes, and its slots."""
    if place := _contents(one):
        yield one, place
    if type(one) in BARE:  # they have neither attributes nor slots
        return
    if isinstance(one, type):
        if not _is_a_librarys(one):
            yield one, _attributes(one, lambda: dict(vars(one)), type.__setattr__, type.__delattr__)
        return
    if isinstance(one, FunctionType):
        yield one, _attributes(one, partial(_of_function, one))
    if isinstance(one, torch.Tensor) and one.is_leaf:
        yield (one, "grad"), _attributes(one, lambda: {"grad": one.grad})
        if one.grad is not None:
            yield from _places(one.grad)
    own = getattr(one, "__dict__", None)
    if type(own) is dict:
        yield own, _entries(own, dict, of_names=True)
    # What a library has written in C is left as it is; torch's modules are parts of a learner's answer.
    is_open = isinstance(one, nn.Module | torch.Tensor) or not _is_a_librarys(type(one))
    is_open |= declares_slots(type(one))
    if is_open and not isinstance(one, FunctionType) and (slots := slots_of(type(one))):
        yield (one, "slots"), _in_slots(one, slots)


def _contents(value: Any) -> Place | None:
    """Of a box, a cache, numbers or a random generator; by methods that no class of a learner's replaces."""
    kind = type(value)  # an object may name another as its __class__
    if issubclass(kind, dict):
        return _entries(value, OrderedDict if issubclass(kind, OrderedDict) else dict)
    if issubclass(kind, list):
        return _whole(partial(list.copy, value), partial(list.__setitem__, value, slice(None)), _listed)
    if issubclass(kind, set):
        return _whole(lambda: {*set.__iter__(value)}, partial(_refill, set.clear, set.update, value))
    if issubclass(kind, deque):
        refill = partial(_refill, deque.clear, deque.extend, value)
        return _whole(lambda: [*deque.__iter__(value)], refill, _listed)
    if issubclass(kind, bytearray):
        return _whole(partial(bytearray.copy, value), partial(bytearray.__setitem__, value, slice(None)))
    if issubclass(kind, array):
        return _whole(partial(array.__copy__, value), partial(array.__setitem__, value, slice(None)))
    if issubclass(kind, io.BytesIO | io.StringIO):
        return _of_file(value, io.BytesIO if issubclass(kind, io.BytesIO) else io.StringIO)
    if issubclass(kind, partial):
        return _of_partial(value, partial)
    if issubclass(kind, ContextVar):
        return _whole(lambda: value.get(MISSING), value.set, is_)
    if issubclass(kind, functools._lru_cache_wrapper):  # it may be emptied at any time
        return _whole(value.cache_info, lambda _: value.cache_clear())
    if issubclass(kind, random.Random):
        return _whole(partial(random.Random.getstate, value), partial(random.Random.setstate, value))
    if issubclass(kind, torch.Generator):
        set_state = partial(torch.Generator.set_state, value)
        return _whole(partial(torch.Generator.get_state, value), set_state, torch.equal)
    if issubclass(kind, torch.Tensor):
        return _of_tensor(value)
    return _of_array(value) if is_array(kind) else _of_generator(value) if _is_numpys(kind, *RANDOM) else None


def _of_file(value: Any, kind: Any) -> Place:
    """In memory: what is in it, and where it is read, as both are pickled."""
    return _whole(lambda: kind.__getstate__(value)[:-1], lambda was: kind.__setstate__(value, (*was, {})))


def _of_partial(value: Any, kind: Any) -> Place:
    """Its function and what it adds to the arguments."""
    return _whole(lambda: kind.__reduce__(value)[2], lambda was: kind.__setstate__(value, was), _listed)


def _of_tensor(tensor: torch.Tensor) -> Place | None:
    """Its whole storage, which also a view of few numbers has, and its shape."""
    if tensor.layout is not torch.strided:
        return _whole(lambda: tensor.detach().clone(), tensor.detach().copy_, _never)
    if tensor.is_meta or tensor.is_quantized or is_too_large(tensor):
        return _whole(lambda: (tensor.shape, tensor.stride()), lambda was: tensor.resize_(was[0]))

    empty = torch.empty(0, dtype=tensor.dtype, device=tensor.device)

    def flat() -> torch.Tensor:
        return empty.set_(tensor.untyped_storage())

    def read() -> tuple[Any, ...]:
        return flat().clone(), tensor.storage_offset(), tensor.shape, tensor.stride()

    def write(was: tuple[Any, ...]) -> None:
        numbers, *geometry = was
        with torch.no_grad():
            tensor.untyped_storage().resize_(numbers.untyped_storage().nbytes())
            flat().copy_(numbers)
            if [tensor.storage_offset(), tensor.shape, tensor.stride()] != geometry:
                tensor.as_strided_(geometry[1], geometry[2], geometry[0])

    return _whole(read, write, lambda a, b: a[1:] == b[1:] and len(a[0]) == len(b[0]) and _equal(a[0], b[0]))


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    return torch.equal(one.view(torch.uint8), other.view(torch.uint8))  # NaN is NaN


def is_too_large(one: Any) -> bool:
    """Whether these are numbers that nobody looks at."""
    if issubclass(type(one), torch.Tensor):
        return one.layout is torch.strided and one.untyped_storage().nbytes() > LARGEST
    return is_array(type(one)) and one.nbytes > LARGEST


def is_array(kind: type) -> bool:
    """Whether it is NumPy's class, which checks do not import."""
    return _is_numpys(kind, "ndarray")


def _is_numpys(kind: type, *names: str) -> bool:
    return kind.__name__ in names and kind.__module__.startswith("numpy") and _is_a_librarys(kind)


def _of_generator(value: Any) -> Place:
    source = value._bit_generator
    return _whole(lambda: source.state, lambda was: setattr(source, "state", was), _printed_alike)


def _of_array(value: Any) -> Place | None:
    if value.dtype.hasobject:
        return None
    if is_too_large(value):
        return _whole(lambda: value.shape, lambda _: None)
    return _whole(
        value.copy, lambda was: value.__setitem__(..., was), lambda a, b: a.tobytes() == b.tobytes()
    )


def _whole(read: Callable[[], Any], write: Callable[[Any], Any], same: Callable = eq) -> Place:
    def put(was: State) -> None:
        with suppress(RuntimeError, ValueError):  # what nobody may write
            write(was[""])

    return Place(lambda: {"": read()}, put, same)


def _listed(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(one) == len(other) and all(map(is_, one, other))


def _printed_alike(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)


def _never(*_: Any) -> bool:
    return False


def _refill(empty: Callable, fill: Callable, box: Any, items: Any) -> None:
    empty(box)
    fill(box, items)


def _entries(box: dict, kind: Any, of_names: bool = False) -> Place:
    def write(was: State) -> None:
        for key, value in was.items():
            if value is MISSING:
                kind.pop(box, key, None)
            else:
                kind.__setitem__(box, key, value)

    return Place(lambda: dict.copy(box), write, of_names=of_names)


def _globals(function: FunctionType) -> Place:
    names, space = set(global_names(function.__code__)), function.__globals__
    entries = _entries(space, dict)
    return Place(lambda: {name: space.get(name, MISSING) for name in names}, entries.write, of_names=True)


def _attributes(one: Any, read: Callable, put: Callable = setattr, delete: Callable = delattr) -> Place:
    def write(was: State) -> None:
        for name, value in was.items():
            with suppress(AttributeError, TypeError):
                delete(one, name) if value is MISSING else put(one, name, value)

    return Place(read, write, of_names=True)


def _of_function(one: FunctionType) -> State:
    """By these names, for the grader watches who asks for a function's attributes by a text."""
    kept = {"__defaults__": one.__defaults__, "__kwdefaults__": one.__kwdefaults__}
    return {**kept, "__doc__": one.__doc__, "__module__": one.__module__}


def _in_slots(one: Any, slots: list[MemberDescriptorType]) -> Place:
    def read() -> State:
        found = {}
        for slot in slots:
            with suppress(AttributeError, TypeError):  # empty, or of a class that is no base any more
                found[slot] = slot.__get__(one)
        return found

    def write(was: State) -> None:
        for slot, value in was.items():
            slot.__delete__(one) if value is MISSING else slot.__set__(one, value)

    return Place(read, write)


def _cell(cell: Any) -> Place:
    def read() -> State:
        try:
            return {"": cell.cell_contents}
        except ValueError:  # not set yet
            return {}

    def write(was: State) -> None:
        if was[""] is MISSING:
            del cell.cell_contents
        else:
            cell.cell_contents = was[""]

    return Place(read, write)


def _is_a_librarys(kind: type) -> bool:
    """Whether it is found where it says that it comes from: a learner's class may name any module."""
    module, name = (type.__dict__[one].__get__(kind) for one in ("__module__", "__name__"))
    if type(module) is not str or module == "__main__":
        return False
    return getattr(sys.modules.get(module), name, None) is kind
