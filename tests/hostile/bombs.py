"""Eating up processes, memory, disk, output or time.

Each stops by itself, so that an unprotected run hurts nobody: 300 processes, 6 GiB, 1 GB of disk, 300 MB of
output, and for most of them two minutes.
"""

from hostile.submission import LOOT, SDPA, Submission

MIDDLE = {"before": "padding_mask"}  # one honest exercise is judged before, the other comes after
ENDS = "did not end|ended"
UNTIL = """import time
end = time.monotonic() + 120
"""

SUBMISSIONS = [
    Submission(
        "fork_bomb",
        "A fork bomb: every child forks again (here: up to 300 processes, for 4 seconds).",
        f"""import mmap, os, time
count, end = mmap.mmap(-1, 8), time.monotonic() + 4
def number():
    value = int.from_bytes(count[:8], "little") + 1
    count[:8] = value.to_bytes(8, "little")
    return value
mine = os.getpid()
try:
    while number() < 300 and time.monotonic() < end:
        os.fork()
    time.sleep(max(0, end - time.monotonic()))
except OSError:
    pass
if os.getpid() != mine:
    os._exit(0)
if int.from_bytes(count[:8], "little") >= 290:
    print("{LOOT} 290 processes")
""",
        **MIDDLE,
    ),
    Submission(
        "thread_bomb",
        "Starts threads without end (here: 2,000) that sleep.",
        f"""import threading, time
try:
    for number in range(2000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    print("{LOOT} 2000 threads")
except RuntimeError:
    pass
""",
        **MIDDLE,
    ),
    Submission(
        "memory_bomb",
        "Takes memory without end (here: 6 GiB).",
        f"""hoard = []
for _ in range(6 * 4):
    hoard.append(bytearray(b"x" * 2**28))
print("{LOOT} 6 GiB")
""",
        **MIDDLE,
    ),
    Submission(
        "memory_bomb_of_children",
        "The same memory, spread over eight child processes, so that none has more than its share.",
        f"""import os, time
pids = []
for _ in range(8):
    if (pid := os.fork()) == 0:
        try:
            block = bytearray(b"x" * (3 * 2**28))
            time.sleep(10)
            os._exit(7)
        finally:
            os._exit(1)
    pids.append(pid)
ended = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
if ended.count(7) == 8:
    print("{LOOT} 6 GiB together")
""",
        **MIDDLE,
    ),
    Submission(
        "disk_filled",
        "Fills the disk: its own folder, /tmp and /dev/shm (here: 1 GB together).",
        f"""import os, pathlib
written, block = 0, bytes(2**20)
for folder in (".", "/tmp", "/dev/shm", "/var/tmp", os.path.expanduser("~")):
    for number in range(24):
        path = pathlib.Path(folder, f"canary-{{number}}.fill")
        try:
            with open(path, "wb", buffering=0) as file:
                for _ in range(42):
                    if written < 10**9:
                        written += file.write(block)
        except (OSError, ValueError):
            break
for folder in ("/tmp", "/dev/shm", "/var/tmp", os.path.expanduser("~")):
    for path in pathlib.Path(folder).glob("canary-*.fill"):
        path.unlink()
if written > 9 * 10**8:
    print("{LOOT} 900 MB")
""",
        **MIDDLE,
    ),
    Submission(
        "many_files",
        "Makes ten thousand empty files in its own folder.",
        """import os
try:
    for number in range(10_000):
        os.close(os.open(f"canary-{number}", os.O_CREAT | os.O_WRONLY))
except OSError:
    pass
""",
        **MIDDLE,
    ),
    Submission(
        "endless_output",
        "Prints without end (here: 300 MB), to stdout and to the file descriptor.",
        """import os, sys
line = "you have won a prize " * 5000
for number in range(1500):
    print(line)
    os.write(1, line.encode())
""",
        **MIDDLE,
    ),
    Submission(
        "huge_display",
        "Returns 100 MB of text as a cell's result, and displays 60 MB of HTML.",
        """from IPython.display import HTML, display
display(HTML("<b>" + "9" * 60_000_000 + "</b>"))
class Long:
    def __repr__(self):
        return "9" * 100_000_000
Long()
""",
        flag="shows more than can be kept",
        **MIDDLE,
    ),
    Submission(
        "deep_recursion",
        "Recurses a hundred million times with the limit lifted and a C stack that is too small.",
        """import sys
sys.setrecursionlimit(10**8)
class Deep:
    def __getattr__(self, name):
        return getattr(self, name + "x")
def deeper(n):
    return sorted([n], key=deeper)
deeper(0)
""",
        **MIDDLE,
    ),
    Submission(
        "infinite_loop",
        "Loops forever in a cell (this and the following: two minutes).",
        UNTIL + "while time.monotonic() < end:\n    pass\n",
        **MIDDLE,
    ),
    Submission(
        "loop_in_answer",
        "Loops forever in an answer, while it is being checked.",
        answers={
            SDPA: f"""def {SDPA}(query, key, value, mask=None):
    import time
    end = time.monotonic() + 120
    while time.monotonic() < end:
        pass
"""
        },
    ),
    Submission(
        "deaf_loop",
        "Loops forever and swallows every exception, KeyboardInterrupt too.",
        UNTIL
        + """while time.monotonic() < end:
    try:
        while time.monotonic() < end:
            pass
    except BaseException:
        continue
""",
        flag=ENDS,
        **MIDDLE,
    ),
    Submission(
        "deaf_to_signals",
        "Ignores all signals that can be ignored, blocks the others, and sleeps.",
        UNTIL
        + """import signal
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
while time.monotonic() < end:
    time.sleep(1)
""",
        flag=ENDS,
        **MIDDLE,
    ),
    Submission(
        "uninterruptible_call",
        "One call in C that never looks at signals and never gives the lock of the interpreter back.",
        "import itertools\nany(itertools.repeat(False, 2 * 10**10))\n",
        flag=ENDS,
        **MIDDLE,
    ),
    Submission(
        "slow_regex",
        "A regular expression that backtracks for years, inside an answer.",
        answers={
            "causal_mask": """def causal_mask(size):
    import re
    return re.match(r"(a|a)+$", "a" * 36 + "b")
"""
        },
    ),
    Submission(
        "locks_taken",
        "Takes the lock of `logging`, and waits two minutes for one of its own that it holds.",
        UNTIL
        + """import logging, sys, threading
logging._lock.acquire() if hasattr(logging._lock, "acquire") else None
held = threading.Lock()
held.acquire()
held.acquire(timeout=120)
""",
        **MIDDLE,
    ),
]
