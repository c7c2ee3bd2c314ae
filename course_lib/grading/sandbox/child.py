"""The learner's process: runs cells and observes answers as it is told, and judges nothing.

Whatever runs here may have been tampered with by the learner's code; who reads its messages trusts none.
"""

import os
import signal
import socket
from collections.abc import Collection, Container, Sequence, Set
from dataclasses import replace
from functools import partial
from pickle import loads
from types import ModuleType
from typing import Any

from course_lib.checks.disabled import disable
from course_lib.checks.instances import filled
from course_lib.checks.observation import Observation, Task, observe, refused
from course_lib.checks.own_work import BORROWED, not_given
from course_lib.checks.panel import Panel
from course_lib.checks.threads import one_thread
from course_lib.checks.timeout import Patience
from course_lib.grading.sandbox import isolation
from course_lib.grading.sandbox.alone import alone
from course_lib.grading.sandbox.bounded_views import bound_views
from course_lib.grading.sandbox.concealed import Concealed
from course_lib.grading.sandbox.copies import observe_in_copies
from course_lib.grading.sandbox.guarded import guard
from course_lib.grading.sandbox.heard import hear
from course_lib.grading.sandbox.interrupts import Interrupts
from course_lib.grading.sandbox.ran import functions_run, hidden, ready_made
from course_lib.grading.sandbox.refused_code import refuse_code
from course_lib.grading.sandbox.refused_events import refuse_frames
from course_lib.grading.sandbox.refused_texts import Texts
from course_lib.grading.sandbox.shell import Shell, drop
from course_lib.grading.sandbox.spoken import Spoken
from course_lib.grading.sandbox.statements import run_statements
from course_lib.grading.sandbox.thawed_classes import thaw_dataclasses
from course_lib.grading.sandbox.unchanged import unchanged
from course_lib.grading.sandbox.wire import ConnectionClosedError, Wire, WireError, new_seal, pack
from course_lib.language import say

ANSWER = "__answer__"  # a name in the learner's module, for a moment
INTERRUPTED = "interrupted"
LATER = "Your work is being graded. The results come with your feedback."


def later(*_: Any, **__: Any) -> Panel:
    """check, hint, model_answer and progress in a cell of the learner's own."""
    told = say(LATER)
    return Panel(told, f"<p>{told}</p>")


def lesson_module(name: str, names: dict[str, Any]) -> ModuleType:
    """What a notebook imports of its lesson, in place of the package that holds the answers."""
    module = ModuleType(name)
    vars(module).update(names, check=later, filled=filled, hint=later, model_answer=later, progress=later)
    return module


