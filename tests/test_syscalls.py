"""The table of denied system calls: its numbers are the kernel's, and nothing falls out of it unseen."""

import hashlib
import os
from pathlib import Path

import pytest

from course_lib.grading.sandbox.isolation import denied_syscalls, linux, seccomp
from course_lib.grading.sandbox.isolation.denied_syscalls import DENIED
from course_lib.grading.sandbox.isolation.update_syscalls import ALWAYS, HEADERS, TARGET, module, numbers

COLUMNS = list(enumerate(HEADERS))
NOWHERE = (None,) * len(HEADERS)  # a call that is newer than the headers: the filter denies all of them


def table(architecture):
    try:
        return numbers(architecture)
    except FileNotFoundError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(("column", "architecture"), COLUMNS, ids=HEADERS)
def test_numbers_are_those_of_the_kernels_headers(column, architecture):
    known = table(architecture)
    ours = {name: pair[column] for name, pair in DENIED.items()}
    ours |= {
        "socket": seccomp.SOCKET[column],
    }
    ours |= {name: pair[column] for name, pair in (seccomp.LEAVES_TRACES | seccomp.BEGINS).items()}
    ours["prlimit64"] = seccomp.PRLIMIT[column]
    ours |= linux.NUMBERS[architecture] | linux.NUMBERS_EVERYWHERE
    assert ours == {name: known.get(name) for name in ours}
    assert known["read"] == (0, 63)[column] and known["mmap"] == (9, 222)[column]


@pytest.mark.parametrize(("column", "architecture"), COLUMNS, ids=HEADERS)
def test_what_is_always_denied_is_in_the_table(column, architecture):
    known = table(architecture)
    for name in (name for names in ALWAYS.values() for name in names.split()):
        assert DENIED.get(name, NOWHERE)[column] == known.get(name), name


def test_the_filters_architectures_are_the_tables():
    assert list(seccomp.ARCHITECTURES) == list(HEADERS)


def test_the_table_is_what_the_script_makes_of_its_profile():
    """SECCOMP_PROFILE: where seccomp/default.json lies, of the version that the table names."""
    profile = Path(os.environ.get("SECCOMP_PROFILE") or pytest.skip("SECCOMP_PROFILE names no profile"))
    content = profile.read_bytes()
    assert hashlib.sha256(content).hexdigest() == denied_syscalls.PROFILE_SHA256
    if max(max(table(architecture).values()) for architecture in HEADERS) != denied_syscalls.NEWEST:
        pytest.skip("the headers are others than those of the table")
    assert module(content, denied_syscalls.PROFILE) == TARGET.read_text()
