"""Observes an answer in copies of the process, which share nothing.

A test that could keep what it was given in one part would know in the next what is frequent, and so what is
right: each probe and each example has a copy. All copies are made before the first runs: none has in memory
what another has sent. Where something of PyTorch may not be called, the answer has one copy, in which that is
disabled. It begins no process and no thread: nobody else can call it.
"""

import contextlib
import os
import signal
import socket
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from course_lib.checks.clock import LOOK, Clock
from course_lib.checks.disabled import COMPILED, disable
from course_lib.checks.observation import ENDLESS, Failure, Observation, Outcome, Task, refused
from course_lib.checks.source import NOT_READ
from course_lib.checks.timeout import Patience
from course_lib.grading.sandbox import isolation
from course_lib.grading.sandbox.clock import DeadlineError
from course_lib.grading.sandbox.ran import functions_run, hidden
from course_lib.grading.sandbox.scripts import scripts_seen
from course_lib.grading.sandbox.wire import ConnectionClosedError, Wire, WireError, new_seal, pack, unpack

Observe = Callable[[Task, Any, Patience], Observation]
DEAD = "Your code ended the Python process."
GRACE = 2  # seconds beyond a probe's own, for what cannot be interrupted


@dataclass
class Copy:
    """One copy of the process, that waits for the word to begin. pid: 0 when it has ended."""

    task: Task
    pid: int
    wire: Wire

    def end(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.wire.connection.close()
            self.pid = 0


def observe_in_copies(
    task: Task,
    answer: Any,
    patience: Patience,
    layers: Collection[str],
    budget: float,
    observe: Observe,
) -> Observation:
    """As `observe`, which each copy calls. budget: bytes that all copies together may send."""
    tasks = [task]
    if task.interface.is_test:
        isolation.end_others(layers)
        tasks = [task.only([name]) for name in task.probes]
        tasks += [task.only((), [text]) for text in task.examples]
    copies: list[Copy] = []
    parts, examples, reading, unknown = {}, {}, NOT_READ, ()
    try:
        for one in tasks:
            copies.append(_copy(one, answer, layers, observe))
        for copy in copies:
            copy.wire.budget = budget
            one = _result(copy, patience)
            copy.end()  # it could hold a lock, for others to see
            budget = copy.wire.budget
            parts |= one.parts
            examples |= one.examples
            reading = one.reading if one.reading.code else reading
            unknown += one.unknown
    finally:
        for copy in copies:
            copy.end()
    return Observation(parts, examples, reading, unknown)


def _copy(task: Task, answer: Any, layers: Collection[str], observe: Observe) -> Copy:
    near, far = socket.socketpair()
    seal = new_seal()
    with functions_run() as ran:
        pid = os.fork()
    if called := hidden(ran.codes):  # which a cell has hung where Python tells of forks, or a library does
        if not pid:
            os._exit(1)
        raise RuntimeError(f"what observes an answer has called {called[0]}")
    if pid:
        far.close()
        return Copy(task, pid, Wire(near, expected=seal))
    try:
        wire = Wire(far, seal=seal)
        is_test = task.interface.is_test
        # PyTorch's profiler begins a thread, so it begins before none can. A test may run scripts, and its
        # trials are processes.
        with contextlib.nullcontext([]) if is_test else scripts_seen() as scripts:
            isolation.seal(layers, (0, 1, 2, far.fileno()), alone=not is_test)
            disable(task.interface.ready_made if task.probes else ())  # an example earns nothing
            (seconds, lost), _ = wire.receive()
            patience = Patience(seconds, lost)
            seen = observe(task, answer, patience)
        message, blob = pack(refused(task, COMPILED) if scripts else seen)
        wire.send([message, patience.lost and not lost], blob)
    finally:
        os._exit(0)  # nothing of the original's is run here


def _result(copy: Copy, patience: Patience) -> Observation:
    """What the copy has seen; a failure where it has ended, or has to be ended."""
    clock = Clock(lambda: isolation.cpu_seconds(os.getpid()))
    before = clock.used()
    seconds = patience.seconds * (len(copy.task.probes) + len(copy.task.examples)) + GRACE

    def left() -> float:
        if clock.used() - before > seconds:
            raise DeadlineError
        return LOOK

    try:
        copy.wire.send([patience.seconds, patience.lost])
        (message, lost), blob = copy.wire.receive(left)
        seen = unpack(message, blob, copy.task.probes, dict.fromkeys(copy.task.examples))
        if lost:
            patience.lose()
        return seen
    except DeadlineError:
        failure = Failure("type", ENDLESS.format(patience.seconds))
        patience.lose()
    except (ConnectionClosedError, WireError, TypeError, ValueError):
        failure = Failure("type", DEAD)
    failed = Outcome(failure=failure)
    return Observation(dict.fromkeys(copy.task.probes, failed), dict.fromkeys(copy.task.examples, failed))
