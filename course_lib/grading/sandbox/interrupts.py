"""When the judge may interrupt the learner's process: while it works, but not halfway through a message.

An interrupt can come just when the work has ended by itself. Then it would tear a message apart, or stand for
the reply to the request after it, and the answer to that one would lose its points.
"""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType


class Interrupts:
    """SIGINT raises KeyboardInterrupt within working(), at the latest where a message() in it ends."""

    def __init__(self):
        self._working = self._held = self._came = False

    def handle(self) -> None:
        signal.signal(signal.SIGINT, self._ring)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self._held:
            self._came = True
        elif self._working:
            self._working = False  # it may come while this is about to be said anyway
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        self._working, self._came = True, False
        try:
            yield
        finally:
            self._working = False

    @contextlib.contextmanager
    def message(self) -> Iterator[None]:
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._came:
            self._came = False
            raise KeyboardInterrupt
