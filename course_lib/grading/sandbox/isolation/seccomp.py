"""A seccomp filter: denies system calls that no lesson needs. Which ones, update_syscalls.py generates."""

import ctypes
import errno
import platform
import struct

from course_lib.grading.sandbox.isolation import linux
from course_lib.grading.sandbox.isolation.denied_syscalls import DENIED, NEWEST

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# These are decided by their arguments: number on x86_64, on aarch64.
CLONE, CLONE3, SOCKET = (56, 220), (435, 435), (41, 198)
AF_UNIX = 1
NEW_NAMESPACE = 0x7E020000  # any CLONE_NEW flag of clone; clone3 hides them in memory: refused whole
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # where they stand in struct seccomp_data
# What seal() denies besides, because it leaves something in other processes, in queues or beside a file:
# number on x86_64, on aarch64 (None where there is no such call).
LEAVES_TRACES = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "flock": (73, 32),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
    "sched_setaffinity": (203, 122),
    "ioprio_set": (251, 30),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "semctl": (66, 191),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "socket": SOCKET,
}
# And what begins processes and threads.
BEGINS = {"clone": CLONE, "clone3": CLONE3, "fork": (57, None), "vfork": (58, None)}
PRLIMIT = (302, 261)  # with a first argument other than 0: of another process
ALLOW, ERROR, KILL = 0x7FFF0000, 0x50000, 0x80000000


def install() -> None:
    """For this process and all that come of it, for good."""
    _install(_program(_machine()))


def seal(alone: bool) -> None:
    """After install(): nothing that others would notice; alone: and no other process or thread begins."""
    column = list(ARCHITECTURES).index(_machine())
    lines = [_line(LOAD, NUMBER)]
    for numbers in (LEAVES_TRACES | (BEGINS if alone else {})).values():
        if (number := numbers[column]) is not None:
            lines += _refuse_if(EQUAL, number, errno.EPERM)
    lines += [_line(EQUAL, PRLIMIT[column], 0, 3), _line(LOAD, FIRST_ARGUMENT)]
    lines += [_line(EQUAL, 0, 1, 0), _line(RETURN, ERROR | errno.EPERM)]
    _install([*lines, _line(RETURN, ALLOW)])


def _machine() -> str:
    if (machine := platform.machine()) not in ARCHITECTURES:
        raise OSError(f"the filter knows {' and '.join(ARCHITECTURES)}; this machine is {machine}")
    return machine


def _install(lines: list[bytes]) -> None:
    program = ctypes.create_string_buffer(b"".join(lines))
    # struct sock_fprog: how many instructions of 8 bytes, and where they stand.
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(program))
    header = ctypes.create_string_buffer(header)
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)  # else only root may install a filter
    linux.prctl(linux.PR_SET_SECCOMP, 2, ctypes.addressof(header))


def _program(machine: str) -> list[bytes]:
    """The filter as classic BPF: the kernel runs it at each call, from the top, until a line returns."""
    column = list(ARCHITECTURES).index(machine)
    lines = [
        # Numbers mean other calls on another architecture, as in 32-bit programs: nobody may go there.
        _line(LOAD, ARCHITECTURE),
        _line(EQUAL, ARCHITECTURES[machine], 1, 0),
        _line(RETURN, KILL),
        _line(LOAD, NUMBER),
        # "No such call", to which libc has an answer: calls that are newer than our table, and on x86_64 the
        # x32 copies of all calls, from 0x40000000 on.
        *_refuse_if(AT_LEAST, NEWEST + 1, errno.ENOSYS),
        *_refuse_if(EQUAL, CLONE3[column], errno.ENOSYS),
    ]
    for numbers in DENIED.values():
        if (number := numbers[column]) is not None:
            lines += _refuse_if(EQUAL, number, errno.EPERM)
    # socket: if it is another call skip four lines; of its families only AF_UNIX is allowed.
    lines += [_line(EQUAL, SOCKET[column], 0, 4), _line(LOAD, FIRST_ARGUMENT)]
    lines += [_line(EQUAL, AF_UNIX, 1, 0), _line(RETURN, ERROR | errno.EACCES), _line(RETURN, ALLOW)]
    # clone: if it is another call skip three lines; else its flags must ask for no new namespace.
    lines += [_line(EQUAL, CLONE[column], 0, 3), _line(LOAD, FIRST_ARGUMENT)]
    lines += _refuse_if(ANY_BIT, NEW_NAMESPACE, errno.EPERM)
    return [*lines, _line(RETURN, ALLOW)]


def _refuse_if(test: int, value: int, error: int) -> list[bytes]:
    return [_line(test, value, 0, 1), _line(RETURN, ERROR | error)]


def _line(code: int, value: int, skip_if_true: int = 0, skip_if_false: int = 0) -> bytes:
    """One instruction, struct sock_filter; a test says how many of the next ones to skip."""
    return struct.pack("=HBBI", code, skip_if_true, skip_if_false, value)
