"""Isolation of one submission: fork(layers), confine(...) in the child, kill_all(pid) by its parent.

    pid = isolation.fork(layers)
    if pid == 0:
        isolation.confine(scratch, readable, hidden, limits, layers, keep_fds=(pipe,))
        ...                                    # the learner's code
    status = isolation.kill_all(pid)           # at any time

A layer is one independent means; `probe()` says which of them this machine really gives."""

from course_lib.grading.sandbox.isolation.confine import LAYERS, confine
from course_lib.grading.sandbox.isolation.limits import Limits
from course_lib.grading.sandbox.isolation.probe import probe
from course_lib.grading.sandbox.isolation.processes import cpu_seconds, fork, kill_all

__all__ = ["LAYERS", "Limits", "confine", "cpu_seconds", "fork", "kill_all", "probe"]
