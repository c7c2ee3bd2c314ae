"""Which layers this machine can give: each is tried in a forked child that attacks what it should protect."""

import ctypes
import os
import select
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from course_lib.grading.sandbox.isolation import linux, processes
from course_lib.grading.sandbox.isolation.confine import LAYERS, confine
from course_lib.grading.sandbox.isolation.limits import Limits, MiB

# Layers that another one needs, or is tried with where they can be had: only so does it do what it is for.
WITH = {"uid": ("mount", "pid", "user"), "processes": ("uid", "user", "pid", "mount")}
LIMITS = Limits(processes=12, memory=256 * MiB, file_bytes=MiB, scratch_bytes=4 * MiB)
PR_GET_NO_NEW_PRIVS = 39
SECONDS = 20  # a child that reports nothing for so long is ended
IPC_PRIVATE, IPC_CREAT, IPC_RMID = 0, 0o1000, 0


def probe() -> dict[str, str]:
    """Each layer by name: "active", or why not. OSError where all that are active cannot be had together."""
    if sys.platform != "linux":
        return dict.fromkeys(LAYERS, f"only Linux has it, and this is {sys.platform}")
    states: dict[str, str] = {}
    for layer in LAYERS:
        others = {other for other in WITH.get(layer, ()) if states[other] == "active"}
        states[layer] = _try({layer, *others}, getattr(_Attack, layer.replace("-", "_")))
    active = {layer for layer in LAYERS if states[layer] == "active"}
    together = _try(active, _Attack.nothing)
    if together != "active":
        raise OSError(f"each can be had, but not together: {', '.join(sorted(active))}: {together}")
    return states


def _try(layers: Collection[str], attack: Callable) -> str:
    with tempfile.TemporaryDirectory() as folder, _Attack(Path(folder)) as world:
        return (
            in_child(lambda: attack(world), world.confine, layers) or "active"
        )  # nothing to report: stopped


def in_child(action: Callable[[], str | None], enter: Callable, layers: Collection[str]) -> str:
    """What `action` returns after `enter(layers, keep_fds)` in a child, or how that ended."""
    reading, writing = os.pipe()
    try:
        pid = processes.fork(layers)
    except OSError as error:
        os.close(reading)
        os.close(writing)
        return str(error)
    if pid == 0:
        _report(action, enter, layers, writing)
    os.close(writing)
    ready = select.select([reading], [], [], SECONDS)[0]
    report = (
        os.read(reading, 65536) if ready else b".it hung"
    )  # the dot tells "" from an end without a report
    os.close(reading)
    status = processes.kill_all(pid)
    return report[1:].decode() if report else f"the child was ended, with wait status {status}"


def _report(action: Callable, enter: Callable, layers: Collection[str], pipe: int) -> None:
    report = ""
    try:
        enter(layers, (2, pipe))
        report = action() or ""
    except OSError as error:
        report = error.args[1] if error.errno and error.filename is None else str(error)
    except BaseException as error:
        report = f"{type(error).__name__}: {error}"
    finally:
        os.write(pipe, b"." + report.encode()[:4000])
        os._exit(0)


def refused(action: Callable, *arguments) -> bool:
    try:
        action(*arguments)
    except OSError:
        return True
    return False


def connect(kind: socket.AddressFamily, address) -> None:
    with socket.socket(kind) as client:
        client.settimeout(1)
        client.connect(address)


class _Attack:
    """Things that must not be reached. The method of a layer attacks them, and returns what went through."""

    def __init__(self, folder: Path):
        self.folder, self.parent = folder.resolve(), os.getpid()
        self.scratch, self.secret = self.folder / "scratch", self.folder / "solutions" / "secret"
        self.namespace = os.readlink("/proc/self/ns/user")
        for path in (self.scratch, self.secret.parent):
            path.mkdir()
        self.folder.chmod(0o755)
        self.secret.write_text("secret")

    def __enter__(self):
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.unix = socket.socket(socket.AF_UNIX)
        self.unix.bind(f"\0course-probe-{self.parent}")
        self.unix.listen()
        self.shared = ctypes.CDLL(None).shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0o600)
        return self

    def __exit__(self, *_):
        self.tcp.close()
        self.unix.close()
        ctypes.CDLL(None).shmctl(self.shared, IPC_RMID, None)

    def confine(self, layers: Collection[str], keep: Collection[int]) -> None:
        confine(self.scratch, [self.folder], [self.secret.parent], LIMITS, layers, keep)

    def nothing(self):
        self.secret.parent.parent.exists()

    def session(self):
        if os.getsid(0) != os.getpid():
            return "it is not a session of its own"
        return None if refused(os.fstat, self.tcp.fileno()) else "an inherited socket stayed open"

    def user(self):
        if os.readlink("/proc/self/ns/user") == self.namespace:
            return "it is in the machine's user namespace"
        return None if refused(socket.sethostname, socket.gethostname()) else "it could set the host's name"

    def pid(self):
        return None if refused(os.kill, self.parent, 0) else "its parent can be signalled"

    def mount(self):
        if not refused(self.secret.read_text):
            return "a hidden file can be read"
        (self.scratch / "mine").write_text("mine")
        outside = self.folder / "outside"
        return None if refused(outside.write_text, "x") else "it can write outside scratch"

    def net(self):
        reached = not refused(connect, socket.AF_INET, self.tcp.getsockname())
        return "a server of this machine can be reached" if reached else self._abstract()

    def _abstract(self):
        reached = not refused(connect, socket.AF_UNIX, self.unix.getsockname())
        return "an abstract socket can be reached" if reached else None

    def ipc(self):
        attach = ctypes.CDLL(None).shmat
        attach.restype = ctypes.c_long
        return None if attach(self.shared, None, 0) == -1 else "shared memory of others can be had"

    def uid(self):
        return None if os.getuid() and refused(os.setuid, 0) else "it is root, or can be again"

    def rlimits(self):
        if not refused((self.scratch / "large").write_bytes, bytes(LIMITS.file_bytes + 1)):
            return "a file may be larger than its limit"
        try:
            bytes(2 * LIMITS.memory)
        except MemoryError:
            return None
        return "it may have more memory than its limit"

    def processes(self):
        for _ in range(LIMITS.processes + 1):
            try:
                if os.fork() == 0:
                    signal.pause()
            except BlockingIOError:
                return None
        return "the kernel does not count its processes"

    def capabilities(self):
        return (
            None
            if linux.effective_capabilities() == 0 and linux.prctl(PR_GET_NO_NEW_PRIVS)
            else "it kept some"
        )

    def landlock_files(self):
        return self.mount()

    def landlock_tcp(self):
        reached = not refused(connect, socket.AF_INET, self.tcp.getsockname())
        return "a server of this machine can be reached" if reached else None

    def landlock_scope(self):
        return self._abstract() if refused(os.kill, self.parent, 0) else "its parent can be signalled"

    def seccomp(self):
        if not refused(connect, socket.AF_INET, self.tcp.getsockname()):
            return "a server of this machine can be reached"
        return None if refused(linux.call, "ptrace", 0, 0, 0, 0) else "it can trace"
