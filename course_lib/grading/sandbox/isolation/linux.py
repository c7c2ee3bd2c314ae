"""Linux system calls that Python 3.11 lacks, by ctypes. A failure raises OSError."""

import contextlib
import ctypes
import os
import platform
import signal
from functools import cache
from pathlib import Path

NEWNS, NEWUTS, NEWIPC = 0x20000, 0x4000000, 0x8000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 4096, 16384, 1 << 18
MS_NOEXEC, MS_NOATIME = 8, 1024
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER, PR_GET_TID_ADDRESS = 1, 4, 36, 40
PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 22, 24, 38, 47
CHILD_SETTID_AND_CLEARTID = 0x1000000 | 0x200000
CAP_SYS_ADMIN = 21
CAPABILITY_HEADER = (0x20080522).to_bytes(4, "little") + bytes(4)  # version 3, this process
# Numbers from 424 on are the same on every machine.
NUMBERS = {"x86_64": {"clone": 56, "pivot_root": 155}, "aarch64": {"clone": 220, "pivot_root": 41}}
NUMBERS_EVERYWHERE = {
    "mount_setattr": 442,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
}


@cache
def _libc():
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        raise _error(what)
    return result


def _error(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")


def _argument(value):
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, (str, Path)):
        return os.fsencode(value)
    return ctypes.c_long(value) if isinstance(value, int) else value


def call(name: str, *arguments) -> int:
    """A function of libc: unshare, mount, umount2, prctl, capset."""
    ctypes.set_errno(0)
    return _checked(getattr(_libc(), name)(*map(_argument, arguments)), name)


def syscall(name: str, *arguments) -> int:
    number = NUMBERS_EVERYWHERE.get(name) or NUMBERS.get(platform.machine(), {}).get(name)
    if number is None:
        raise OSError(f"{name}: its number on {platform.machine()} is not known")
    ctypes.set_errno(0)
    return _checked(_libc().syscall(ctypes.c_long(number), *map(_argument, arguments)), name)


def prctl(option: int, value: int = 0, third: int = 0) -> int:
    return call("prctl", option, value, third, 0, 0)


def mount(source, target, kind=None, flags: int = 0, data: str | None = None) -> None:
    try:
        call("mount", source, target, kind, flags, data)
    except OSError:
        raise _error(f"mount {source} at {target}") from None


def set_readonly(path, readonly: bool, recursive: bool = False) -> None:
    """mount_setattr (Linux 5.12): one call for a whole tree of mounts."""
    attributes = (ctypes.c_uint64 * 4)()
    attributes[0 if readonly else 1] = 0x1  # MOUNT_ATTR_RDONLY, to set or to clear
    flags = 0x8000 if recursive else 0
    syscall("mount_setattr", -100, path, flags, ctypes.byref(attributes), ctypes.sizeof(attributes))


def clone(flags: int) -> int:
    """os.fork() into new namespaces. For a process of one thread: libc's handlers for fork do not run."""
    # Not unshare() and then fork(): after the former all our children would be in the new pid namespace, and
    # when the first of them has ended there can be no others.
    # libc keeps the thread's id in memory, for its locks and for raise(). Its own fork has the kernel write
    # the child's id there; we ask the kernel where that is, and do the same.
    address = ctypes.c_long(0)
    with contextlib.suppress(OSError):  # a kernel without checkpoint support does not tell the address
        prctl(PR_GET_TID_ADDRESS, ctypes.addressof(address))
        flags |= CHILD_SETTID_AND_CLEARTID
    # No new stack: the child goes on with a copy of ours, as after fork. The order of the last two arguments,
    # the address and thread-local storage (0: as it is), differs between machines.
    last = (address.value, 0) if platform.machine() == "x86_64" else (0, address.value)
    arguments = (NUMBERS[platform.machine()]["clone"], flags | signal.SIGCHLD, 0, 0, *last)
    libc = ctypes.PyDLL(None, use_errno=True)  # unlike CDLL it keeps the interpreter's lock, as os.fork does
    ctypes.pythonapi.PyOS_BeforeFork()  # takes the locks of imports and of the interpreter ...
    pid = libc.syscall(*map(ctypes.c_long, arguments))
    if pid == 0:
        # ... and gives them back, in the child after making them anew: it has only this thread.
        ctypes.pythonapi.PyOS_AfterFork_Child()
        return 0
    ctypes.pythonapi.PyOS_AfterFork_Parent()
    if pid < 0:
        raise _error("clone into new namespaces")
    return pid


def effective_capabilities() -> int:
    # Twice (effective, permitted, inheritable): for capabilities 0 to 31, and for those from 32 on.
    data = (ctypes.c_uint32 * 6)()
    call("capget", CAPABILITY_HEADER, ctypes.byref(data))
    return data[0] | data[3] << 32


def is_admin() -> bool:
    """May make namespaces and mounts without a user namespace."""
    return bool(effective_capabilities() >> CAP_SYS_ADMIN & 1)


def drop_capabilities() -> None:
    """All of them, for good: not by a setuid program either."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    if effective_capabilities():
        for capability in range(64):
            try:
                prctl(PR_CAPBSET_DROP, capability)
            except OSError:
                break  # the last one that this kernel knows, or not ours to drop: then none is ours
    prctl(PR_CAP_AMBIENT, 4)  # clear all
    call("capset", CAPABILITY_HEADER, ctypes.byref((ctypes.c_uint32 * 6)()))
