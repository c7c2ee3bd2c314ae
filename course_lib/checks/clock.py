"""What a process has used: CPU time and sleep count, waiting for a core of a busy machine does not."""

import time
from collections.abc import Callable

LOOK = 0.1  # seconds: a CPU time that was read so long ago is recent enough
IDLE = 1.0  # seconds in which a process that wants to run gets some CPU time, however busy the machine is
WALL_FACTOR = 10  # by the wall clock, each limit is so many times longer


class Clock:
    """CPU seconds of some work, and seconds in which all of it slept.

    While the machine is busy with other things, a process that wants to run gets a small part of a core, but
    never nothing. So of a second in which the CPU time moved only that CPU time counts; a second in which it
    stood still was slept, and counts in full. cpu_seconds: from 0 on, of the process that works now.
    """

    def __init__(self, cpu_seconds: Callable[[], float]):
        self._cpu_seconds = cpu_seconds
        self._wall_start = time.monotonic()
        self._before = self._slept = 0.0
        self._start()

    def _start(self) -> None:
        self._cpu, self._looked, self._moved = 0.0, 0.0, time.monotonic()

    def next_child(self) -> None:
        """The work begins again in a fresh process; what earlier ones have used still counts."""
        self._before += self._cpu
        self._start()

    def wake(self) -> None:
        """Until now the process has waited for a request: that is no sleep of its own."""
        self._moved = time.monotonic()

    def used(self) -> float:
        now = time.monotonic()
        if now - self._looked >= LOOK:
            cpu, self._looked = self._cpu_seconds(), now
            if cpu > self._cpu:
                self._cpu, self._moved = cpu, now
            elif now - self._moved >= IDLE:
                # One second at most: if we had to wait for a core, the work may have waited for us.
                self._slept, self._moved = self._slept + IDLE, now
        return self._before + self._cpu + self._slept

    def left(self, seconds: float) -> float:
        """What is left of so many seconds for all of the work."""
        wall_left = WALL_FACTOR * seconds - (time.monotonic() - self._wall_start)
        return max(0.0, seconds - self.used()) if wall_left > 0 else 0.0
