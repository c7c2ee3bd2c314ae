"""The zygote: a warm process that forks an isolated child for each submission, without the lesson's answers.

python -m course_lib.grading.sandbox.zygote DESCRIPTOR    a stream socket to the grader, see client.py
"""

import gc
import importlib.util
import json
import os
import pickle
import random
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle  # noqa: F401  (what it has pickled needs it)
import numpy.random  # which numpy puts off until somebody asks

import course_lib
from course_lib.checks.disabled import find
from course_lib.checks.own_work import keep_from_answers, keep_uninterrupted
from course_lib.grading.sandbox import isolation
from course_lib.grading.sandbox.child import Child, lesson_module
from course_lib.grading.sandbox.guarded import keep_getters
from course_lib.grading.sandbox.kept_modules import keep_modules
from course_lib.grading.sandbox.large_pages import use_large_pages
from course_lib.grading.sandbox.scripts import forget_what_tells_nobody
from course_lib.grading.sandbox.shell import Shell, new_shell
from course_lib.grading.sandbox.spoken import NAMES
from course_lib.grading.sandbox.warming import warm
from course_lib.grading.sandbox.wire import Wire, new_seal

PACKAGE = Path(course_lib.__file__).parent
ANSWERS = "course_lib.exercises"
SHOWN = "plots", "widgets", "translations"  # what is read as a notebook runs: fonts, a page, texts
EVERYWHERE = ("course_lib.plots", "course_lib.widgets", "course_lib.checks.gradients")
NO_PIECES = "checks", "exercises", "grading", "language"
OPTIMIZER = "w = torch.nn.Parameter(torch.ones(1))\ntorch.optim.Adam([w]).step()"  # imports 500 modules
WARM_UP = (  # what is slow the first time
    "raise NotImplementedError()",
    "import torch\ntorch.zeros(2) + 'a'",
    "x = torch.ones(3, requires_grad=True)\ntorch.autograd.grad(x.square().sum(), x)[0]",
    "import torch.nn.functional as F\nF.linear(torch.zeros(2), torch.zeros(3, 3))",
    "import pickle\npickle.loads(pickle.dumps(torch.ones(2)))",
    "torch.get_default_device()",
    "import traceback\n_ = traceback.format_stack()",  # torch.manual_seed asks for it
    "import matplotlib.pyplot as plt\n_ = plt.plot([0, 1])",
    "a =",
)


class Zygote:
    """layers: of isolation; lesson: "course_lib.exercises.NAME"; names: what else a notebook imports from it.

    modules: what the lesson's notebook and its probes need of the course: it is imported here, since its
      code is not on the children's disk. pieces: what `yours` gives, as text. optimizes: whether the lesson
      makes an optimizer. elsewhere: libraries that children may not have. forbidden: what of PyTorch the
      answers to each exercise may not call. words: names that the released notebook has.
    """

    def __init__(
        self,
        control: socket.socket,
        layers: Collection[str],
        limits: dict,
        lesson: str,
        names: dict,
        modules: Collection[str],
        pieces: Mapping[str, str],
        optimizes: bool,
        elsewhere: Collection[str],
        forbidden: Collection[tuple[str, ...]],
        words: Collection[str],
    ):
        self.control, self.layers, self.limits = control, layers, isolation.Limits(**limits)
        _install_stubs(lesson, names)
        if pieces:  # after the stubs: what is imported here finds no answers
            importlib.import_module("course_lib.yours").hand_out(pieces)
        self.shell = _warm_shell(modules, [*WARM_UP, OPTIMIZER] if optimizes else WARM_UP)
        for one in forbidden:
            find(one)
        freeze, gc.freeze = gc.freeze, lambda: None  # what learners' code froze, `disable` would not find
        self.child = Child(self.shell, self.limits, layers, NAMES.union(words))
        self.shown = [PACKAGE / name for name in SHOWN]
        self.hidden = [PACKAGE, *_taken_away(elsewhere)]
        isolation.prepare(self.shown, self.hidden)
        _settle(freeze)
        self.pid, self.scratch = 0, ""

    def serve(self) -> None:
        actions = {"new": self.new, "interrupt": self.interrupt, "status": self.status, "stop": self.stop}
        while True:
            line, descriptors, _, _ = socket.recv_fds(self.control, 1024, 1)
            if not line:
                break
            reply = actions[json.loads(line)["do"]](*descriptors)
            self.control.sendall(json.dumps(reply).encode() + b"\n")
        self.stop()

    def new(self, descriptor: int) -> dict:
        self.scratch = tempfile.mkdtemp(prefix="grading-")
        self.pid = isolation.fork(self.layers)
        if self.pid == 0:
            self._become_child(descriptor)
        os.close(descriptor)
        return {"pid": self.pid}

    def interrupt(self) -> dict:
        os.kill(self.pid, signal.SIGINT)
        return {}

    def status(self) -> dict:
        """How the child has ended; None where it has not. It stays a zombie, for kill_all to find."""
        state = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if state is None:
            return {"exit": None}
        return {"exit": state.si_status if state.si_code == os.CLD_EXITED else -state.si_status}

    def stop(self) -> dict:
        status = isolation.kill_all(self.pid) if self.pid else 0
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.pid, self.scratch = 0, ""
        return {"exit": os.waitstatus_to_exitcode(status)}

    def _become_child(self, descriptor: int) -> None:
        """Confines this process, and serves the grader at the other side of the socket. Never returns."""
        try:
            with socket.socket(fileno=descriptor) as connection:
                try:
                    # What the learner's code could use against the grader, or against who started it: the
                    # socket on which the zygote takes commands, and the terminal.
                    self.control.close()
                    _close_terminal()
                    os.chdir(self.scratch)
                    sys.path.append("")  # a notebook imports modules that stand beside it, as text
                    sys.dont_write_bytecode = True
                    kept = (0, 1, 2, descriptor)
                    place = Path(self.scratch)
                    isolation.confine(place, self.shown, self.hidden, self.limits, self.layers, kept)
                except Exception as error:
                    # Without its isolation it must not run anything.
                    Wire(connection).send({"unable": f"{type(error).__name__}: {error}"})
                    os._exit(1)
                _reseed()  # else all submissions would draw the same numbers
                seal = new_seal()
                Wire(connection).send({"ready": True, "seal": seal.hex()})
                wire = Wire(connection, seal=seal)
                self.child.serve(wire)
        finally:
            # Whatever happens, the child must neither return into the zygote's loop nor run
            # at its exit what the zygote has registered.
            os._exit(0)


