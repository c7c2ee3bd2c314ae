"""What stand-ins note of the code that gets them, where it does not reach that by their attributes."""

from typing import Any
from weakref import WeakKeyDictionary

_NOTES: WeakKeyDictionary[object, dict[str, list[Any]]] = WeakKeyDictionary()


def notes(stand_in: object, name: str) -> list[Any]:
    """The list that this stand-in has under this name: empty at first, and in a copy of it."""
    return _NOTES.setdefault(stand_in, {}).setdefault(name, [])
