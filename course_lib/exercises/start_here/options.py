"""How a caller gives an option: all of these ways are ordinary."""

from collections.abc import Mapping
from typing import Any

WAYS = ("not given", "by name", "by position")


def passed(way: str, **option: Any) -> tuple[str, tuple[Any, ...], Mapping[str, Any]]:
    """A label, as "pad=3 by name", and the arguments of such a call: those by position and those by name."""
    ((name, value),) = option.items()
    if way == "not given":
        return f"{name} {way}", (), {}
    return f"{name}={value} {way}", (value,) * (way == "by position"), option if way == "by name" else {}
