"""Cuts a process off from those that come after it: it leaves them nothing to read."""

import contextlib
import ctypes
import mmap
import os
import signal
from collections.abc import Collection, Iterator
from pathlib import Path

from course_lib.grading.sandbox.isolation import disk, landlock, processes, seccomp

FIXED = 0x10  # MAP_FIXED: in place of what is there


def end_others(layers: Collection[str]) -> None:
    """Whatever a submission has started, where its own process is the first of a namespace."""
    _signal_others(layers, signal.SIGKILL)


@contextlib.contextmanager
def others_halted(layers: Collection[str]) -> Iterator[None]:
    """Within it they stand still, so that nobody computes for this process."""
    _signal_others(layers, signal.SIGSTOP)
    try:
        yield
    finally:
        _signal_others(layers, signal.SIGCONT)


def _signal_others(layers: Collection[str], what: signal.Signals) -> None:
    if "pid" in layers and os.getpid() == 1:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, what)


def seal(layers: Collection[str], keep_fds: Collection[int], alone: bool) -> None:
    """In a copy of a confined process: no files but these, no shared memory, no writing, no signals.

    alone: and it begins no process and no thread. What a layer would stop that is not among `layers` stays
    open. How long the copy runs, all can notice.
    """
    for begin, end in _shared_memory():
        _make_private(begin, end - begin)
    processes.close_other_files(keep_fds)
    if "landlock-files" in layers:
        landlock.forbid_writing(disk.DEVICES)
    if "seccomp" in layers:
        seccomp.seal(alone)


def _shared_memory() -> Iterator[tuple[int, int]]:
    """Where it begins and ends, if it can be read; this process has no /proc in some containers."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/maps").read_text().splitlines():
            place, rights, *_ = line.split()
            if rights.startswith("r") and rights.endswith("s"):
                begin, end = place.split("-")
                yield int(begin, 16), int(end, 16)


def _make_private(begin: int, size: int) -> None:
    """The same bytes at the same place, of this process alone."""
    kept = ctypes.string_at(begin, size)
    remap = ctypes.CDLL(None, use_errno=True).mmap
    remap.restype = ctypes.c_void_p
    remap.argtypes = ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | FIXED
    if remap(begin, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0) != begin:
        raise OSError(ctypes.get_errno(), "shared memory cannot be made private")
    ctypes.memmove(begin, kept, size)
