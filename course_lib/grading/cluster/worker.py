"""What a worker of a Dask cluster does with a submission.

The grader forks, and Dask's worker has many threads: so it lives in a process of its own beside the worker,
stays warm there, and ends when the worker does.
"""

import functools
import hashlib
import multiprocessing
import platform
import threading
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from distributed import get_worker

import course_lib
from course_lib.grading.job import Bundle, Result
from course_lib.grading.workers import Job, Worker

PACKAGES = ("torch", "ipython", "nbgrader", "nbformat", "cloudpickle", "distributed")


class Unfit(Exception):
    """This worker cannot grade. The message says why, and what was expected of it."""


class Died(Exception):
    """The grader's process ended on a submission."""


@dataclass(frozen=True)
class Answer:
    """`layers`: what isolation the worker has, as Grader.active."""

    result: Result
    worker: str
    layers: dict[str, str]


@functools.cache  # what this process has loaded, not what has been installed since
def versions() -> dict[str, str]:
    """What has to be equal everywhere, so that a submission gets the same points everywhere."""
    digest, package = hashlib.sha256(), Path(course_lib.__file__).parent
    for path in sorted(package.rglob("*.py")):
        digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes())
    python = {"course_lib": digest.hexdigest()[:12], "python": platform.python_version()}
    return python | {name: version(name) for name in PACKAGES}


def grade(bundle: Bundle, expected: dict[str, str], submission: bytes) -> Answer:
    """The task. Raises Unfit, or Died."""
    me = get_worker()
    differing = {name: found for name, found in versions().items() if found != expected.get(name)}
    if differing:
        told = ", ".join(f"{name} {found}, not {expected.get(name)}" for name, found in differing.items())
        raise Unfit(f"the worker {me.address} has {told}: install the same there, and restart it")
    if me.state.nthreads != 1 or not _seat.lock.acquire(blocking=False):
        raise Unfit(
            f"the worker {me.address} has {me.state.nthreads} threads, or shares its process with another: "
            "expected one thread and a process of its own (dask worker --nthreads 1 --nworkers N)"
        )
    try:
        return _seat.grade(bundle, submission, me.address)
    finally:
        _seat.lock.release()


class _Seat:
    """The one place of this process at which a grader sits."""

    def __init__(self):
        self.lock = threading.Lock()
        self._bundle: Bundle | None = None
        self._grader: Worker | None = None
        self._layers: dict[str, str] = {}

    def grade(self, bundle: Bundle, submission: bytes, address: str) -> Answer:
        if self._bundle != bundle:
            self._leave()
            self._start(bundle, address)
        self._grader.take(Job(None, submission))
        answer = self._grader.answer()
        if answer is None:
            self._leave()
            raise Died
        self._grader.job = None
        return Answer(answer[1], address, self._layers)

    def _start(self, bundle: Bundle, address: str) -> None:
        multiprocessing.current_process().daemon = False  # Dask's nanny calls us one: they have no children
        self._grader = Worker(bundle)
        kind, value = self._grader.answer() or ("unable", "the grader's process ended while starting")
        if kind == "unable":
            self._leave()
            raise Unfit(f"the worker {address} cannot grade: {value}")
        self._bundle, self._layers = bundle, value

    def _leave(self) -> None:
        if self._grader:
            self._grader.stop()
        self._bundle = self._grader = None


_seat = _Seat()
