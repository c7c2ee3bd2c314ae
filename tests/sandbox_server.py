"""A process of one thread that forks, as the grader's does, for the attacks of test_isolation.py.

python tests/sandbox_server.py prints for this machine and user which layer stops what."""

import json
import os
import select
import signal
import sys
import tempfile
from pathlib import Path

from sandbox_attacks import NEVER_WITHOUT, STOPPED_BY, World

from course_lib.grading.sandbox import isolation
from course_lib.grading.sandbox.isolation.probe import WITH, probe


class Server(World):
    def probe(self) -> dict[str, str]:
        return probe()

    def survivors(self, layers) -> str:
        """A child leaves a grandchild in a session of its own, forked twice, and is ended."""
        reading, writing = os.pipe()
        pid = isolation.fork(layers)
        if pid == 0:
            self.confine(layers, (2, writing))
            self._leave_grandchild(writing)
            signal.pause()
        os.close(writing)
        os.read(reading, 1)
        isolation.kill_all(pid)
        return self._holders(reading, seconds=0)

    def orphans(self, layers) -> str:
        """The same, but the grader's process itself is killed and can end nobody."""
        reading, writing = os.pipe()
        middle = os.fork()
        if middle == 0:
            if isolation.fork(layers) == 0:
                self.confine(layers, (2, writing))
                self._leave_grandchild(writing)
            signal.pause()
        os.close(writing)
        os.read(reading, 1)
        os.kill(middle, signal.SIGKILL)
        os.waitpid(middle, 0)
        return self._holders(reading, seconds=10)

    def _leave_grandchild(self, pipe: int) -> None:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.write(pipe, b".")
                signal.pause()
            os._exit(0)

    def _holders(self, pipe: int, seconds: float) -> str:
        """Whether a process still holds the other end of a pipe."""
        ended = select.select([pipe], [], [], seconds)[0] and os.read(pipe, 1) == b""
        os.close(pipe)
        return "" if ended else "a process lives on"


def table() -> None:
    """Which layer alone stops which attack, for this machine and user."""
    found = probe()
    print(*(f"{layer:16} {state}" for layer, state in found.items()), sep="\n")
    active = [layer for layer, state in found.items() if state == "active"]
    with tempfile.TemporaryDirectory() as folder:
        world = Server(Path(folder))
        for name, layers in STOPPED_BY.items():
            tried = layers if name in NEVER_WITHOUT else sorted({*active, *layers})
            nothing = "not tried" if name in NEVER_WITHOUT else world.attack(name, ()) or "stopped"
            stops = [each for each in tried if not world.attack(name, together(each, active))]
            everything = world.attack(name, active) or "stopped"
            print(f"{name:28} none: {nothing:36} all: {everything:10} {' '.join(stops)}", flush=True)
        world.close()


def together(layer: str, active) -> set[str]:
    """The kernel counts no processes of root: that layer cannot be had alone."""
    return {*layer.split("+"), *(set(WITH[layer]) & set(active) if layer == "processes" else ())}


def serve() -> None:
    """For tests: a process of one thread that forks, as the grader's does. Lines of JSON in and out."""
    with tempfile.TemporaryDirectory() as folder:
        world = Server(Path(folder))
        for line in sys.stdin:
            method, *arguments = json.loads(line)
            print(json.dumps(getattr(world, method)(*arguments)), flush=True)
        world.close()


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["serve"] else table()
