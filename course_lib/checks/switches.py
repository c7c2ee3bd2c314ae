"""Functions that hide from an observer what code calls: whoever calls one, the observer is told its name."""

import _signal  # pyright: ignore[reportMissingImports]  (of C)
import gc
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import torch

AUTOGRAD: Any = torch.autograd  # pyright knows nothing of the profiler's own functions
PLACES: tuple[Any, ...] = getattr(torch._C, "_autograd"), AUTOGRAD, AUTOGRAD.profiler  # noqa: B009
NAMES = "_enable_record_function", "_toggle_collection_dynamic", "_clear_callbacks"
OF_PYTORCH = [(place, name) for name in NAMES for place in PLACES if hasattr(place, name)]
# What they call runs between any two steps of an observer: handlers of signals, and what the garbage
# collector finalizes.
INTERRUPTS = [(_signal, "signal"), (gc, "enable")]


def tell(observer: Callable[[str], None], functions: Iterable[tuple[Any, str]]) -> None:
    """From now on calls of these, by the places where they stand: functions of C are not profiled in C."""
    telling: dict[int, Callable[..., Any]] = {}  # by the function, which may stand in several places
    for place, name in functions:
        function = getattr(place, name)
        new = telling.setdefault(id(function), _telling(partial(observer, name), function))
        setattr(place, name, new)


def _telling(tell: Callable[[], None], function: Callable[..., Any]) -> Callable[..., Any]:
    def telling(*args: Any, **named: Any) -> Any:
        tell()
        return function(*args, **named)

    return telling
