"""The grader's client of its zygote: starts that process, and asks it for children, one at a time."""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from typing import Any

import cloudpickle

from course_lib.grading.sandbox import isolation
from course_lib.grading.sandbox.audit import sources_of
from course_lib.grading.sandbox.clock import DeadlineError, until
from course_lib.grading.sandbox.wire import ConnectionClosedError, Wire, WireError
from course_lib.yours import asked_for, of_the_course

# No secret of the instructor's may be in the memory that learners' processes inherit.
ENVIRONMENT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "SYSTEMROOT",
)
# Libraries that do whole exercises: an answer can be made of one in more ways than can be read.
ELSEWHERE = (
    *("tokenizers", "sentencepiece", "transformers", "torchtext"),
    *("nltk", "sacrebleu", "evaluate", "d2l"),
    *("greenlet", "gevent", "eventlet"),  # with these a call that has begun in a cell ends in an answer
)
EXIT_SECONDS = 10.0  # until a process that has closed its connection is gone
START_SECONDS = 60.0  # that a child may take to confine itself


class ZygoteClient:
    """released: the notebook that was handed out. forbidden: what of PyTorch answers may not call.

    Raises RuntimeError where the zygote cannot start.
    """

    def __init__(
        self,
        lesson: str,
        names: Mapping[str, Any],
        modules: Collection[str],
        layers: Collection[str],
        limits: isolation.Limits,
        released: str = "",
        forbidden: Collection[tuple[str, ...]] = (),
    ):
        # One socket for commands to the zygote. Each child gets another one, of its own.
        self._control, theirs = socket.socketpair()
        environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
        environment |= {
            "OMP_NUM_THREADS": "1",
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "NBGRADER_EXECUTION": "autograde",
            "PIP_RETRIES": "0",  # there is no network, and five tries take pip a quarter of a minute
            "VIRTUAL_ENV": sys.prefix,  # of another one IPython would put the packages before ours
        }
        # -P: nothing is imported from the folder in which the instructor works, not even another copy of us.
        command = [sys.executable, "-P", "-m", "course_lib.grading.sandbox.zygote", str(theirs.fileno())]
        self._process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL
        )
        theirs.close()
        setting = {
            "layers": tuple(layers),
            "limits": asdict(limits),
            "lesson": lesson,
            "names": dict(names),
            "modules": sorted(modules),
            "pieces": of_the_course(asked_for(sources_of(released))),
            "optimizes": "optim" in released,
            "elsewhere": [name for name in ELSEWHERE if name not in released],
            "forbidden": list(forbidden),
            "words": sorted(set(re.findall(r"\b[a-zA-Z]\w*", released))),
        }
        # By value, for the lesson's names are defined where the zygote has nothing.
        self._control.sendall(cloudpickle.dumps(setting))
        self._replies = self._control.makefile("rb")
        self._reply()

    @contextlib.contextmanager
    def child(self, budget: int) -> Iterator[Wire]:
        """A fresh child, which has ended with all that came of it when this does."""
        # The child's end travels over the command socket; the zygote passes it on, and closes its own.
        ours, theirs = socket.socketpair()
        self._command("new", theirs.fileno())
        theirs.close()
        wire = Wire(ours, budget)
        try:
            wire.expected = _seal(wire)
            yield wire
        finally:
            ours.close()
            self._command("stop")

    def interrupt(self) -> None:
        self._command("interrupt")

    def cpu_seconds(self) -> float:
        """Of the child that runs now, with all that came of it: the zygote has no other."""
        return isolation.cpu_seconds(self._process.pid)

    def exit_reason(self) -> str:
        """How the child has ended, in words."""
        deadline = time.monotonic() + EXIT_SECONDS
        while (code := self._command("status")["exit"]) is None and time.monotonic() < deadline:
            time.sleep(0.01)
        return "out of reach" if code is None else f"signal {-code}" if code < 0 else f"exit code {code}"

    def close(self) -> None:
        """The zygote exits when its connection is closed."""
        self._replies.close()
        self._control.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _command(self, what: str, *descriptors: int) -> dict:
        line = json.dumps({"do": what}).encode()
        socket.send_fds(self._control, [line], descriptors)
        return self._reply()

    def _reply(self) -> dict:
        line = self._replies.readline()
        if not line:
            raise RuntimeError(f"the grader's parent process ended, exit code {self._process.wait()}")
        return json.loads(line)


def _seal(wire: Wire) -> bytes:
    """Of the child, when it is ready. Raises RuntimeError where it cannot be."""
    try:
        message, _ = wire.receive(until(time.monotonic() + START_SECONDS))
    except (ConnectionClosedError, DeadlineError, WireError) as error:
        raise RuntimeError(f"a submission's process did not start: {type(error).__name__} {error}") from None
    if "unable" in message:
        raise RuntimeError(f"a submission's process could not be isolated: {message['unable']}")
    return bytes.fromhex(message["seal"])
