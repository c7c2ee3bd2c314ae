"""Limits torch's threads to the cores that it may use: it starts one for each core that it sees.

A container or a JupyterHub may show 64 cores and grant one. Then 64 threads wait for each other, and a step
of training takes twelve times as long as with one thread.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import torch

GROUPS = Path("/sys/fs/cgroup")
OURS = Path("/proc/self/cgroup")  # of each hierarchy of control groups a line, number:controllers:path


def limit_threads() -> None:
    """Let torch have no more threads than Linux' control groups (Docker, Kubernetes, systemd) grant cores."""
    threads = torch.get_num_threads()
    granted = int(min(granted_cores(), default=threads))
    if granted < threads:
        torch.set_num_threads(max(1, granted))


@contextmanager
def one_thread() -> Iterator[None]:
    """Within it torch has one thread: a check's tensors are small, and threads would wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def granted_cores() -> Iterator[float]:
    """How many cores our group, and each one that it is in, may keep busy, where there is a limit."""
    with suppress(OSError):
        for line in OURS.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers == "":  # version 2
                yield from _quotas(GROUPS, path, "cpu.max")
            elif "cpu" in controllers.split(","):
                yield from _quotas(GROUPS / "cpu", path, "cpu.cfs_quota_us", "cpu.cfs_period_us")


def _quotas(root: Path, path: str, *files: str) -> Iterator[float]:
    """In a container `root` is our own group already, and `path`, if it tells of the host, leads nowhere."""
    group = root / path.lstrip("/")
    for folder in (group, *group.parents):
        with suppress(OSError, ValueError):  # no such folder, or "max"
            quota, period = " ".join((folder / file).read_text() for file in files).split()
            if int(quota) > 0:  # -1: no limit
                yield int(quota) / int(period)
        if folder == root:
            break
