"""Grade submissions on a Dask cluster; a submission whose worker dies is graded by another one."""

import queue
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from itertools import islice
from typing import Any

import dask.config
from distributed import Client, Future, KilledWorker

from course_lib.grading.cluster.worker import Answer, GraderDiedError, UnfitWorkerError, grade, versions
from course_lib.grading.job import JobResult
from course_lib.grading.nbgrader.bundle import Bundle
from course_lib.grading.workers import MAX_ATTEMPTS, WorkerError

JOBS_PER_WORKER = 2  # sent at a time: one is graded, one waits at the worker
TIMEOUT = 10.0  # seconds in which a scheduler must answer, and after which a lack of workers is reported
DASK_SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "1 GiB"
}  # a submission may have large outputs
PROTOCOL_PACKAGES = ("python", "dask", "distributed", "msgpack", "cloudpickle", "tornado")


def graded(
    bundle: Bundle,
    jobs: Iterable[tuple[Any, bytes]],
    scheduler: str,
    started: Callable[[dict[str, str]], None] = lambda layers: None,
) -> Iterator[tuple[Any, JobResult]]:
    """Results by key, as they come. `started` gets the layers of isolation, again where a worker differs.

    scheduler: such as tcp://10.0.0.1:8786. Raises WorkerError where it cannot be reached, or a worker
    cannot grade.
    """
    try:
        client = Client(scheduler, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise WorkerError(f"no Dask scheduler answers at {scheduler}: {error}") from None
    with dask.config.set(DASK_SETTINGS), client:
        _require_same_versions(client)
        yield from Cluster(client, scheduler, bundle, jobs, started).results()


class Cluster:
    """The runner's side: keeps JOBS_PER_WORKER jobs at each worker, and reads no job before that."""

    def __init__(self, client: Client, address: str, bundle: Bundle, jobs, started):
        self._client, self._bundle, self._jobs, self._started = client, bundle, iter(jobs), started
        self._address = address
        self._keys: dict[Future, Any] = {}  # of the jobs that were sent
        self._finished: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._layers: list[dict[str, str]] = []  # those that were reported

    def results(self) -> Iterator[tuple[Any, JobResult]]:
        self._submit()
        while self._keys:
            future = self._next()
            finished = self._keys.pop(future), self._result(future)
            self._submit()  # before the runner writes the result, so that the worker need not wait
            yield finished

    def _submit(self) -> None:
        missing = JOBS_PER_WORKER * max(1, self._count_workers()) - len(self._keys)
        for key, submission in islice(self._jobs, max(0, missing)):
            future = self._client.submit(
                grade, self._bundle, versions(), submission, pure=False, retries=MAX_ATTEMPTS - 1
            )
            self._keys[future] = key
            future.add_done_callback(self._finished.put)

    def _next(self) -> Future:
        reported = False
        while True:
            try:
                return self._finished.get(timeout=TIMEOUT)
            except queue.Empty:
                if not self._count_workers() and not reported:
                    print(f"no workers at {self._address}: waiting for some", file=sys.stderr)
                    reported = True

    def _count_workers(self) -> int:
        try:
            return len(self._client.nthreads())  # pyright: ignore[reportArgumentType]  (not asynchronous)
        except (OSError, CancelledError) as error:
            raise self._gone(error) from None

    def _result(self, future: Future) -> JobResult:
        try:
            answer: Answer = future.result()
        except KilledWorker as error:
            return JobResult(failure=f"the workers that graded it died, {error.allowed_failures + 1} times")
        except GraderDiedError:  # after Dask's retries
            return JobResult(failure=f"the grader's process died on it, {MAX_ATTEMPTS} times")
        except UnfitWorkerError as error:
            raise WorkerError(str(error)) from None
        except (OSError, CancelledError) as error:
            raise self._gone(error) from None
        except Exception as error:  # such as an import error, or a message that could not be read
            raise WorkerError(
                f"a task did not reach the grader: {type(error).__name__}: {error}; scheduler and workers "
                "need the same course_lib and packages as this machine"
            ) from error
        if answer.layers not in self._layers:
            self._layers.append(answer.layers)
            self._started(answer.layers)
        return answer.result

    def _gone(self, error: BaseException) -> WorkerError:
        return WorkerError(
            f"the scheduler {self._address} is gone ({type(error).__name__}); "
            "what was graded is kept, and the next run goes on from there"
        )


def _require_same_versions(client: Client) -> None:
    """Other versions of these packages may not understand our messages: so this comes before any job."""
    known: Any = client.get_versions()  # a coroutine only of asynchronous clients
    ours = _protocol(known["client"])
    for who, theirs in {"scheduler": known["scheduler"], **known["workers"]}.items():
        for name, version in _protocol(theirs).items():
            if version != ours[name]:
                raise WorkerError(f"{who} has {name} {version}, and this machine {ours[name]}")


def _protocol(versions: dict) -> dict[str, str | None]:
    packages = {**versions["packages"], "python": versions["packages"]["python"].split(".final")[0]}
    return {name: packages.get(name) for name in PROTOCOL_PACKAGES}
