"""What an answer's calls leave for its later ones: none may need it.

Many parts compare two calls of an answer. One that keeps what it gave, and gives it again, would agree with
itself. A cache is no fault: with it and without it a call gives the same.
"""

import functools
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from operator import is_
from types import FunctionType
from typing import Any

import torch

from course_lib.checks.arguments import as_it_is, copies
from course_lib.checks.definitions import functions_of, global_names
from course_lib.checks.listeners import unheard
from course_lib.checks.made_of import at_hand, inside, own_pieces
from course_lib.checks.results import RejectedError, same
from course_lib.checks.surroundings import draw_again_from, draws

REMEMBERS = (
    "Your code keeps something from earlier calls (in a variable, an attribute, a list or a dict), and "
    "without it this call gives another result. Calculate each result from the arguments of that call alone."
)
# How each kind of box is copied and filled, the first that fits: a Counter as a dict; a dict does not know
# the order of an OrderedDict.
BOXES: dict[Any, tuple[Callable, Callable]] = {
    OrderedDict: (lambda box: dict(OrderedDict.items(box)), OrderedDict.update),
    dict: (dict.copy, dict.update),
    list: (list.copy, list.extend),
    set: (set.copy, set.update),
    deque: (list, deque.extend),
}
LARGEST, MOST = 10**5, 10**4  # numbers of a tensor, and places of an answer, that are looked at
Again = Callable[[Sequence, dict], Any]
_of_answers: list["Memory"] = []  # of the one that is observed


@contextmanager
def nothing_remembered(answer: Any) -> Iterator[None]:
    """Within it no call of the answer may need what those before it have left since the beginning."""
    _of_answers.append(Memory(answer))
    try:
        yield
    finally:
        _of_answers.pop()


def note_built(thing: Any) -> None:
    """The answer has built it: what its calls leave there may not be needed either."""
    if _of_answers:
        _of_answers[-1].add(thing)


def without_memory(call: Callable, again: Again) -> Callable:
    """The call, refused where what was kept makes its result another one. again: makes it once more."""

    def checked(*args, **kwargs):
        memory = _of_answers[-1] if _of_answers else None
        if memory is None:
            return call(*args, **kwargs)
        drawn = draws() if memory.is_changed() else None
        with memory.called():
            result = call(*args, **kwargs)
        if drawn is None:
            return result
        later, there = draws(), as_it_is(result)
        draw_again_from(drawn)
        with memory.as_it_was():
            alone = again(*copies(args, kwargs))
        draw_again_from(later)
        if not same(there, alone):
            raise RejectedError(REMEMBERS)
        return result

    return checked


@dataclass
class _Place:
    """Where something can be left. read: a copy of what is there; write: puts such a copy there."""

    read: Callable[[], Any]
    write: Callable[[Any], Any]


class Memory:
    """All such places that an answer can come to, and what calls have changed there."""

    def __init__(self, answer: Any) -> None:
        self._places: dict[int, tuple[_Place, Any]] = {}  # by id; the thing is kept, and so is its id
        self._before: dict[int, Any] = {}  # what was in those that a call has changed, before the first did
        self.add(answer)

    def add(self, thing: Any) -> None:
        """Also those of what the answer has built."""
        for one, place in islice(_places(thing), MOST):
            self._places.setdefault(id(one), (place, one))

    @contextmanager
    def called(self) -> Iterator[None]:
        """Around a call: what is done in between, as `eval()`, is the check's own."""
        before = {key: place.read() for key, (place, _) in self._places.items()}
        yield
        for key, was in before.items():
            if key not in self._before and not _alike(self._places[key][0].read(), was):
                self._before[key] = was

    def is_changed(self) -> bool:
        return bool(self._before)

    @contextmanager
    def as_it_was(self) -> Iterator[None]:
        places = [(self._places[key][0], was) for key, was in self._before.items()]
        there = [place.read() for place, _ in places]
        try:
            for place, was in places:
                place.write(was)
            yield
        finally:
            for (place, _), now in zip(places, there, strict=True):
                place.write(now)


def _places(answer: Any) -> Iterator[tuple[Any, _Place]]:
    pieces = [*own_pieces(answer, ())]
    functions = [function for piece in pieces for function in functions_of(piece)]
    for function in functions:
        names = {name for name in global_names(function.__code__) if name in function.__globals__}
        yield function.__code__, _names(function.__globals__, names)
        yield from ((cell, _cell(cell)) for cell in function.__closure__ or ())
    held = [value for function in functions for _, value in at_hand(function)]
    for one in [one for thing in (answer, *pieces, *held) for one in inside(thing)]:
        if place := _place(one):
            yield one, place
        # A library's object is left as it is; torch's modules are parts of learners'.
        if type(one) is FunctionType or type(one).__module__.partition(".")[0] in ("__main__", "torch"):
            own = getattr(one, "__dict__", None)
            if type(own) is dict:
                yield own, _box(own, *BOXES[dict], dict.clear)


def _place(value: Any) -> _Place | None:
    if isinstance(value, functools._lru_cache_wrapper):
        return _Place(value.cache_info, lambda _: value.cache_clear())
    if type(value) is torch.Tensor and value.layout is torch.strided and not value.is_meta:
        return _of_numbers(value) if value.numel() <= LARGEST else None
    if _is_array(value):
        return _of_array(value)
    for kind, (copy, fill) in BOXES.items():
        if isinstance(value, kind):
            return _box(value, copy, fill, kind.clear)
    return None


def _of_array(array: Any) -> _Place | None:
    if array.size > LARGEST or array.dtype.hasobject:
        return None
    return _Place(array.copy, functools.partial(array.__setitem__, ...))


def _is_array(value: Any) -> bool:
    """Whether it is one of NumPy's, which checks do not import."""
    return (type(value).__module__, type(value).__name__) == ("numpy", "ndarray")


def _of_numbers(tensor: torch.Tensor) -> _Place:
    def read() -> torch.Tensor:
        with unheard():
            return tensor.detach().clone()

    def write(numbers: torch.Tensor) -> None:
        with suppress(RuntimeError), unheard():  # one that repeats its numbers, or that nobody may write
            tensor.detach().copy_(numbers)

    return _Place(read, write)


def _box(box: Any, copy: Callable, fill: Callable, empty: Callable) -> _Place:
    def write(items: Any) -> None:
        empty(box)
        fill(box, items)

    return _Place(lambda: copy(box), write)


def _names(space: dict[str, Any], names: set[str]) -> _Place:
    return _Place(lambda: {name: space.get(name) for name in names}, space.update)


def _cell(cell: Any) -> _Place:
    def read() -> list[Any]:
        try:
            return [cell.cell_contents]
        except ValueError:  # not set yet
            return []

    def write(held: list[Any]) -> None:
        if held:
            cell.cell_contents = held[0]

    return _Place(read, write)


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor):
        return one.shape == other.shape and torch.equal(one, other)
    if _is_array(one):
        return one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(map(is_, one.values(), other.values()))
    if isinstance(one, list):
        return len(one) == len(other) and all(map(is_, one, other))
    if isinstance(one, (set, deque)):
        return sorted(map(id, one)) == sorted(map(id, other))
    return one is other or one == other
