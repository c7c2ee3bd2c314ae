"""Time limits of a submission: CPU time decides, the wall clock only far behind (see checks/clock.py)."""

import time
from collections.abc import Callable

from course_lib.checks.clock import LOOK, WALL_FACTOR, Clock

Timeout = Callable[[], float]  # called before each wait for a message: seconds that this wait may last


class DeadlineError(Exception):
    """The time for a message is over."""


def until(deadline: float) -> Timeout:
    """A plain limit, by time.monotonic()."""

    def left() -> float:
        if (seconds := deadline - time.monotonic()) <= 0:
            raise DeadlineError
        return seconds

    return left


class Allowance:
    """The timeout for one step of a child: when its seconds are used up the child is interrupted, once.

    grace: seconds that it then has to end the step.
    """

    def __init__(self, clock: Clock, seconds: float, grace: float, interrupt: Callable[[], None]):
        self._clock, self._grace, self._interrupt, self._interrupted = clock, grace, interrupt, False
        clock.wake()
        self._allow(seconds)

    def _allow(self, seconds: float) -> None:
        self._limit = self._clock.used() + seconds
        self._wall_limit = time.monotonic() + WALL_FACTOR * seconds

    def __call__(self) -> float:
        """Raises DeadlineError where the grace is over too."""
        if self._clock.used() >= self._limit or time.monotonic() >= self._wall_limit:
            if self._interrupted:
                raise DeadlineError
            self._interrupted = True
            self._interrupt()
            self._allow(self._grace)
        return LOOK
