"""Generates denied_syscalls.py, the seccomp filter's table, from a maintained profile and kernel headers.

    python -m course_lib.grading.sandbox.isolation.update_syscalls PROFILE "NAME, VERSION, LICENCE"

PROFILE: seccomp/default.json of github.com/moby/profiles, or another of that format, such as seccomp.json in
Debian's golang-github-containers-common. It lists what is allowed; what it allows to nobody, or only with a
capability, is denied here. Numbers are those of the kernel's headers (Debian's linux-libc-dev).
"""

import argparse
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

HEADERS = {  # of each architecture: where its numbers are, and what profiles call it
    "x86_64": ("asm/unistd_64.h", "amd64"),
    "aarch64": ("asm-generic/unistd.h", "arm64"),
}
INCLUDE = (Path("/usr/include"), Path("/usr/include/x86_64-linux-gnu"))
TARGET = Path(__file__).with_name("denied_syscalls.py")
# Denied whatever a profile says, and why. A profile for containers allows some: there, for example, another
# process is always one's own, while a submission shares its user or its namespace where layers are missing.
ALWAYS = {
    "other processes": "ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp",
    "mounts and roots": "mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick "
    "mount_setattr open_tree_attr",
    "namespaces": "unshare setns",
    "files past any path that is hidden": "open_by_handle_at name_to_handle_at",
    "machine code from a file that is on no disk": "memfd_create memfd_secret",
    "keys of the user who grades": "add_key request_key keyctl",
    "parts of the kernel in which holes were found": "bpf perf_event_open userfaultfd io_uring_setup "
    "io_uring_enter io_uring_register modify_ldt",
    "the machine itself": "init_module finit_module delete_module kexec_load kexec_file_load reboot swapon "
    "swapoff acct quotactl syslog settimeofday clock_settime clock_adjtime adjtimex sethostname "
    "setdomainname iopl ioperm",
}
# seccomp.py decides about these by their arguments.
BY_ARGUMENT = {"clone", "clone3", "socket"}


def numbers(architecture: str) -> dict[str, int]:
    """All system calls by name, from the headers of this machine; FileNotFoundError where it has none."""
    name = HEADERS[architecture][0]
    path = next((folder / name for folder in INCLUDE if (folder / name).exists()), None)
    if path is None:
        raise FileNotFoundError(f"no {name} below {' or '.join(map(str, INCLUDE))}: install linux-libc-dev")
    return _parse(path.read_text())


def _parse(header: str) -> dict[str, int]:
    # Calls of 32-bit machines only, and two constants that are no calls.
    header = re.sub(
        r"#if defined\(__SYSCALL_COMPAT\) \|\| __BITS_PER_LONG == 32\n.*?#endif", "", header, flags=re.S
    )
    header = re.sub(r"#define __NR_(syscalls|arch_specific_syscall)\b.*", "", header)
    # "#define __NR_read 63"; but where 32 and 64 bits have other names "#define __NR3264_mmap 222", and at
    # the end, first for 64 bits, "#define __NR_mmap __NR3264_mmap".
    names: dict[str, str] = {}
    for name, alias in re.findall(r"^#define __NR_(\w+)\s+__NR3264_(\w+)", header, re.M):
        names.setdefault(alias, name)
    numbers: list[tuple[str, str, str]] = re.findall(r"^#define __NR(3264)?_(\w+)\s+(\d+)\s*$", header, re.M)
    return {names.get(name, name) if differs else name: int(number) for differs, name, number in numbers}


def allowed(profile: dict, architecture: str) -> Iterator[str]:
    """What a container without capabilities may call, on any kernel and with any arguments."""
    for rule in profile["syscalls"]:
        includes, excludes = rule.get("includes") or {}, rule.get("excludes") or {}
        here = HEADERS[architecture][1] in includes.get("arches", [HEADERS[architecture][1]])
        conditions = includes.keys() - {"arches"} or excludes or rule.get("args")
        if rule["action"] == "SCMP_ACT_ALLOW" and here and not conditions:
            yield from rule["names"]


def denied(profile: dict) -> dict[str, tuple[int | None, ...]]:
    """Numbers by name, one for each architecture."""
    always = {name for names in ALWAYS.values() for name in names.split()}
    tables = {architecture: numbers(architecture) for architecture in HEADERS}
    names: set[str] = set()
    for architecture, table in tables.items():
        harmless = set(allowed(profile, architecture)) - always
        names |= table.keys() - harmless - BY_ARGUMENT
    return {name: tuple(table.get(name) for table in tables.values()) for name in sorted(names)}


def module(profile: bytes, title: str) -> str:
    """The text of denied_syscalls.py."""
    table = [f'    "{name}": {pair},' for name, pair in denied(json.loads(profile)).items()]
    newest = max(max(numbers(architecture).values()) for architecture in HEADERS)
    return "\n".join(
        [
            '"""System calls that the seccomp filter denies. Made by update_syscalls.py, not by hand."""',
            "",
            "# What this profile allows to everybody is not in the table, but for what is always denied.",
            f'PROFILE = "{title}"',
            f'PROFILE_SHA256 = "{hashlib.sha256(profile).hexdigest()}"',
            f"NEWEST = {newest}  # the last number in the headers; later calls were not looked at",
            f"# name: number on {', on '.join(HEADERS)} (None where there is no such call)",
            "DENIED = {",
            *table,
            "}",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("profile", type=Path, metavar="PROFILE")
    parser.add_argument("origin", metavar="ORIGIN", help="its name, version and licence")
    options = parser.parse_args()
    TARGET.write_text(module(options.profile.read_bytes(), options.origin))


if __name__ == "__main__":
    main()
