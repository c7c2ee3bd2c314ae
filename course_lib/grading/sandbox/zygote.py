"""A warm process that forks one isolated child a submission. It runs no learner's code and holds no answers.

python -m course_lib.grading.sandbox.zygote DESCRIPTOR    a stream socket to the grader, see client.py
"""

import gc
import importlib
import json
import os
import pickle
import pkgutil
import random
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Collection, Iterable
from pathlib import Path
from types import ModuleType

import cloudpickle  # noqa: F401  (what it has pickled needs it)
import numpy.random  # which numpy puts off until somebody asks

import course_lib
from course_lib.grading.sandbox import isolation
from course_lib.grading.sandbox.child import Child, lesson_module
from course_lib.grading.sandbox.shell import Shell, new_shell
from course_lib.grading.sandbox.wire import Wire

PACKAGE = Path(course_lib.__file__).parent
ANSWERS = "course_lib.exercises"
TOOLS = ("authoring", "grading", "checks.lesson")  # no probe needs them
OPTIMIZER = "w = torch.nn.Parameter(torch.ones(1))\ntorch.optim.Adam([w]).step()"  # imports 500 modules
WARM_UP = (  # what is slow the first time
    "raise NotImplementedError()",
    "import torch\ntorch.zeros(2) + 'a'",
    "x = torch.ones(3, requires_grad=True)\ntorch.autograd.grad(x.square().sum(), x)[0]",
    "import torch.nn.functional as F\nF.linear(torch.zeros(2), torch.zeros(3, 3))",
    "import pickle\npickle.loads(pickle.dumps(torch.ones(2)))",
    "torch.get_default_device()",
    "import matplotlib.pyplot as plt\n_ = plt.plot([0, 1])",
    "a =",
)


class Zygote:
    """layers: of isolation; lesson: "course_lib.exercises.NAME"; names: what else a notebook imports from it.

    optimizes: whether the lesson makes an optimizer.
    """

    def __init__(
        self,
        control: socket.socket,
        layers: Collection[str],
        limits: dict,
        lesson: str,
        names: dict,
        optimizes: bool,
    ):
        self.control, self.layers, self.limits = control, layers, isolation.Limits(**limits)
        _install_stubs(lesson, names)
        self.shell = _warm_shell([*WARM_UP, OPTIMIZER] if optimizes else WARM_UP)
        self.pid, self.scratch = 0, ""
        self.hidden = [PACKAGE / "exercises"]

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
        found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return {"exit": None}
        return {"exit": found.si_status if found.si_code == os.CLD_EXITED else -found.si_status}

    def stop(self) -> dict:
        status = isolation.kill_all(self.pid) if self.pid else 0
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.pid, self.scratch = 0, ""
        return {"exit": os.waitstatus_to_exitcode(status)}

    def _become_child(self, descriptor: int) -> None:
        """Never returns."""
        try:
            with socket.socket(fileno=descriptor) as end:
                try:
                    self.control.close()
                    _close_terminal()
                    os.chdir(self.scratch)
                    kept = (0, 1, 2, descriptor)
                    isolation.confine(
                        Path(self.scratch), [PACKAGE], self.hidden, self.limits, self.layers, kept
                    )
                except Exception as error:
                    Wire(end).send({"unable": f"{type(error).__name__}: {error}"})
                    os._exit(1)
                _reseed()
                signal.signal(signal.SIGINT, signal.default_int_handler)
                Wire(end).send({"ready": True})
                Child(self.shell, end).serve()
        finally:
            os._exit(0)


def _install_stubs(lesson: str, names: dict) -> None:
    """In place of the answers an empty package; in it only the lesson's, with check, hint and progress."""
    package, stub = ModuleType(ANSWERS), lesson_module(lesson, names)
    package.__path__ = []
    setattr(package, lesson.rpartition(".")[2], stub)
    course_lib.exercises = package
    sys.modules |= {ANSWERS: package, lesson: stub}


def _warm_shell(sources: Iterable[str]) -> Shell:
    """A child cannot list the folder of checks, so what probes need of it is imported here."""
    for found in pkgutil.walk_packages(course_lib.__path__, "course_lib.", onerror=lambda _: None):
        name = found.name.removeprefix("course_lib.")
        if not name.startswith(TOOLS) and not name.endswith("__main__"):
            importlib.import_module(found.name)
    shell = new_shell()
    shell.open(lambda output: None)
    before = set(shell.user_ns)
    for source in sources:
        shell.run(source)
    for name in set(shell.user_ns) - before:
        del shell.user_ns[name]
    shell.execution_count = 1
    gc.collect()
    gc.freeze()
    if len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("the grader's parent process has several threads, and its children would hang")
    return shell


def _close_terminal() -> None:
    """What the learner's code writes past Python would reach the instructor's."""
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
        setting = pickle.load(control.makefile("rb", buffering=0))
        zygote = Zygote(control, **setting)
        control.sendall(b'{"ready": true}\n')
        zygote.serve()


if __name__ == "__main__":
    main()
