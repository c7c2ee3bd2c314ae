"""A time limit for answers that never end."""

import contextlib
import signal
import threading
from collections.abc import Iterator

REPEAT_AFTER = 1.0  # seconds after which a stop that a bare `except` has swallowed is repeated


class TimeLimitError(BaseException):
    """No Exception, so that an `except Exception` around a loop does not swallow it."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TimeLimitError in the block once so many seconds have passed.

    There is no limit outside the main thread, where the system has no timers, and while another uses them.
    """
    if not seconds or not _timer_is_free():
        yield
        return
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, REPEAT_AFTER)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _stop(number, frame) -> None:
    raise TimeLimitError


def _timer_is_free() -> bool:
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return False
    mine = signal.getsignal(signal.SIGALRM) is not None  # None: set by a library, and not to be put back
    return mine and signal.getitimer(signal.ITIMER_REAL)[0] == 0
