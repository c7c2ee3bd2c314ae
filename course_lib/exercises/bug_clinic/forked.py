"""A trial in a copy of the process, which ends with all that the test has kept there."""

import io
import os
import signal
import sys
import threading

from course_lib.checks.exercise import Implementation
from course_lib.exercises.bug_clinic.trials import tried

HERE = "course_lib.exercises.bug_clinic.forked"
SECONDS = 20  # of the wall clock, for what takes milliseconds


def can_fork() -> bool:
    """Whether this is a grader's child: it has no such module, but was sent this function. It has one thread.

    In a process with more, as a notebook's, a copy could wait forever for a thread that it lacks.
    """
    return HERE not in sys.modules and threading.active_count() == 1


def passes_alone(test: Implementation, name: str, code: Implementation, builds: bool, seed: int) -> bool:
    """Whether a test that remembers nothing passes on this code."""
    pid = os.fork()
    if pid == 0:
        status = 2
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(SECONDS)
            sys.stdout = sys.stderr = io.StringIO()  # what it prints is shown once, by the original
            status = int(tried(test, name, code, builds, seed).error is not None)
        finally:
            os._exit(status)  # nothing of the parent's is run here
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
