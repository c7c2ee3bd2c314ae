"""Drops privileges: applies the layers of isolation in the forked child, before untrusted code runs."""

import os
import secrets
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path

from course_lib.grading.sandbox.isolation import disk, landlock, linux, processes, seccomp
from course_lib.grading.sandbox.isolation.limits import (
    Limits,
    become_first_oom_victim,
    mapped_bytes,
    set_process_limit,
    set_rlimits,
    threads_of,
)

LAYERS = {
    "session": "own session; dies with its parent; no inherited files or environment",
    "user": "user namespace: no rights in the machine's own",
    "pid": "pid namespace: sees, signals and outlives no process of the machine",
    "mount": "mount namespace: a disk of its own, read-only but for a small scratch",
    "net": "network namespace without a network",
    "ipc": "ipc and uts namespaces: no shared memory or queues of others",
    "uid": "a user id that owns nothing",
    "rlimits": "memory, file size, CPU time, open files; the first to end where memory runs out",
    "processes": "how many processes it may have",
    "capabilities": "no capabilities, no setuid programs",
    "landlock-files": "Landlock: files",
    "landlock-tcp": "Landlock: TCP",
    "landlock-scope": "Landlock: signals and abstract sockets to the outside",
    "seccomp": "a filter of system calls",
}
KEPT_ENVIRONMENT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "MPLBACKEND",
    "NBGRADER_EXECUTION",
    "PIP_RETRIES",
)
HOMES = ("HOME", "TMPDIR", "MPLCONFIGDIR", "IPYTHONDIR", "XDG_CACHE_HOME")
NOBODY = 65534


def confine(
    scratch: Path,
    readable: Sequence[Path],
    hidden: Sequence[Path],
    limits: Limits,
    layers: Collection[str],
    keep_fds: Collection[int] = (0, 1, 2),
) -> None:
    """In a child of `fork(layers)`, with one thread. Raises OSError where a layer cannot be had: then end it.

    With the layer "mount" scratch is empty at first, and what is written there ends with the process.
    Of `readable` and `hidden` paths that contain each other the inner one decides. Secrets in the parent's
    environment and memory stay in the child's memory: the parent must have none."""
    unknown = set(layers) - LAYERS.keys()
    if unknown:
        raise ValueError(f"unknown layers {sorted(unknown)}; there are {', '.join(LAYERS)}")
    if "pid" in layers and os.getpid() != 1:
        raise ValueError("the layer 'pid' comes with the fork: fork(layers) with the same layers")
    _Confinement(disk.Disk.of(scratch, readable, hidden), limits, frozenset(layers), keep_fds).enter()


def prepare(readable: Sequence[Path], hidden: Sequence[Path]) -> None:
    """Looks up once, before many children are forked, what confine() has to know of these paths."""
    place = disk.Disk.of(Path("/"), readable, hidden)
    for path in place.readable:
        landlock.without(path, place.hidden)


class _Confinement:
    """The steps of confine(), in an order that matters: each takes away rights that earlier ones need."""

    def __init__(self, place: disk.Disk, limits: Limits, layers: frozenset[str], keep_fds: Collection[int]):
        self.place, self.limits, self.layers, self.keep_fds = place, limits, layers, keep_fds
        self.uid = _free_id() if "uid" in layers else os.getuid()

    def enter(self):
        if "session" in self.layers:
            self._session()
        # What has to be read in /proc or opened there, while the machine's own /proc is in reach.
        if "rlimits" in self.layers:
            become_first_oom_victim()
        fresh = "user" in self.layers or self.uid > NOBODY  # the kernel starts to count our processes at one
        already = 0 if fresh else threads_of(self.uid)
        mapped = mapped_bytes()
        proc = os.open("/proc", os.O_PATH | os.O_CLOEXEC)  # the new disk may have none
        # From other namespaces to another user, and from there into a user namespace: in one that has no
        # other user id the change of user would be refused.
        self._namespaces()
        if "uid" in self.layers:
            self._change_user()
        if "user" in self.layers and not processes.in_user_namespace():
            processes.enter_user_namespace(proc)
        # Limits count from here on; without capabilities nobody raises them again.
        if "processes" in self.layers:
            set_process_limit(self.limits, already)
        if "rlimits" in self.layers:
            set_rlimits(self.limits, mapped)
        if "capabilities" in self.layers:
            linux.drop_capabilities()
        os.close(proc)
        self._landlock()
        # Changes of user have undone the death with the parent. The filter comes last: it denies what all of
        # this was made with.
        if "session" in self.layers:
            os.umask(0o077)
            processes.die_with_parent()
        if "seccomp" in self.layers:
            seccomp.install()

    def _session(self):
        os.setsid()
        processes.die_with_parent()
        processes.close_other_files(self.keep_fds)
        home = str(self.place.scratch)
        kept = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
        os.environ.clear()
        os.environ.update(kept, **dict.fromkeys(HOMES, home), USER="learner", LOGNAME="learner")
        tempfile.tempdir = None  # Python remembers the folder of the parent's environment
        os.chdir(home)

    def _namespaces(self):
        by_layer = {"mount": linux.NEWNS, "net": linux.NEWNET, "ipc": linux.NEWIPC | linux.NEWUTS}
        flags = sum(flag for layer, flag in by_layer.items() if layer in self.layers)
        if flags and not linux.is_admin():
            processes.enter_user_namespace()  # whoever makes one is its admin, and may make the others
        if flags:
            linux.call("unshare", flags)
        if "mount" in self.layers:
            disk.enter(self.place, self.limits.scratch_bytes, self.uid, proc="pid" in self.layers)
        elif "uid" in self.layers:
            os.chown(self.place.scratch, self.uid, self.uid)

    def _change_user(self):
        os.setgroups([])  # groups first: another user may not change them
        os.setresgid(self.uid, self.uid, self.uid)
        os.setresuid(self.uid, self.uid, self.uid)
        linux.prctl(linux.PR_SET_DUMPABLE, 1)  # else /proc/self is root's
        if path := disk.unreadable((*self.place.readable, self.place.scratch)):
            raise OSError(f"user {self.uid} cannot read {path}")

    def _landlock(self):
        parts = self.layers & landlock.PARTS.keys()
        if not parts:
            return
        place = self.place
        # Landlock has no rule that forbids, so hidden paths are left out of the folders that it allows.
        read = [piece for path in place.readable for piece in landlock.without(path, place.hidden)]
        read += [Path("/proc")] if {"pid", "mount"} <= self.layers else disk.PROC_FILES
        write = [place.scratch, *(disk.OWN_TMPFS if "mount" in self.layers else [Path("/dev/shm")])]
        landlock.restrict(parts, read, write, disk.DEVICES)


def _free_id() -> int:
    """A user and group id that nobody has: another one for each submission."""
    if os.geteuid() != 0:
        raise OSError("only root can change its user id")
    # Each line: first id inside our user namespace, first id outside, how many. A container may have few.
    ranges = [tuple(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    for candidate in (0x60000000 + secrets.randbelow(2**28), NOBODY):
        if any(first <= candidate < first + count for first, _, count in ranges):
            return candidate
    raise OSError("the user namespace around us has no other user id")
