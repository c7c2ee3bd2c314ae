"""Landlock, by its three system calls: gives up files, TCP, and signals and sockets to the outside."""

import contextlib
import ctypes
import functools
import os
import stat
import struct
from collections.abc import Collection, Iterable, Set
from pathlib import Path

from course_lib.grading.sandbox.isolation import linux

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
READ = EXECUTE | READ_FILE | READ_DIR
DEVICE_NODES = 1 << 6 | 1 << 11  # to make them
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | 1 << 14  # what a rule for a single file may hold
RIGHTS_BY_VERSION = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1}
TCP_BIND_AND_CONNECT = 3
ABSTRACT_SOCKETS_AND_SIGNALS = 3
# The part of Landlock, the version of its interface that brought it, and the Linux with that version.
PARTS = {"landlock-files": (1, "5.13"), "landlock-tcp": (4, "6.7"), "landlock-scope": (6, "6.12")}


def version() -> int:
    """Of the kernel's interface; OSError where there is none."""
    return linux.syscall("landlock_create_ruleset", None, 0, 1)


def require(part: str) -> None:
    needed, kernel = PARTS[part]
    try:
        version_here = version()
    except OSError as error:
        raise OSError(f"the kernel has no Landlock, or it is switched off ({error.strerror})") from None
    if version_here < needed:
        raise OSError(
            f"Landlock here is version {version_here}; this needs version {needed} (Linux {kernel})"
        )


def restrict(parts: Collection[str], read: Iterable[Path], write: Iterable[Path], devices: Iterable[Path]):
    """Files: only `read`, `write` and `devices`, with what is below them. One ruleset for all parts."""
    for part in parts:
        require(part)
    # A ruleset lists the rights that it handles. Such a right is denied but where a rule grants it; for TCP
    # and scope we make no rules, so all is denied. A kernel rejects rights that it does not know.
    rights = RIGHTS_BY_VERSION[min(version(), 3)] if "landlock-files" in parts else 0
    tcp = TCP_BIND_AND_CONNECT if "landlock-tcp" in parts else 0
    scope = ABSTRACT_SOCKETS_AND_SIGNALS if "landlock-scope" in parts else 0
    size = 8 * max(1, 2 * bool(tcp), 3 * bool(scope))  # older kernels know a shorter struct
    attributes = struct.pack("=QQQ", rights, tcp, scope)[:size]
    ruleset = linux.syscall("landlock_create_ruleset", attributes, size, 0)
    if rights:
        granted = ((read, READ), (write, rights & ~DEVICE_NODES), (devices, READ_FILE | WRITE_FILE))
        for paths, rights_there in granted:
            for path in paths:
                _allow(ruleset, path, rights_there & rights)
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    linux.syscall("landlock_restrict_self", ruleset, 0)
    os.close(ruleset)


def forbid_writing(devices: Iterable[Path]) -> None:
    """No file is written, made, renamed or removed any more, but for these devices."""
    rights = RIGHTS_BY_VERSION[min(version(), 3)] & ~READ
    ruleset = linux.syscall("landlock_create_ruleset", struct.pack("=Q", rights), 8, 0)
    for path in devices:
        _allow(ruleset, path, WRITE_FILE)
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    linux.syscall("landlock_restrict_self", ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    """A rule for a path and what is below it."""
    with contextlib.suppress(FileNotFoundError, PermissionError):
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rights &= -1 if stat.S_ISDIR(os.fstat(descriptor).st_mode) else FILE_RIGHTS
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, descriptor))
        linux.syscall("landlock_add_rule", ruleset, 1, rule, 0)
        os.close(descriptor)


@functools.cache
def without(path: Path, hidden: tuple[Path, ...]) -> list[Path]:
    """What of `path` remains beside `hidden`: rules only add, so a folder with a hidden part is split.

    It is looked up once.
    """
    return _pieces(path, {*hidden}, {folder for secret in hidden for folder in secret.parents})


def _pieces(path: Path, hidden: Set[Path], split: Set[Path]) -> list[Path]:
    if path in hidden:
        return []
    if path not in split:
        return [path]
    try:
        return [piece for entry in path.iterdir() for piece in _pieces(entry, hidden, split)]
    except PermissionError:
        return []
