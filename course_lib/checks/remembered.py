"""A call may not need what earlier calls of the same answer have left.

Many parts compare two calls of an answer. One that keeps what it gave, and gives it again, would agree with
itself. A cache is no fault: with it and without it a call gives the same.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from operator import is_
from typing import Any

import torch

from course_lib.checks.arguments import as_it_is, copies
from course_lib.checks.places import MISSING, Place, State, is_array, is_too_large, places, undisturbed
from course_lib.checks.results import RejectedError, same
from course_lib.checks.surroundings import draw_again_from, draws

REMEMBERS = (
    "Your code keeps something from earlier calls (in a variable, an attribute, a list or a dict), and "
    "without it this call gives another result. Each call must calculate its own result."
)
REMEMBERS_IN = (
    "Your code keeps something from earlier calls in {0}, and without it this call gives another result. "
    "Each call must calculate its own result."
)
TOO_LARGE = (
    "Your code keeps or uses a tensor or an array of more than 10 MB{0} that is not among its arguments. A "
    "check does not look through so much: make it smaller, or make it in the call."
)
MOST, NAMED = 10**4, 3  # places of an answer that are looked at, and names that are told
Again = Callable[[Sequence, dict], Any]
_observed: list["Memory"] = []  # of the answer that is observed; empty where calls are counted


@contextmanager
def nothing_remembered(answer: Any) -> Iterator[None]:
    """Within it no call of the answer may need what those before it have left since the beginning."""
    _observed.append(Memory(answer))
    try:
        yield
    finally:
        _observed.pop()


@contextmanager
def each_call_once() -> Iterator[Callable[[], int]]:
    """Within it no call is made again: where it is counted what calls do.

    The function says how many bytes there are now where calls have changed something since then.
    """
    memories = [*_observed]
    before = [state for memory in memories for state in memory.read()]

    def bytes_changed() -> int:
        with undisturbed():
            changed = ((now, _changes(place, was, now)) for place, was in before for now in [place.read()])
            return sum(_bytes(now.get(name)) for now, names in changed for name in names)

    _observed.clear()
    try:
        yield bytes_changed
    finally:
        _observed[:] = memories


def note_built(thing: Any) -> None:
    """The answer has built it: what its calls leave there may not be needed either."""
    if _observed:
        _observed[-1].add(thing)


def compared_without_memory(call: Callable, again: Again) -> Callable:
    """The call, refused where what was kept makes its result another one. again: makes it once more."""

    def compared(*args, **kwargs):
        memory = _observed[-1] if _observed else None
        if memory is None:
            return call(*args, **kwargs)
        memory.refuse_too_large()
        # First: what it writes in place would count for the gradients of the result.
        alone = memory.without(partial(again, *copies(args, kwargs))) if memory.is_changed() else None
        with memory.called():
            result = call(*args, **kwargs)
        if alone is not None and not (alone and same(as_it_is(result), *alone)):
            raise RejectedError(memory.told())
        return result

    return compared


class Memory:
    """All places that an answer can come to, and what its calls have changed there."""

    def __init__(self, answer: Any) -> None:
        self._places: dict[Any, tuple[Place, Any, str]] = {}  # by id; the thing is kept, and so is its id
        self._before: dict[Any, State] = {}  # what a call has changed, as it was before the first that did
        self._too_large = ""
        self.add(answer)

    def add(self, thing: Any) -> None:
        """Also those of what the answer has built."""
        for one, place, name in islice(places(thing), MOST):
            key = tuple(map(id, one)) if type(one) is tuple else id(one)
            self._places.setdefault(key, (place, one, name))
            if is_too_large(one):
                self._too_large = TOO_LARGE.format(f" (`{name}`)" * bool(name))

    def refuse_too_large(self) -> None:
        if self._too_large:
            raise RejectedError(self._too_large)

    @contextmanager
    def called(self) -> Iterator[None]:
        """Around a call: what is done in between, as `eval()`, is the check's own."""
        before = self.read()
        try:
            yield
        finally:
            with undisturbed():
                changed = [_changes(place, was, place.read()) for place, was in before]
            for key, changes in zip(self._places, changed, strict=False):  # the call may have built more
                if changes:
                    self._before[key] = changes | self._before.get(key, {})

    def read(self) -> list[tuple[Place, State]]:
        """All that is there."""
        with undisturbed():
            return [(place, place.read()) for place, *_ in self._places.values()]

    def is_changed(self) -> bool:
        return bool(self._before)

    def without(self, call: Callable[[], Any]) -> list[Any]:
        """What the call gives where all is as it was, nothing where it raises.

        Afterwards all is as it is, and what was drawn at random will be drawn again.
        """
        written = [(self._places[key][0], was) for key, was in self._before.items()]
        with undisturbed():
            drawn, there = draws(), [(place, _part(place.read(), was)) for place, was in written]
        try:
            _write(written)
            return [call()]
        except Exception:
            return []
        finally:
            _write(there)
            draw_again_from(drawn)

    def told(self) -> str:
        """What is wrong, with the names in the code of what was changed, where it has names."""
        names = [name for key in self._before if (name := self._places[key][2])]
        names += [name for key, was in self._before.items() if self._places[key][0].of_names for name in was]
        shown = ", ".join(f"`{name}`" for name in sorted(set(names))[:NAMED])
        return REMEMBERS_IN.format(shown) if shown else REMEMBERS


def _write(states: list[tuple[Place, State]]) -> None:
    with undisturbed():
        for place, state in states:
            place.write(state)


def _changes(place: Place, was: State, now: State) -> State:
    """Of what was there, that of which something else is there now."""
    if len(was) == len(now) and all(map(is_, was.values(), now.values())) and was.keys() == now.keys():
        return {}  # as mostly
    names = was if was.keys() == now.keys() else was.keys() | now.keys()
    pairs = {name: (was.get(name, MISSING), now.get(name, MISSING)) for name in names}
    return {name: old for name, (old, new) in pairs.items() if not _same(place, old, new)}


def _same(place: Place, old: Any, new: Any) -> bool:
    if old is MISSING or new is MISSING:
        return old is new
    return old is new or place.same(old, new)


def _bytes(value: Any) -> int:
    """As many as numbers in it may take, in a box in a box, too."""
    kind = type(value)
    if kind in (list, tuple, set):
        return sum(map(_bytes, value))
    if kind in (str, bytes, bytearray):
        return len(value)
    return value.nbytes if kind is torch.Tensor or is_array(kind) else 8


def _part(state: State, names: State) -> State:
    return {name: state.get(name, MISSING) for name in names}
