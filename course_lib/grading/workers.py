"""Grade submissions in worker processes of this machine; a worker that dies is replaced."""

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

from course_lib.grading.job import JobResult, close_grader, grade_job, grader_for
from course_lib.grading.nbgrader.bundle import Bundle
from course_lib.grading.sandbox.isolation import own_cpu_seconds

MAX_ATTEMPTS = 2  # at a submission on which a worker dies, or its grader fails
MOST_SECONDS = 300.0  # of a worker's own CPU time for one submission: to read, audit and judge it
LOOK = 5.0  # seconds between looks at that
DIED = f"the worker that graded it died, {MAX_ATTEMPTS} times"
TOO_LONG = "to read and to judge it took too long"
SPAWN = multiprocessing.get_context("spawn")


class WorkerError(Exception):
    """No worker can start, and the message is the grader's own; or one was ended while it made pages."""


@dataclass
class Job:
    key: Any
    submission: bytes
    deaths: int = 0
    failure: str = DIED


class Worker:
    """A process with a grader of its own, and the runner's end of the pipe to it.

    It sends ("ready", isolation layers) or ("unable", reason) once, then ("done", JobResult) for each job.
    """

    def __init__(self, bundle: Bundle):
        self.connection, theirs = SPAWN.Pipe()
        self.process = SPAWN.Process(target=serve, args=(theirs, bundle), daemon=True)
        self.process.start()
        theirs.close()
        self.job: Job | None = None
        self._used_before = 0.0

    def send(self, job: Job) -> None:
        self.job, self._used_before = job, self._used()
        with contextlib.suppress(OSError):  # it has died: `answer` will say so
            self.connection.send(job.submission)

    def end_what_takes_too_long(self) -> None:
        """Learners' code has limits of its own: this is about what is done with its bytes and numbers."""
        if self.job and self._used() - self._used_before > MOST_SECONDS:
            self.job.deaths, self.job.failure = MAX_ATTEMPTS, TOO_LONG
            self.process.kill()

    def _used(self) -> float:
        return own_cpu_seconds(self.process.pid or 0)

    def answer(self) -> tuple[str, Any] | None:
        """The next message; None if the process is gone, as where it has taken too long."""
        try:
            while not self.connection.poll(LOOK):
                self.end_what_takes_too_long()
            return self.connection.recv()
        except (EOFError, OSError):
            return None

    def stop(self) -> None:
        """Close the connection, which ends an idle process; one at work is asked to end, then killed."""
        self.connection.close()
        steps = [self.process.terminate, self.process.kill]
        for step in steps if self.job else [lambda: None, *steps]:
            step()
            self.process.join(timeout=10)
            if not self.process.is_alive():
                return


def serve(connection: Connection, bundle: Bundle) -> None:
    """The worker process: grades what it is sent until the runner's end of the pipe is closed, or gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the runner, which stops its workers
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


def _attempt(bundle: Bundle, submission: bytes) -> JobResult:
    """A grader that fails may have met a full machine, as where no kernel starts: a fresh one tries again."""
    failure = ""
    for _ in range(MAX_ATTEMPTS):
        try:
            return grade_job(bundle, submission)
        except Exception as error:
            traceback.print_exc()
            close_grader()
            failure = f"the grader failed on it: {type(error).__name__}: {error}"
    return JobResult(failure=failure)


def graded(
    bundle: Bundle,
    jobs: Iterable[tuple[Any, bytes]],
    count: int,
    started: Callable[[dict[str, str]], None] = lambda layers: None,
) -> Iterator[tuple[Any, JobResult]]:
    """Results by key, as they come. `started` is called once, with the layers of isolation.

    A submission on which a worker dies is tried once more. Raises WorkerError where no worker can start.
    """
    pool = Pool(bundle, jobs, count, started)
    try:
        yield from pool.results()
    finally:
        pool.stop()


class Pool:
    """The runner's side: gives each worker one job at a time, and the next when its answer has come.

    A job is read only when a worker is free, so a class of any size needs no more memory. A worker is
    either waited for (it owes an answer) or idle (there are no more jobs).
    """

    def __init__(self, bundle, jobs, count, started):
        self._bundle, self._jobs, self._started = bundle, iter(jobs), started
        self._retries: list[Job] = []  # of workers that died; given out before new jobs
        self._waited_for = {Worker(bundle) for _ in range(count)}  # a new one owes "ready"
        self._idle: set[Worker] = set()

    def results(self) -> Iterator[tuple[Any, JobResult]]:
        while self._waited_for:
            workers = {worker.connection: worker for worker in self._waited_for}
            readable = wait(list(workers), LOOK)  # those of workers that have died too
            for worker in self._waited_for:
                worker.end_what_takes_too_long()
            for worker in [workers[connection] for connection in workers if connection in readable]:
                if result := self._receive(worker):
                    yield result

    def stop(self) -> None:
        workers = self._waited_for | self._idle
        for worker in workers:  # first all, so that idle ones end at the same time
            worker.connection.close()
        for worker in workers:
            worker.stop()

    def _receive(self, worker: Worker) -> tuple[Any, JobResult] | None:
        """Take a worker's answer and give it the next job; the result, where the answer was one."""
        job, answer = worker.job, worker.answer()
        self._waited_for.remove(worker)
        if answer is None:
            return self._replace(worker)
        kind, value = answer
        if kind == "unable":
            raise WorkerError(value)
        if kind == "ready" and self._started:
            self._started(value)
            self._started = None
        self._give_job(worker)
        return (job.key, value) if job else None

    def _give_job(self, worker: Worker) -> None:
        job = self._retries.pop() if self._retries else None
        job = job or next((Job(key, submission) for key, submission in self._jobs), None)
        worker.job = None
        (self._waited_for if job else self._idle).add(worker)
        if job:
            worker.send(job)

    def _replace(self, worker: Worker) -> tuple[Any, JobResult] | None:
        """Start a worker in place of a dead one; its job is tried again, or failed for good."""
        job = worker.job
        worker.stop()
        if job is None:
            raise WorkerError(f"a worker ended while starting, exit code {worker.process.exitcode}")
        self._waited_for.add(Worker(self._bundle))
        job.deaths += 1
        if job.deaths < MAX_ATTEMPTS:
            self._retries.append(job)
            return None
        return job.key, JobResult(failure=job.failure)
