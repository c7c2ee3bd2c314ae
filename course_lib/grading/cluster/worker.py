"""Grade one submission on a worker of a Dask cluster.

The grader forks, which a process with many threads such as Dask's worker must not do. So it has a process of
its own beside the worker, which stays warm for the next submissions and ends with the worker.
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
from course_lib.grading.job import JobResult
from course_lib.grading.nbgrader.bundle import Bundle
from course_lib.grading.workers import Job, Worker

PACKAGES = ("torch", "ipython", "nbgrader", "nbformat", "cloudpickle", "distributed")


class UnfitWorkerError(Exception):
    """This worker cannot grade. The message says why, and what was expected of it."""


class GraderDiedError(Exception):
    """The grader's process ended on a submission."""


@dataclass(frozen=True)
class Answer:
    """`layers`: what isolation the worker has, as Grader.active."""

    result: JobResult
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
    """The task that Dask runs. Raises UnfitWorkerError, or GraderDiedError."""
    me = get_worker()
    differing = {name: own for name, own in versions().items() if own != expected.get(name)}
    if differing:
        listed = ", ".join(f"{name} {own}, not {expected.get(name)}" for name, own in differing.items())
        raise UnfitWorkerError(
            f"the worker {me.address} has {listed}: install the same there, and restart it"
        )
    if me.state.nthreads != 1 or not _process.lock.acquire(blocking=False):
        raise UnfitWorkerError(
            f"the worker {me.address} has {me.state.nthreads} threads, or shares its process with another: "
            "expected one thread and a process of its own (dask worker --nthreads 1 --nworkers N)"
        )
    try:
        return _process.grade(bundle, submission, me.address)
    finally:
        _process.lock.release()


class _GraderProcess:
    """The grader beside this Dask worker: started at the first submission, and anew for another bundle."""

    def __init__(self):
        self.lock = threading.Lock()
        self._bundle: Bundle | None = None
        self._grader: Worker | None = None
        self._layers: dict[str, str] = {}

    def grade(self, bundle: Bundle, submission: bytes, address: str) -> Answer:
        if self._grader is None or self._bundle != bundle:
            self._stop()
            self._grader = self._start(bundle, address)
        job = Job(None, submission)
        self._grader.send(job)
        answer = self._grader.answer()
        if answer is None:
            self._stop()
            if job.deaths:  # another worker would take as long
                return Answer(JobResult(failure=job.failure), address, self._layers)
            raise GraderDiedError
        self._grader.job = None
        return Answer(answer[1], address, self._layers)

    def _start(self, bundle: Bundle, address: str) -> Worker:
        # Dask's nanny starts its workers as daemons, which multiprocessing allows no children.
        multiprocessing.current_process().daemon = False
        grader = Worker(bundle)
        answer = grader.answer()
        if answer is None or answer[0] == "unable":
            grader.stop()
            reason = answer[1] if answer else "the grader's process ended while starting"
            raise UnfitWorkerError(f"the worker {address} cannot grade: {reason}")
        self._bundle, self._layers = bundle, answer[1]
        return grader

    def _stop(self) -> None:
        if self._grader:
            self._grader.stop()
        self._bundle = self._grader = None


_process = _GraderProcess()
