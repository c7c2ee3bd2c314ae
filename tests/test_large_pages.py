"""Memory in large pages is the same memory, and a fork of it sees what it held."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

SWITCH = Path("/sys/kernel/mm/transparent_hugepage/enabled")
PROGRAM = """
import os, re
from pathlib import Path
from course_lib.grading.sandbox.large_pages import use_large_pages
kept = [bytes([number]) * 2**20 for number in range(64)]
use_large_pages()
large = re.findall(r"AnonHugePages: +([1-9])", Path("/proc/self/smaps_rollup").read_text())
if pid := os.fork():
    right = os.waitpid(pid, 0)[1] == 0
else:
    os._exit(any(one != bytes([number]) * 2**20 for number, one in enumerate(kept)))
print(len(large), right, all(one[-1] == number for number, one in enumerate(kept)))
"""


def kernel_has_them():
    release = tuple(map(int, platform.release().split(".")[:2]))
    return release >= (6, 1) and SWITCH.exists() and "[never]" not in SWITCH.read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has them")
def test_it_holds_what_it_held_before():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    large, *right = run.stdout.split()
    assert right == ["True", "True"]
    assert large == "1" or not kernel_has_them()