class Child:
    """Serves the judge's requests, one at a time, until the connection is closed."""

    def __init__(self, shell: Shell, limits: isolation.Limits, layers: Collection[str], words: Set[str]):
        """All that can be done before there is a process for one learner: it is forked from this one.

        words: names that an answer's attributes may have.
        """
        self.shell, self.limits, self.layers, self.words = shell, limits, layers, words
        # By exercise: the answer, the names at that time, and what patience is left with it.
        self.answers: dict[str, tuple[Any, dict, Patience]] = {}
        self.interrupts, self.concealed = Interrupts(), Concealed()
        guard()
        thaw_dataclasses()
        self.texts = Texts(shell)
        bound_views()
        self.alone, processes = alone()
        hear(refuse_frames(), refuse_code(), self.texts.handlers, processes)
        self.is_unchanged = unchanged(self.concealed.modules)

    def serve(self, wire: Wire) -> None:
        # A function, whose closure nobody gets: a method would give this object, as its own.
        def show(output: dict) -> None:
            with self.interrupts.message():
                wire.send({"output": output})

        self.shell.open(show)
        self.interrupts.handle()
        take = partial(self.take, wire.connection)
        requests = {"run": self.run, "observe": self.observe, "again": self.again, "take": take}
        while True:
            try:
                message, blob = wire.receive()
                with self.interrupts.working():
                    reply, attached = requests[message["request"]](message, blob)
                wire.send({"done": reply}, attached)
            except KeyboardInterrupt:  # the judge has waited long enough
                wire.send({"done": INTERRUPTED})
            except ConnectionClosedError:
                return
            except Exception as error:  # learners' errors are results; this is the course's, or tampering
                wire.send({"broken": f"{type(error).__name__}: {error}"})

    def run(self, message: dict, _: bytes) -> tuple[None, bytes]:
        self._run(message["source"])
        return None, b""

    def _run(self, source: str) -> None:
        self.texts.begin(source)
        self.shell.run(source)

    def observe(self, message: dict, blob: bytes) -> tuple[Any, bytes]:
        """Visible parts, at once. The names are kept for hidden ones, which come when all cells have run."""
        names = self.shell.user_ns
        if message["before"] or message["answer"] not in names:
            self._run(f"{message['before']}\n{ANSWER} = {message['answer']}")
            if ANSWER not in names:
                return None, b""  # the cell has failed, and shows why
            answer = names.pop(ANSWER)
        else:
            answer = names[message["answer"]]
        patience = Patience(self.limits.probe_seconds)
        if any(earlier.lost for _, _, earlier in self.answers.values()):
            patience.lose()  # one exercise without end is enough to wait for
        self.answers[message["exercise"]] = answer, dict(names), patience
        return self._observed(answer, patience, blob)

    def again(self, message: dict, blob: bytes) -> tuple[Any, bytes]:
        """More parts of an exercise, with the names as they were at its check."""
        answer, names, patience = self.answers[message["exercise"]]
        now = self.shell.user_ns
        now.clear()
        now.update(names)
        return self._observed(answer, patience, blob)

    def take(self, connection: socket.socket, message: dict, blob: bytes) -> tuple[Any, bytes]:
        """An answer with nothing but what it is made of, in a copy of this process, where no cell has run.

        What the copy says is passed on. It has not the connection to the judge, and leaves nothing here.
        """
        near, far = socket.socketpair()
        seal = new_seal()
        pid = os.fork()
        if not pid:
            try:
                near.close()
                connection.close()
                try:
                    reply = self._taken(message, blob)
                except Exception as error:  # learners' errors are results; this is the course's, or tampering
                    reply = _nothing(f"{type(error).__name__}: {error}"), b""
                Wire(far, seal=seal).send(*reply)
            finally:
                os._exit(0)
        far.close()
        try:
            return Wire(near, self.limits.output_bytes, expected=seal).receive()
        except (ConnectionClosedError, WireError):
            return _nothing("it ended the process"), b""
        finally:
            near.close()
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            isolation.end_others(self.layers)

    def _taken(self, message: dict, blob: bytes) -> tuple[Any, bytes]:
        """refused: what statements ask for that honest answers do without; they were not run."""
        self.shell.open(drop)
        disable(tuple(message["disabled"]))  # a table that it makes is a part of the answer
        names, cells = self.shell.user_ns, [*message["cells"], ["", f"{ANSWER} = {message['answer']}", [0]]]
        refused, failed = run_statements(cells, self.shell, self.texts, self.words)
        told = _nothing(failed, refused)
        if ANSWER not in names:
            return told, b""
        patience = Patience(self.limits.probe_seconds)
        seen, attached = self._observed(names.pop(ANSWER), patience, blob)
        return told | seen | {"lost": patience.lost}, attached

    def _observed(self, answer: Any, patience: Patience, blob: bytes) -> tuple[Any, bytes]:
        with one_thread(), self.interrupts.alone():
            self._refuse_changes()  # what replaces something may put it back in the end
            with functions_run() as ran, self.concealed.in_sight():
                task: Task = loads(blob)
            if called := hidden(ran.codes):
                raise RuntimeError(f"what observes an answer has called {called[0]}")
            made, notebook = task.interface.ready_made, self.shell.user_ns
            spoken = Spoken(self.words, made, task.uses, notebook)
            words = spoken.read(answer) if task.probes else []
            observing = partial(self._observe, spoken.codes)
            if callable(answer) and (task.interface.is_test or task.interface.ready_made):
                budget = self.limits.output_bytes
                seen = observe_in_copies(task, answer, patience, self.layers, budget, observing)
            else:
                with self.alone(self.layers):
                    seen = observing(task, answer, patience)
            return pack(replace(seen, unknown=(*words, *seen.unknown)))

    def _observe(self, known: Container[int], task: Task, answer: Any, patience: Patience) -> Observation:
        forbidden = task.interface.ready_made
        with functions_run(of_c=bool(forbidden)) as ran:
            seen = observe(task, answer, patience)
        self._refuse_changes()
        if not task.probes:
            return seen
        if borrowed := not_given(ran.codes, task.interface.given):
            return refused(task, BORROWED.format(borrowed[0]))
        return replace(seen, unknown=(*hidden(ran.codes, known), *ready_made(ran, forbidden)))

    def _refuse_changes(self) -> None:
        if not self.is_unchanged():
            raise RuntimeError("what observes an answer was changed")


def _nothing(failed: str, refused: Sequence[str] = ()) -> dict[str, Any]:
    """What is told of an answer that was not observed."""
    return {"refused": [*refused], "failed": failed, "lost": False}
