"""Ends answers that never end. CPU time counts, and sleep, but not waiting for a core of a busy machine."""

import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic, process_time
from types import FrameType
from typing import Any, TypeVar

from course_lib.checks.clock import LOOK, Clock
from course_lib.checks.guard import NOT_YOURS

AGAIN = 0.01  # seconds after which a stop that a bare `except` has swallowed is repeated
SOON = 2e-5
PENDING = 1.0  # seconds that a stop may wait for its line

Result = TypeVar("Result")


class TimeLimitError(BaseException):
    """No Exception, so that an `except Exception` around a loop does not swallow it."""


@dataclass
class Patience:
    """Seconds for the next probe of an answer, 0 for no limit; lost: whether one has not ended yet.

    Each that does not end leaves less for the next, so that all of them together are bounded.
    """

    seconds: float = 8.0
    lost: bool = False

    def lose(self) -> None:
        """A probe has not ended."""
        self.seconds, self.lost = self.seconds / (2 if self.lost else 10), True


def limited(seconds: float, call: Callable[[], Result]) -> Result:
    """What the call gives. Raises TimeLimitError once it has used so many seconds, in an answer's own code.

    There is no limit where the system has no timers (Windows), outside the main thread, and while another
    uses the timer: there only an interrupt of the kernel ends an endless loop. Nor is there one for a single
    long step of Python's own, as `10 ** 10 ** 10`: Python looks for signals between its steps.
    """
    if not seconds or not _timer_is_free():
        return call()
    alarm = _Alarm(seconds, sys._getframe())
    try:
        alarm.set()
        return call()
    finally:
        alarm.unset()


class _Alarm:
    """A timer that rings until the answer is left, and each time raises in it, unless it has seconds left.

    A bare `except` swallows what is raised in its `try`. So from the second time on it is raised again some
    lines later, each time one line farther: after some times that line is outside of every `try`.
    """

    def __init__(self, seconds: float, outside: FrameType):
        start = process_time()
        # To 1/100 s, as the grader's clock: the alarm's own steps are no sign of life.
        self.clock = Clock(lambda: round(process_time() - start, 2))
        self.seconds, self.outside = seconds, outside
        self.stops, self.lines, self.pending_since = 0, 0, 0.0

    def set(self) -> None:
        self._handler, self._trace = signal.signal(signal.SIGALRM, self._ring), sys.gettrace()
        signal.setitimer(signal.ITIMER_REAL, LOOK, LOOK)

    def unset(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._handler)
        if self.stops > 1:
            sys.settrace(self._trace)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        # Only in the answer: what it has left is being cleaned up, and must not be left half done.
        own = self._own_frames(frame)
        if not own or self.clock.left(self.seconds) or monotonic() < self.pending_since + PENDING:
            return
        if not self.stops:
            signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
        else:
            self._stop_at_a_later_line(own)
        self.stops += 1
        raise TimeLimitError

    def _own_frames(self, frame: FrameType | None) -> list[FrameType]:
        """The answer's own calls, of those that are under way."""
        own = []
        while frame is not None and frame is not self.outside:
            own += [frame] * _is_own(frame)
            frame = frame.f_back
        return own

    def _stop_at_a_later_line(self, frames: list[FrameType]) -> None:
        self.lines, self.pending_since = self.stops - 1, monotonic()
        for frame in frames:
            frame.f_trace = self._count_line
        sys.settrace(self._count_line)  # for the calls that are still to come

    def _count_line(self, frame: FrameType, event: str, _: Any):
        if not _is_own(frame):
            return None
        if event == "line":
            self.lines -= 1
            if self.lines < 0:
                self.pending_since = 0.0
                # Raising ends the tracing. Who swallows this one, too, shall not get far.
                signal.setitimer(signal.ITIMER_REAL, SOON * (1 + self.stops % 10), AGAIN)
                raise TimeLimitError
        return self._count_line


def _is_own(frame: FrameType) -> bool:
    return not frame.f_code.co_filename.startswith(NOT_YOURS)


def _timer_is_free() -> bool:
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return False
    mine = signal.getsignal(signal.SIGALRM) is not None  # None: set by a library, and not to be put back
    return mine and signal.getitimer(signal.ITIMER_REAL)[0] == 0
