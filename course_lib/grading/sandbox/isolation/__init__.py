"""Runs untrusted Python in a forked child that has given up all it does not need. Linux, no dependencies.

    pid = isolation.fork(layers)
    if pid == 0:
        isolation.confine(scratch, readable, hidden, limits, layers, keep_fds=(pipe,))
        ...                                    # the untrusted code
    if os.fork() == 0:                         # there, where its copies shall not know of each other:
        isolation.seal(layers, keep_fds=(pipe,))
    seconds = isolation.cpu_seconds(os.getpid())
    status = isolation.kill_all(pid)           # at any time

Sandboxes that one can install start a program; this one forks a process that has already imported what
the code needs. Nothing here knows of notebooks, grading or the course, and a test keeps it so: the folder
could be a package of its own.

A layer is one means of the kernel. `probe()` attacks each on this machine and says which of them hold.

- Required, because no other layer does the same: "session", "pid" (no process is left over), "mount" (files,
  and a disk of limited size), "net", "rlimits" (memory, CPU time, file size) and "processes". For a caller
  that is root also "uid" or "user", since the kernel does not count root's processes, and "capabilities" or
  "seccomp", since root could undo "mount".
- Belt and braces, so that one hole is not enough: "landlock-files" (beside "mount"), "landlock-tcp" (beside
  "net"), "landlock-scope" (beside "pid"), "seccomp" (beside "net", and against holes in the kernel), "ipc".

Where a required layer is missing, code still runs but can do harm: the caller decides. What each promise of
the grader rests on stands in docs/grading_security.md."""

from course_lib.grading.sandbox.isolation.confine import LAYERS, confine, prepare
from course_lib.grading.sandbox.isolation.limits import Limits
from course_lib.grading.sandbox.isolation.probe import probe
from course_lib.grading.sandbox.isolation.processes import cpu_seconds, fork, kill_all, own_cpu_seconds
from course_lib.grading.sandbox.isolation.seal import end_others, others_halted, seal

__all__ = [
    "LAYERS",
    "Limits",
    "confine",
    "cpu_seconds",
    "end_others",
    "fork",
    "kill_all",
    "others_halted",
    "own_cpu_seconds",
    "prepare",
    "probe",
    "seal",
]
