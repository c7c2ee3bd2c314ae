"""A root file system for the sandbox: what Python needs, read-only, and a small scratch in memory."""

import contextlib
import functools
import os
import site
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from course_lib.grading.sandbox.isolation import linux

SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store"),
    *(
        "/etc/ld.so.cache",
        "/etc/passwd",
        "/etc/group",
        "/etc/nsswitch.conf",
        "/etc/localtime",
        "/etc/timezone",
    ),
    *("/etc/alternatives", "/etc/fonts", "/etc/mime.types", "/etc/ssl/certs", "/etc/locale.alias"),
    "/sys/devices/system/cpu",
)
DEVICES = tuple(Path("/dev", name) for name in ("null", "zero", "full", "random", "urandom"))
Paths = tuple[Path, ...]
OWN_TMPFS = (Path("/tmp"), Path("/dev/shm"))  # with scratch, one tmpfs of limited size
PROC_FILES = tuple(Path("/proc", name) for name in ("self", "cpuinfo", "meminfo", "stat", "filesystems"))


@dataclass(frozen=True)
class Disk:
    """Paths that the learner's code may see. Of two that contain each other the inner one decides."""

    scratch: Path
    readable: Paths
    hidden: Paths

    @classmethod
    def of(cls, scratch: Path, readable: Iterable[Path], hidden: Iterable[Path]) -> "Disk":
        return cls(Path(scratch).resolve(), *_places(tuple(readable), tuple(hidden)))


@functools.cache
def _places(readable: Paths, hidden: Paths) -> tuple[Paths, Paths]:
    """Both, as they are found on this machine."""
    visible = {Path(path).resolve() for path in (*map(Path, SYSTEM), *interpreter(), *readable)}
    secret = {Path(path).resolve() for path in hidden}
    return tuple(filter(os.path.exists, sorted(visible - secret))), tuple(sorted(secret))


def interpreter() -> set[Path]:
    """Python itself, its installed packages, and where a virtual environment came from."""
    packages = {path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")}
    return {
        Path(path)
        for path in (sys.prefix, sys.exec_prefix, sys.base_prefix, *site.getsitepackages(), *packages)
    }


def enter(disk: Disk, size: int, owner: int, proc: bool) -> None:
    """The disk becomes the process's root; the old one is out of reach, by any path or link.

    `proc`: with a /proc, of our own processes; left out where it is forbidden, as in many containers."""
    # Our mounts must not appear in the machine's namespace, nor its later ones in ours.
    linux.mount(None, "/", None, linux.MS_REC | linux.MS_PRIVATE)
    base = disk.scratch  # any folder does as the place to build on
    options = f"mode=755,size={size},nr_inodes=20000"
    # No machine code is loaded from what learners' code writes, by whatever library. And when a file was last
    # read would tell one copy of a process what another has done (see seal.py).
    flags = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC | linux.MS_NOATIME
    linux.mount("sandbox", base, "tmpfs", flags, options)
    writable = _writable_folders(base, disk, owner)
    root = base / "root"
    _bind(root, root, folder=True)  # a root must be a mount, and it will be read-only where the rest is not
    (base / "empty").touch(mode=0)
    # In the order of their paths an outer folder comes before what is in it: so the inner one decides.
    places = [(path, "show") for path in (*disk.readable, *DEVICES)]
    places += [(path, "hide") for path in disk.hidden] + [(path, "write") for path in writable]
    for path, action in sorted(places):
        if action == "hide":
            _cover(_below(root, path), base / "empty")
        else:
            _bind(writable.get(path, path), _below(root, path), path.is_dir())
    _links(root)
    (root / "proc").mkdir()
    linux.set_readonly(root, True, recursive=True)  # all mounts below too, and then not the writable ones
    for path in writable:
        linux.set_readonly(_below(root, path), False)
    if proc:
        with contextlib.suppress(OSError):
            linux.mount("proc", root / "proc", "proc", linux.MS_NOSUID | linux.MS_NODEV)
    _move_to(root)
    os.chdir(disk.scratch)


def _below(root: Path, path: Path) -> Path:
    return root / path.relative_to("/")


def _writable_folders(base: Path, disk: Disk, owner: int) -> dict[Path, Path]:
    folders = {path: base / str(number) for number, path in enumerate((*OWN_TMPFS, disk.scratch))}
    for folder in (base / "root", *folders.values()):
        folder.mkdir(mode=0o755)
    for folder in folders.values():
        with contextlib.suppress(OSError):  # an ordinary user's namespace has no other user
            os.chown(folder, owner, -1)
        folder.chmod(0o700)
    return folders


def _move_to(root: Path) -> None:
    """pivot_root(".", ".") puts the old root on top of the new one; once unmounted, nothing leads to it."""
    os.chdir(root)
    linux.syscall("pivot_root", ".", ".")
    linux.call("umount2", ".", linux.MNT_DETACH)


def _bind(source: Path, target: Path, folder: bool) -> None:
    """With all that is mounted below: the kernel refuses to uncover what a mount hides."""
    _make(target, folder)
    linux.mount(source, target, None, linux.MS_BIND | linux.MS_REC)


def _make(target: Path, folder: bool) -> None:
    if not os.path.lexists(target):
        (target if folder else target.parent).mkdir(mode=0o755, parents=True, exist_ok=True)
        if not folder:
            target.touch()


def _cover(target: Path, empty: Path) -> None:
    """An empty folder, or an empty file that nobody may read, over what is to be hidden."""
    if target.is_dir():
        linux.mount("hidden", target, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "mode=755,size=1m")
    elif target.exists():
        linux.mount(empty, target, None, linux.MS_BIND)


def _links(root: Path) -> None:
    """/bin -> usr/bin and the like, and what programs expect in /dev."""
    links = {Path("/dev/fd"): "/proc/self/fd", Path("/dev/stdin"): "/proc/self/fd/0"}
    links |= {Path("/dev/stdout"): "/proc/self/fd/1", Path("/dev/stderr"): "/proc/self/fd/2"}
    links |= {Path(path): os.readlink(path) for path in SYSTEM if os.path.islink(path)}
    for path, target in links.items():
        place = _below(root, path)
        if not os.path.lexists(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(target)


def unreadable(paths: Collection[Path]) -> Path | None:
    """The first of these that the process, as it is now, cannot read."""
    return next((path for path in paths if not os.access(path, os.R_OK)), None)
