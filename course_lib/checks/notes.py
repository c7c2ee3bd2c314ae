"""What stand-ins note of the code that gets them, where it does not reach that by their attributes."""

from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

_NOTES: WeakKeyDictionary[object, dict[str, list[Any]]] = WeakKeyDictionary()


def notes(stand_in: object, name: str) -> list[Any]:
    """The list that this stand-in has under this name: empty at first; in a copy too, but for Along."""
    return _NOTES.setdefault(stand_in, {}).setdefault(name, [])


class Along:
    """A stand-in of which copies share some lists: those with the names in `along`."""

    along: tuple[str, ...] = ()

    def __reduce__(self):
        return partial(_again, self), (), vars(self).copy()


def _again(original: Along) -> Along:
    made = object.__new__(type(original))
    _NOTES[made] = {name: notes(original, name) for name in original.along}
    return made
