"""Time limits that hold on a busy machine too: CPU time decides, the wall clock only far behind."""

import time
from collections.abc import Callable

LOOK = 0.1  # seconds: a CPU time that was read so long ago is recent enough
IDLE = 1.0  # seconds in which a process that wants to run gets some CPU time, however busy the machine is
WALL_FACTOR = 10  # by the wall clock, each limit is so many times longer

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


class Clock:
    """What a submission has used: CPU seconds of its processes, and seconds in which all of them slept.

    While the machine is busy with other things, a process that wants to run gets a small part of a core, but
    never nothing. So of a second in which the CPU time moved only that CPU time counts; a second in which it
    stood still was slept, and counts in full. cpu_seconds: of the child that runs now.
    """

    def __init__(self, cpu_seconds: Callable[[], float]):
        self._cpu_seconds = cpu_seconds
        self._wall_start = time.monotonic()
        self._before = self._slept = 0.0
        self._start()

    def _start(self) -> None:
        self._cpu, self._looked, self._moved = 0.0, 0.0, time.monotonic()

    def next_child(self) -> None:
        """The submission begins again in a fresh child; what earlier ones have used still counts."""
        self._before += self._cpu
        self._start()

    def wake(self) -> None:
        """Until now the child has waited for a request: that is no sleep of its own."""
        self._moved = time.monotonic()

    def used(self) -> float:
        now = time.monotonic()
        if now - self._looked >= LOOK:
            cpu, self._looked = self._cpu_seconds(), now
            if cpu > self._cpu:
                self._cpu, self._moved = cpu, now
            elif now - self._moved >= IDLE:
                # One second at most: if we had to wait for a core, the child may have waited for us.
                self._slept, self._moved = self._slept + IDLE, now
        return self._before + self._cpu + self._slept

    def left(self, seconds: float) -> float:
        """What is left of so many seconds for the whole submission."""
        wall_left = WALL_FACTOR * seconds - (time.monotonic() - self._wall_start)
        return max(0.0, seconds - self.used()) if wall_left > 0 else 0.0


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
