"""Submissions are handed to worker processes of this machine; a worker that dies is replaced."""

import contextlib
import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from course_lib.grading.job import Bundle, Result, close_grader, grade_job, grader_for

TRIES = 2
SPAWN = multiprocessing.get_context("spawn")


class WorkerError(Exception):
    """No worker can start: the message is the grader's own."""


@dataclass
class Job:
    key: Any
    submission: bytes
    deaths: int = 0


class Worker:
    """One process with its own grader."""

    def __init__(self, bundle: Bundle):
        self.connection, theirs = SPAWN.Pipe()
        self.process = SPAWN.Process(target=serve, args=(theirs, bundle), daemon=True)
        self.process.start()
        theirs.close()
        self.job: Job | None = None

    def take(self, job: Job) -> None:
        self.job = job
        with contextlib.suppress(OSError):  # it has died: waiting for its answer tells
            self.connection.send(job.submission)

    def answer(self) -> tuple[str, Any] | None:
        """None where the process is no more."""
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            return None

    def stop(self) -> None:
        """Once its connection is closed an idle one ends by itself; one at work is told to, then made to."""
        self.connection.close()
        for end in ([] if self.job else [lambda: None]) + [self.process.terminate, self.process.kill]:
            end()
            self.process.join(timeout=10)
            if not self.process.is_alive():
                return


def serve(connection: Connection, bundle: Bundle) -> None:
    """The worker's side: ends when the other side does, however that ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the grader is closed
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # there are as many workers as cores
    try:
        connection.send(("ready", dict(grader_for(bundle).active)))
    except Exception as error:
        connection.send(("unable", str(error) or type(error).__name__))
        return
    with contextlib.suppress(EOFError, OSError):
        while True:
            connection.send(("done", _attempt(bundle, connection.recv())))
    close_grader()


def _attempt(bundle: Bundle, submission: bytes) -> Result:
    try:
        return grade_job(bundle, submission)
    except Exception as error:
        traceback.print_exc()
        close_grader()  # the next submission gets a fresh one
        return Result(failure=f"the grader failed on it: {type(error).__name__}: {error}")


def graded(
    bundle: Bundle,
    jobs: Iterable[tuple[Any, bytes]],
    count: int,
    started: Callable[[dict[str, str]], None] = lambda layers: None,
) -> Iterator[tuple[Any, Result]]:
    """Results by key, as they come. `started` is told once what isolation there is.

    A submission on which a worker dies is tried once more. Raises WorkerError where no worker can start.
    """
    pool = Pool(bundle, jobs, count, started)
    try:
        yield from pool.results()
    finally:
        pool.stop()


class Pool:
    """The runner's side. Jobs are read only when somebody is there to do them."""

    def __init__(self, bundle, jobs, count, started):
        self._bundle, self._jobs, self._started = bundle, iter(jobs), started
        self._again: list[Job] = []
        self._busy = {Worker(bundle) for _ in range(count)}  # those that owe an answer
        self._idle: set[Worker] = set()

    def results(self) -> Iterator[tuple[Any, Result]]:
        while self._busy:
            workers = {worker.connection: worker for worker in self._busy}
            for connection in wait(list(workers)):
                if result := self._hear(workers[connection]):
                    yield result

    def stop(self) -> None:
        workers = self._busy | self._idle
        for worker in workers:
            worker.connection.close()
        for worker in workers:
            worker.stop()

    def _hear(self, worker: Worker) -> tuple[Any, Result] | None:
        job, answer = worker.job, worker.answer()
        self._busy.remove(worker)
        if answer is None:
            return self._bury(worker)
        kind, value = answer
        if kind == "unable":
            raise WorkerError(value)
        if kind == "ready" and self._started:
            self._started(value)
            self._started = None
        self._employ(worker)
        return (job.key, value) if kind == "done" else None

    def _employ(self, worker: Worker) -> None:
        job = self._again.pop() if self._again else None
        job = job or next((Job(key, submission) for key, submission in self._jobs), None)
        worker.job = None
        (self._busy if job else self._idle).add(worker)
        if job:
            worker.take(job)

    def _bury(self, worker: Worker) -> tuple[Any, Result] | None:
        job = worker.job
        worker.stop()
        if job is None:
            raise WorkerError(f"a worker ended while starting, exit code {worker.process.exitcode}")
        self._busy.add(Worker(self._bundle))
        job.deaths += 1
        if job.deaths < TRIES:
            self._again.append(job)
            return None
        return job.key, Result(failure=f"the worker that graded it died, {TRIES} times")
