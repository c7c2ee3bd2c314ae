"""Trials in copies of the process, each of which ends with all that the test has kept there."""

import io
import os
import signal
import sys

from course_lib.checks.exercise import Implementation
from course_lib.exercises.bug_clinic.trials import tried

HERE = "course_lib.exercises.bug_clinic.forked"
SECONDS = 20  # of the wall clock, for what takes milliseconds
FAILED, DREW, BROKEN = 1, 2, 4  # bits of a copy's exit status


def can_fork() -> bool:
    """Whether this is a grader's child: it has no such module, but was sent this function.

    A notebook's process has threads, which a copy would lack and could wait for for ever.
    """
    return HERE not in sys.modules and hasattr(os, "fork")


def tried_alone(
    test: Implementation, name: str, code: Implementation, builds: bool, seed: int
) -> tuple[bool, bool]:
    """Whether a test that remembers nothing passes on this code, and whether random numbers were drawn."""
    pid = os.fork()
    if pid == 0:
        status = BROKEN
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(SECONDS)
            no_more_processes()
            sys.stdout = sys.stderr = io.StringIO()  # what it prints is shown once, by the original
            trial = tried(test, name, code, builds, seed)
            status = FAILED * (trial.error is not None) + DREW * trial.drew
        finally:
            os._exit(status)  # nothing of the parent's is run here
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return status in (0, DREW), status in (DREW, FAILED + DREW)


def no_more_processes() -> None:
    """Their numbers go up by one each, so copies could count by them."""
    import resource  # not on Windows

    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
