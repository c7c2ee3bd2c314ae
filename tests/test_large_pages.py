"""Memory in large pages is the same memory, and a fork of it sees what it held."""

import platform
import subprocess
import sys
from pathlib import Path

SWITCH = Path("/sys/kernel/mm/transparent_hugepage/enabled")
PROGRAM = """
import os
from course_lib.grading.sandbox.large_pages import use_large_pages
kept = [bytes([number]) * 2**20 for number in range(64)]
done = use_large_pages()
if pid := os.fork():
    right = os.waitpid(pid, 0)[1] == 0
else:
    os._exit(any(one != bytes([number]) * 2**20 for number, one in enumerate(kept)))
print(done > 0, right, all(one[-1] == number for number, one in enumerate(kept)))
"""


def kernel_has_them():
    release = tuple(map(int, platform.release().split(".")[:2])) if sys.platform == "linux" else (0, 0)
    return release >= (6, 1) and SWITCH.exists() and "[never]" not in SWITCH.read_text()


def test_it_holds_what_it_held_before():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    done, *right = run.stdout.split()
    assert right == ["True", "True"]
    assert done == "True" or not kernel_has_them()
