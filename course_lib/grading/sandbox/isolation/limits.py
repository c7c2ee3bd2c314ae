"""What one submission may use, and the rlimits that hold each of its processes to that."""

import os
from dataclasses import dataclass
from pathlib import Path

MiB = 2**20


@dataclass(frozen=True)
class Limits:
    cell_seconds: float = 120  # of CPU time, or asleep: see checks/clock.py
    probe_seconds: float = 8  # for an answer in one probe, fewer after one that has not ended
    grace_seconds: float = 5  # for an interrupted cell to end
    seconds: float = 600  # for all cells together
    memory: int = 4096 * MiB  # beyond what the forked process has mapped at its start
    processes: int = 64
    file_bytes: int = 64 * MiB
    scratch_bytes: int = 256 * MiB  # scratch, /tmp and /dev/shm together
    output_bytes: int = 50 * MiB


def _lower(which: int, value: int) -> None:
    """Both limits, so that the process cannot raise it again; a lower one stays."""
    import resource  # not on Windows

    hard = resource.getrlimit(which)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(which, (value, value))


def mapped_bytes() -> int:
    """The address space, which RLIMIT_AS counts: with torch far more than is used."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGESIZE")


def set_rlimits(limits: Limits, mapped: int) -> None:
    import resource

    _lower(resource.RLIMIT_AS, mapped + limits.memory)
    _lower(resource.RLIMIT_FSIZE, limits.file_bytes)
    _lower(
        resource.RLIMIT_CPU, int(limits.seconds) + 1
    )  # of each process; who measures all of them together is stricter
    _lower(resource.RLIMIT_NOFILE, 1024)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_MSGQUEUE, 0)


def become_first_oom_victim() -> None:
    """Where the machine's memory runs out the kernel ends this process or its children, not the grader."""
    Path("/proc/self/oom_score_adj").write_text("1000")


def set_process_limit(limits: Limits, already: int) -> None:
    """`already`: processes that the kernel counts for our uid outside the sandbox."""
    import resource

    _lower(resource.RLIMIT_NPROC, limits.processes + already)


def threads_of(uid: int) -> int:
    """Threads of a user, which is what RLIMIT_NPROC counts."""
    count = 0
    for process in os.scandir("/proc"):
        if process.name.isdecimal():
            try:
                if process.stat().st_uid == uid:
                    # A folder has a link for each folder in it, here one for each thread, and two of its own.
                    count += os.stat(f"/proc/{process.name}/task").st_nlink - 2
            except OSError:
                continue  # it ended
    return count
