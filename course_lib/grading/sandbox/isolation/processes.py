"""A submission's processes: forked into namespaces of their own, and ended so that none is left."""

import contextlib
import os
import select
import signal
from collections.abc import Collection
from pathlib import Path

from course_lib.grading.sandbox.isolation import linux

# By pid, what fork() made and kill_all() has not yet ended: the children that we had before; None where a pid
# namespace makes it needless to know them.
_alive: dict[int, set[int] | None] = {}
_parent: int | None = None  # in the child: a pidfd of its parent
_in_user_namespace = False  # in the child: one of its own


def fork(layers: Collection[str]) -> int:
    """os.fork() for a child that will call `confine` with these layers.

    With the layer "pid" the child is process 1 of a namespace: when it ends, the kernel kills all that came
    of it. Signals without a handler that process 1 sends itself do nothing; SIGKILL from outside works."""
    global _parent
    flags, before = 0, None
    if "pid" in layers:
        flags = linux.NEWPID if linux.is_admin() else linux.NEWPID | linux.NEWUSER
    else:
        linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)  # orphans come to us, and kill_all finds them
        before = _children(os.getpid())
    # The child needs its parent's pidfd to ask whether that still lives: in a pid namespace getppid() is 0.
    # User and group are those of now: in a new user namespace nobody has an id until the maps are written.
    descriptor, user, group = os.pidfd_open(os.getpid()), os.getuid(), os.getgid()
    pid = linux.clone(flags) if flags else os.fork()
    if pid:
        os.close(descriptor)
        _alive[pid] = before
        return pid
    _parent = descriptor
    _alive.clear()
    if flags & linux.NEWUSER:
        map_ids(user, group)
    return 0


def map_ids(user: int, group: int, proc: int | None = None) -> None:
    """In a new user namespace we keep our ids, and there is nobody else. `proc`: a descriptor of /proc."""
    global _in_user_namespace
    _in_user_namespace = True
    for name, text in (
        ("setgroups", "deny"),  # else an ordinary user may not write gid_map
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        path = f"/proc/self/{name}" if proc is None else f"self/{name}"
        descriptor = os.open(path, os.O_WRONLY, dir_fd=proc)
        os.write(descriptor, text.encode())
        os.close(descriptor)


def enter_user_namespace(proc: int | None = None) -> None:
    user, group = os.getuid(), os.getgid()
    linux.call("unshare", linux.NEWUSER)
    map_ids(user, group, proc)


def in_user_namespace() -> bool:
    return _in_user_namespace


def die_with_parent() -> None:
    """Again after each change of user: it makes the kernel forget."""
    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    if _parent is None:
        raise RuntimeError("confine() was called outside a child of isolation.fork()")
    if select.select([_parent], [], [], 0)[0]:
        os._exit(1)  # it was dead before we asked


def close_other_files(keep: Collection[int]) -> None:
    bounds = sorted({*keep} | ({_parent} if _parent is not None else set()))
    # The gaps between those that stay open.
    for low, high in zip([-1, *bounds], [*bounds, os.sysconf("SC_OPEN_MAX")], strict=True):
        if low + 1 < high:
            os.closerange(low + 1, high)


def kill_all(pid: int) -> int:
    """Ends a child of fork() and everything that came of it; gives its wait status. Then none is left."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]  # process 1 of a namespace is gone only after all others are
    before = _alive.pop(pid)
    # Without a pid namespace, orphans have become our children. The end of one may bring us its children too:
    # we look until there are none.
    while before is not None and (orphans := _children(os.getpid()) - before - _alive.keys()):
        for orphan in orphans:
            _kill_tree(orphan)
        for orphan in orphans:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(orphan, 0)
    return status


def _kill_tree(pid: int) -> None:
    """The stopped parent can have no further children while we look for them."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        for child in _children(pid):
            _kill_tree(child)
        os.kill(pid, signal.SIGKILL)


def _children(pid: int) -> set[int]:
    """Each thread has children of its own."""
    children: set[int] = set()
    with contextlib.suppress(OSError):
        for task in os.scandir(f"/proc/{pid}/task"):
            children |= set(map(int, Path(task.path, "children").read_text().split()))
    return children


def cpu_seconds(parent: int) -> float:
    """CPU time of all living processes that came of this one, without its own, and of those they waited for.

    A process is read before its children are listed: one that ends meanwhile may be missed until the next
    call, by when its parent's record holds its time, but none is counted twice."""
    ticks, waiting = 0, _children(parent)
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):  # it has ended
            ticks += sum(_ticks(pid))
        waiting |= _children(pid)
    return ticks / os.sysconf("SC_CLK_TCK")


def own_cpu_seconds(pid: int) -> float:
    """CPU time of this process alone; 0 where it has ended, or the system does not tell."""
    try:
        return sum(_ticks(pid)[:2]) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0


def _ticks(pid: int) -> list[int]:
    """CPU time as user, as system, and both of the children that it has waited for. Raises OSError."""
    # A process chooses its own name, which stands in parentheses and may hold some.
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return list(map(int, fields[11:15]))
