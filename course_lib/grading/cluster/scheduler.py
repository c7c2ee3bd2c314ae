"""Submissions are handed to a Dask cluster; a submission whose worker dies is graded by another one."""

import queue
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from itertools import islice
from typing import Any

import dask
from distributed import Client, Future, KilledWorker

from course_lib.grading.cluster.worker import Answer, Died, Unfit, grade, versions
from course_lib.grading.job import Bundle, Result
from course_lib.grading.workers import TRIES, WorkerError

AHEAD = 2  # submissions on their way for each worker: one is graded, one waits there
PATIENCE = 10.0  # seconds until a scheduler has answered, and after which waiting for workers is told
QUIET = {"distributed.admin.large-graph-warning-threshold": "1 GiB"}  # a submission may have large outputs
PROTOCOL = ("python", "dask", "distributed", "msgpack", "cloudpickle", "tornado")


def graded(
    bundle: Bundle,
    jobs: Iterable[tuple[Any, bytes]],
    scheduler: str,
    started: Callable[[dict[str, str]], None] = lambda layers: None,
) -> Iterator[tuple[Any, Result]]:
    """Results by key, as they come. `started` is told what isolation there is, again where a worker differs.

    scheduler: such as tcp://10.0.0.1:8786. Raises WorkerError where it cannot be reached, or a worker is
    unfit.
    """
    try:
        client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise WorkerError(f"no Dask scheduler answers at {scheduler}: {error}") from None
    with dask.config.set(QUIET), client:
        _require_same_versions(client)
        yield from Cluster(client, bundle, jobs, started).results()


class Cluster:
    """The runner's side. Jobs are read only when somebody will soon be there to do them."""

    def __init__(self, client: Client, bundle: Bundle, jobs, started):
        self._client, self._bundle, self._jobs, self._started = client, bundle, iter(jobs), started
        self._keys: dict[Future, Any] = {}  # of what is on its way
        self._finished: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._layers: list[dict[str, str]] = []  # that were told

    def results(self) -> Iterator[tuple[Any, Result]]:
        self._submit()
        while self._keys:
            future = self._next()
            found = self._keys.pop(future), self._result(future)
            self._submit()
            yield found

    def _submit(self) -> None:
        room = AHEAD * max(1, self._count_workers()) - len(self._keys)
        for key, submission in islice(self._jobs, max(0, room)):
            future = self._client.submit(
                grade, self._bundle, versions(), submission, pure=False, retries=TRIES - 1
            )
            self._keys[future] = key
            future.add_done_callback(self._finished.put)

    def _next(self) -> Future:
        told = False
        while True:
            try:
                return self._finished.get(timeout=PATIENCE)
            except queue.Empty:
                if not self._count_workers() and not told:
                    print(
                        f"no workers at {self._client.scheduler.address}: waiting for some", file=sys.stderr
                    )
                    told = True

    def _count_workers(self) -> int:
        try:
            return len(self._client.nthreads())
        except (OSError, CancelledError) as error:
            raise self._gone(error) from None

    def _result(self, future: Future) -> Result:
        try:
            answer: Answer = future.result()
        except KilledWorker as error:
            return Result(failure=f"the workers that graded it died, {error.allowed_failures + 1} times")
        except Died:
            return Result(failure=f"the grader's process died on it, {TRIES} times")
        except Unfit as error:
            raise WorkerError(str(error)) from None
        except (OSError, CancelledError) as error:
            raise self._gone(error) from None
        except Exception as error:
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
            f"the scheduler {self._client.scheduler.address} is gone ({type(error).__name__}); "
            "what was graded is kept, and the next run goes on from there"
        )


def _require_same_versions(client: Client) -> None:
    """Where they differ, what is sent may not be read: so this comes before the first job."""
    found = client.get_versions()
    ours = _protocol(found["client"])
    for who, theirs in {"scheduler": found["scheduler"], **found["workers"]}.items():
        for name, version in _protocol(theirs).items():
            if version != ours[name]:
                raise WorkerError(f"{who} has {name} {version}, and this machine {ours[name]}")


def _protocol(found: dict) -> dict[str, str]:
    packages = {**found["packages"], "python": found["packages"]["python"].split(".final")[0]}
    return {name: packages.get(name) for name in PROTOCOL}
