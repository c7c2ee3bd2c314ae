"""Attacks on the sandbox, and what stops them."""

import contextlib
import ctypes
import mmap
import os
import signal
import socket
import stat
import subprocess
import tempfile
from pathlib import Path

from course_lib.grading.sandbox import isolation
from course_lib.grading.sandbox.isolation.linux import call
from course_lib.grading.sandbox.isolation.probe import connect, in_child

MiB = 2**20
# Of CPU time: one second.
LIMITS = isolation.Limits(seconds=0, memory=64 * MiB, processes=12, file_bytes=MiB, scratch_bytes=4 * MiB)
FILES = ("mount", "landlock-files")
OTHER_PROCESSES = ("mount", "user", "landlock-files", "landlock-tcp", "landlock-scope")
UNMOUNTABLE = ("landlock-files", "mount+capabilities", "mount+seccomp")
# Which layers stop an attack, each alone.
STOPPED_BY = {
    "read_by_path": FILES,
    "read_by_link": FILES,
    "read_by_hard_link": FILES,
    "read_by_root_of_parent": OTHER_PROCESSES,
    "read_by_descriptor_of_parent": OTHER_PROCESSES,
    "read_memory_of_parent": OTHER_PROCESSES,
    "read_inherited_file": ("session",),
    "read_inherited_environment": ("session",),
    "uncover": UNMOUNTABLE,
    "make_a_device": ("user", "uid", "capabilities", "landlock-files"),
    "write_outside": FILES,
    "write_at_the_root": FILES,
    "tcp": ("net", "landlock-tcp", "seccomp"),
    "udp": ("net", "seccomp"),
    "abstract_socket": ("net", "landlock-scope"),
    "socket_file": ("mount",),
    "shared_memory": ("ipc",),
    "signal_another": ("pid", "landlock-scope", "uid"),
    "signal_all": ("pid",),
    "trace_another": ("pid", "user", "uid", "landlock-files", "landlock-tcp", "landlock-scope", "seccomp"),
    "become_another_user": ("user", "uid", "capabilities"),
    "change_the_host_name": ("user", "uid", "capabilities", "seccomp"),
    "fork_bomb": ("processes",),
    "memory_bomb": ("rlimits",),
    "outlive_the_grader": ("rlimits+landlock-files",),
    "large_file": ("rlimits",),
    "endless_loop": ("rlimits",),
    "fill_scratch": ("mount",),
    "fill_tmp": ("mount",),
    "fill_shm": ("mount",),
    "machine_code_from_a_file": ("mount",),
    "machine_code_from_memory": ("seccomp",),
}
NEVER_WITHOUT = {"signal_all", "endless_loop", "write_at_the_root"}  # would reach the machine, or the test
NEEDS_ROOT = {"make_a_device", "become_another_user", "change_the_host_name"}
SECRET = b"the secret solution"