def _install_stubs(lesson: str, names: dict) -> None:
    """Stub modules in place of the answers: an empty package, and a lesson (see lesson_module)."""
    package, stub = ModuleType(ANSWERS), lesson_module(lesson, names)
    package.__path__ = []
    setattr(package, lesson.rpartition(".")[2], stub)
    course_lib.exercises = package  # pyright: ignore[reportAttributeAccessIssue]  (never imported here)
    sys.modules |= {ANSWERS: package, lesson: stub}


def _taken_away(libraries: Iterable[str]) -> list[Path]:
    """Where these are. From now on they cannot be imported."""
    specs = [importlib.util.find_spec(name) for name in libraries]
    modules: dict[str, Any] = sys.modules
    modules.update(dict.fromkeys(libraries))  # None: there is no such module
    # The folders of a package, or the one file of a module.
    places = [spec.submodule_search_locations or [spec.origin] for spec in specs if spec]
    return [Path(place) for each in places for place in each if place]


def _warm_shell(modules: Iterable[str], sources: Iterable[str]) -> Shell:
    """A shell in which these are imported and what is slow the first time has been done once."""
    for module in (*modules, *EVERYWHERE):
        importlib.import_module(module)
    keep_from_answers(f"{PACKAGE}{os.sep}", tuple(str(PACKAGE / name) for name in NO_PIECES))
    keep_uninterrupted()
    forget_what_tells_nobody()
    keep_getters()
    keep_modules()
    shell = new_shell()
    shell.open(lambda output: None)
    before = set(shell.user_ns)
    for source in sources:
        shell.run(source)
    warm(shell)
    for name in set(shell.user_ns) - before:
        del shell.user_ns[name]
    shell.execution_count = 1
    return shell


def _settle(freeze: Callable[[], None]) -> None:
    """Nothing else is imported or made before there are children."""
    # The garbage collector writes into each object that it visits, and a child gets its own copy of a page
    # that is written to. It does not visit frozen objects: so children go on sharing the zygote's memory.
    gc.collect()
    freeze()
    use_large_pages()
    if len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("the grader's parent process has several threads, and its children would hang")


def _close_terminal() -> None:
    """Standard streams to nowhere: what code writes past Python would reach the instructor's terminal."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)


def _reseed() -> None:
    """torch begins as in a new process; the others, as there, anywhere."""
    random.seed()
    numpy.random.seed()


def main() -> None:
    with socket.socket(fileno=int(sys.argv[1])) as control:
        setting = pickle.load(control.makefile("rb"))
        zygote = Zygote(control, **setting)
        control.sendall(b'{"ready": true}\n')
        zygote.serve()


if __name__ == "__main__":
    main()
