"""Whether what observes an answer is as it was before a learner's code ran."""

import operator
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

COUNTED = ("_unseen", "_hooked")  # of ready_made.py


def unchanged(modules: Iterable[ModuleType]) -> Callable[[], bool]:
    """A function that says so of the names of these modules and of their classes.

    Only the call that made it holds what it compares and by what: in a module that could be replaced, too.
    """
    known = tuple((space, *_of(space)) for module in modules for space in _spaces(module))

    def is_unchanged(of: Callable = _of, every: Callable = all, same: Callable = operator.is_) -> bool:
        for space, names, values in known:
            names_now, values_now = of(space)
            if names != names_now or not every(map(same, values, values_now)):
                return False
        return True

    return is_unchanged


def _spaces(module: ModuleType) -> Iterator[Any]:
    yield vars(module)
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield vars(value)


def _of(space: Any) -> tuple[list[str], list[Any]]:
    kept = [(name, value) for name, value in space.items() if name not in COUNTED]
    return [name for name, _ in kept], [value for _, value in kept]
