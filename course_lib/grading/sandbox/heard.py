"""Hears what Python tells its audit hooks: before it opens a file, compiles a text, gives a frame.

Each hook is called at each event, and a check makes thousands. So there is one hook for all.
"""

import sys
from collections.abc import Callable, Mapping
from typing import Any

# By the name of an event, by the beginning of its name ("ctypes."), or by an attribute of which
# "object.__getattr__" tells.
Handlers = Mapping[str, Callable[[str, tuple[Any, ...]], None]]
BEHIND = 2  # frames from a handler to what has caused the event


class _Heard(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        """Most events are nobody's."""
        self[name] = found = self.get(name[: name.find(".") + 1])
        return found


def plain_text(value: Any) -> Any:
    """A text of a learner's class as one of Python's: nobody sees what its methods do in a hook."""
    kind: Any
    for kind in (str, bytes):
        if type(value) is not kind and issubclass(type(value), kind):
            return kind.__getitem__(value, slice(None))
    return value


def hear(*handlers: Handlers) -> None:
    """In this process, from now on. What is heard by whom nothing holds but the interpreter."""
    heard = _Heard()
    for one in handlers:
        heard.update(one)

    def hook(event: str, given: tuple[Any, ...]) -> None:
        handle = heard[given[1] if event == "object.__getattr__" else event]
        if handle is not None:
            handle(event, given)

    sys.addaudithook(hook)
