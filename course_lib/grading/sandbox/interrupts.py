"""When the judge may interrupt the learner's process: while it works, but not halfway through a message.

An interrupt can come just when the work has ended by itself. Then it would tear a message apart, or stand for
the reply to the request after it, and the answer to that one would lose its points.
"""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

# As they are now: a cell may put something else in their place.
ALL, TIMERS = signal.valid_signals(), (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
handle, handler_of, set_timer = signal.signal, signal.getsignal, signal.setitimer


class Interrupts:
    """SIGINT raises KeyboardInterrupt within working(), at the latest where a message() in it ends."""

    def __init__(self):
        self._working = self._held = self._came = False

    def handle(self) -> None:
        handle(signal.SIGINT, self._ring)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self._held:
            self._came = True
        elif self._working:
            self._working = False  # it may come while this is about to be said anyway
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Within it no handler and no timer of the learner's interrupts anything; then they are back."""
        handlers = {number: handler for number in ALL if callable(handler := handler_of(number))}
        timers = {timer: set_timer(timer, 0) for timer in TIMERS}
        for number in handlers:
            # Who ignores that a child has ended has none to wait for; by default it interrupts nothing.
            handle(number, signal.SIG_DFL if number == signal.SIGCHLD else signal.SIG_IGN)
        self.handle()
        try:
            yield
        finally:
            for number, handler in handlers.items():
                handle(number, handler)
            for timer, left in timers.items():
                if left[0]:
                    set_timer(timer, *left)

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