class World:
    """What is there to be attacked. A method that was stopped returns nothing, or raises OSError."""

    def __init__(self, folder: Path):
        self.folder, self.parent = folder, os.getpid()
        folder.chmod(0o755)
        self.scratch, self.hidden = folder / "scratch", folder / "course" / "solutions"
        for path in (self.scratch, self.hidden):
            path.mkdir(parents=True)
        self.secret = self.hidden / "secret.py"
        self.secret.write_bytes(SECRET)
        self.descriptor = os.open(self.secret, os.O_RDONLY)
        self.memory = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.memory[: len(SECRET)] = SECRET
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.tcp_server = socket.create_server(("127.0.0.1", 0))
        self.udp_server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp_server.bind(("127.0.0.1", 0))
        self.abstract, self.file = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0course-{self.parent}")
        self.file.bind(str(folder / "socket"))
        (folder / "socket").chmod(0o777)
        self.abstract.listen(), self.file.listen()
        servers = (self.tcp_server, self.udp_server, self.abstract, self.file)
        self.addresses = [server.getsockname() for server in servers]
        self.shared = ctypes.CDLL(None).shmget(0, 4096, 0o1600)
        self.victim = subprocess.Popen(["sleep", "1000"])
        os.environ["COURSE_SECRET"] = SECRET.decode()

    def close(self):
        ctypes.CDLL(None).shmctl(self.shared, 0, None)
        self.victim.kill()
        self.victim.wait()

    def confine(self, layers, keep=(2,)):
        readable = [self.folder / "course"]
        isolation.confine(self.scratch, readable, [self.hidden], LIMITS, layers, keep)

    def attack(self, name: str, layers) -> str:
        """Empty where it was stopped."""
        said = in_child(lambda: self._attempt(name), self.confine, layers)
        if name == "endless_loop" and said.endswith(f"status {int(signal.SIGKILL)}"):
            return ""
        if (left := self.folder / "left").exists():
            left.unlink()
            said = f"{left} was written"
        for path in self.scratch.iterdir():
            path.unlink()
        os.chown(self.scratch, os.getuid(), -1)  # a layer may have given it away
        if name == "signal_another" and not said:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.victim.wait(0.05)
        if self.victim.poll() is not None:
            self.victim = subprocess.Popen(["sleep", "1000"])
            return "another process was killed"
        return said

    def _attempt(self, name: str) -> str | None:
        try:
            said = getattr(self, name)()
        except (OSError, MemoryError):
            return None
        return "the secret was read" if said == SECRET else said

    def read_by_path(self):
        return self.secret.read_bytes()

    def read_by_link(self):
        (self.scratch / "link").symlink_to(self.secret)
        return (self.scratch / "link").read_bytes()

    def read_by_hard_link(self):
        os.link(self.secret, self.scratch / "hard")
        return (self.scratch / "hard").read_bytes()

    def read_by_root_of_parent(self):
        for process in (self.parent, 1):
            path = Path(f"/proc/{process}/root{self.secret}")
            if os.access(path, os.R_OK):
                return path.read_bytes()
        return None

    def read_by_descriptor_of_parent(self):
        return Path(f"/proc/{self.parent}/fd/{self.descriptor}").read_bytes()

    def read_memory_of_parent(self):
        with open(f"/proc/{self.parent}/mem", "rb", buffering=0) as memory:
            memory.seek(self.address)
            return memory.read(len(SECRET))

    def read_inherited_file(self):
        return os.pread(self.descriptor, 100, 0)

    def read_inherited_environment(self):
        return os.environ.get("COURSE_SECRET", "").encode() or None

    def uncover(self):
        for action in (lambda: call("umount2", self.hidden, 2), lambda: call("umount2", self.folder, 2)):
            try:
                action()
            except OSError:
                continue
        return self.secret.read_bytes()

    def make_a_device(self):
        os.mknod(self.scratch / "disk", stat.S_IFBLK | 0o600, os.stat("/").st_dev)
        return "it can reach the raw disk"

    def write_outside(self):
        (self.folder / "left").write_text("x")

    def write_at_the_root(self):
        with tempfile.TemporaryFile(dir="/"):
            return "written"

    def tcp(self):
        connect(socket.AF_INET, self.addresses[0])
        return "connected"

    def udp(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.sendto(b"x", self.addresses[1])
        return "sent"

    def abstract_socket(self):
        connect(socket.AF_UNIX, self.addresses[2])
        return "connected"

    def socket_file(self):
        connect(socket.AF_UNIX, self.addresses[3])
        return "connected"

    def shared_memory(self):
        attach = ctypes.CDLL(None).shmat
        attach.restype = ctypes.c_long
        return None if attach(self.shared, None, 0) == -1 else "attached"

    def signal_another(self):
        os.kill(self.victim.pid, signal.SIGKILL)

    def signal_all(self):
        assert os.getpid() == 1
        os.kill(-1, signal.SIGKILL)

    def trace_another(self):
        call("ptrace", 16, self.victim.pid, 0, 0)
        return "attached"

    def become_another_user(self):
        os.setuid(0 if os.getuid() else 1)
        return f"it is user {os.getuid()}"

    def change_the_host_name(self):
        socket.sethostname(socket.gethostname())
        return "the host's name was set"

    def fork_bomb(self):
        for _ in range(LIMITS.processes + 1):
            if os.fork() == 0:
                signal.pause()
        return "more processes than the limit"

    def memory_bomb(self):
        return f"had {len(bytearray(2 * LIMITS.memory))} bytes"

    def outlive_the_grader(self):
        """Where memory runs out the kernel ends the process with the highest score."""
        score = Path("/proc/self/oom_score_adj")
        with contextlib.suppress(OSError):
            score.write_text("0")
        return "" if score.read_text().strip() == "1000" else "it is not the first to end"

    def large_file(self):
        (self.scratch / "large").write_bytes(bytes(2 * LIMITS.file_bytes))
        return "written"

    def endless_loop(self):
        while True:
            pass

    def _map(self, descriptor):
        """As the loader of shared libraries does."""
        os.write(descriptor, bytes(mmap.PAGESIZE))
        with mmap.mmap(descriptor, mmap.PAGESIZE, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC):
            return "may run"

    def machine_code_from_a_file(self):
        return self._map(os.open(self.scratch / "made.so", os.O_RDWR | os.O_CREAT))

    def machine_code_from_memory(self):
        return self._map(os.memfd_create("made"))

    def _fill(self, folder):
        with contextlib.ExitStack() as stack:
            for _ in range(6):
                file = stack.enter_context(tempfile.TemporaryFile(dir=folder, buffering=0))
                if file.write(bytes(MiB)) < MiB:
                    return None
        return "6 MiB written"

    def fill_scratch(self):
        return self._fill(self.scratch)

    def fill_tmp(self):
        return self._fill("/tmp")

    def fill_shm(self):
        return self._fill("/dev/shm")
