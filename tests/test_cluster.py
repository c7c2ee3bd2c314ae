"""A class on a Dask cluster: real scheduler, real worker processes; killed ones lose nothing."""

import os
import signal
import time

import pytest

pytest.importorskip("distributed", reason='distributed is not installed: pip install -e ".[cluster]"')

import nbformat
from distributed import Client, LocalCluster
from grading_paper import (
    FULL,
    LESSON,
    PAPER,
    answered,
    copy_of,
    hand_in,
    make_course,
    points_of,
    rows,
)
from test_grading_runner import here

from course_lib.command import main
from course_lib.grading import workers
from course_lib.grading.cluster import scheduler as clusters
from course_lib.grading.cluster.scheduler import JOBS_PER_WORKER, graded
from course_lib.grading.cluster.worker import _GraderProcess
from course_lib.grading.runner import run
from course_lib.grading.workers import WorkerError

pytestmark = pytest.mark.xdist_group("cluster")
WORKERS, SLOW = 3, "paper_grader.SlowGrader"
PARTS = [{}, FULL, {"padding_mask": 4}, {"causal_mask": 1.5}]
CLASS = {f"student{number:02}": PARTS[number % 4] for number in range(24)}
POINTS = {name: sum(points.values()) for name, points in CLASS.items()}


def local_cluster(**options):
    options = {"n_workers": WORKERS, "threads_per_worker": 1, "dashboard_address": None} | options
    return LocalCluster(host="127.0.0.1", processes=True, memory_limit=0, **options)


@pytest.fixture(scope="module")
def cluster():
    with local_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("cluster") / "course", CLASS)


@pytest.fixture
def course(template, tmp_path):
    return copy_of(template, tmp_path / "course")


def executor(scheduler, started=lambda layers: None, seen=lambda count: None):
    """`seen` is called at each result with their number."""

    def execute(bundle, jobs):
        for count, result in enumerate(graded(bundle, jobs, scheduler, started), 1):
            yield result
            seen(count)

    return execute


def grade(course, scheduler, grader=PAPER, **options):
    """A run of the runner, on a cluster."""
    return run(course, course.bundle(grader=grader), executor=executor(scheduler, **options))


def pids(cluster):
    """Of worker processes; their graders are other ones."""
    with Client(cluster.scheduler_address, set_as_default=False) as client:
        return list(client.run(os.getpid).values())


def slow_class(course):
    log = course.root / "log"
    for student, points in CLASS.items():
        (lines := dict(points)).setdefault("additive_attention", 0)
        lines["additive_attention"] = f"{lines['additive_attention']} # logs {log}"
        hand_in(course, student, answered(lines))
    return log


def test_the_gradebook_is_that_of_this_machine(course, cluster, tmp_path):
    local = copy_of(course, tmp_path / "local")
    run(local, local.bundle(grader=PAPER), executor=here)
    layers = []
    summary = grade(course, cluster.scheduler_address, started=layers.append)
    assert rows(course) == rows(local)
    assert sorted(summary.graded) == sorted(CLASS) and not summary.failures
    assert layers == [{"paper": "active"}]
    assert len(grade(course, cluster.scheduler_address).unchanged) == len(CLASS)


def test_a_submission_that_kills_graders_is_given_up_and_the_others_are_graded(course, cluster, tmp_path):
    hand_in(course, "once", answered({"padding_mask": f"4 # dies once {tmp_path / 'died'}"}))
    hand_in(course, "always", answered({"padding_mask": "4 # dies"}))
    before = pids(cluster)
    summary = grade(course, cluster.scheduler_address)
    assert summary.failures == {"always": "the grader's process died on it, 2 times"}
    assert points_of(course)["once"] == 4 and len(summary.graded) == len(CLASS) + 1
    assert sorted(pids(cluster)) == sorted(before), "Dask's workers live on"


def test_a_grader_that_computes_without_end_is_ended(course, monkeypatch):
    monkeypatch.setattr(workers, "MOST_SECONDS", 1.0)
    monkeypatch.setattr(workers, "LOOK", 0.2)
    endless = nbformat.writes(answered({"padding_mask": "4 # never ends"})).encode()
    answer = _GraderProcess().grade(course.bundle(grader=PAPER), endless, "tcp://here")
    assert answer.result.failure == workers.TOO_LONG and answer.layers == {"paper": "active"}


def test_only_a_few_submissions_are_on_their_way(course, cluster):
    bundle, taken, most = course.bundle(grader=PAPER), 0, 0

    def jobs():
        nonlocal taken
        for student in CLASS:
            taken += 1
            yield student, (course.folder("submitted", student) / f"{LESSON}.ipynb").read_bytes()

    for count, _ in enumerate(graded(bundle, jobs(), cluster.scheduler_address), 1):
        most = max(most, taken - count)
        time.sleep(0.02)
    assert count == taken == len(CLASS) and WORKERS < most <= 2 * JOBS_PER_WORKER * WORKERS


def test_no_scheduler(course, monkeypatch):
    monkeypatch.setattr(clusters, "TIMEOUT", 1)
    with pytest.raises(WorkerError, match=r"no Dask scheduler answers at tcp://127.0.0.1:9: "):
        grade(course, "tcp://127.0.0.1:9")
    with pytest.raises(WorkerError, match=r"no Dask scheduler answers at nonsense://x: "):
        grade(course, "nonsense://x")


def test_the_command_says_it_in_one_sentence(course, monkeypatch, capsys):
    monkeypatch.chdir(course.root)
    monkeypatch.setattr(clusters, "TIMEOUT", 1)
    assert main(["grade", LESSON, "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert capsys.readouterr().err.count("no Dask scheduler answers at tcp://127.0.0.1:9") == 1


def test_a_worker_with_two_threads_is_refused(course):
    refused = pytest.raises(WorkerError, match=r"has 2 threads, .* expected one thread")
    with local_cluster(n_workers=1, threads_per_worker=2) as cluster, refused:
        grade(course, cluster.scheduler_address)
    assert points_of(course) == {}


def test_a_worker_with_another_course_is_refused(course, cluster, monkeypatch):
    ours = clusters.versions() | {"course_lib": "another"}
    monkeypatch.setattr(clusters, "versions", lambda: ours)
    with pytest.raises(WorkerError, match=r"the worker tcp://.* has course_lib \w+, not another: install"):
        grade(course, cluster.scheduler_address)


def test_a_worker_without_the_isolation_that_is_required_is_refused(course, cluster):
    bundle = course.bundle(
        grader="course_lib.grading.nbgrader.kernel_grader.KernelGrader", isolation="required"
    )
    with pytest.raises(WorkerError, match=r"the worker tcp://.* cannot grade: isolation is required"):
        run(course, bundle, ["student00"], executor=executor(cluster.scheduler_address))


def test_a_worker_killed_in_mid_run_loses_nothing(course, cluster, tmp_path):
    local = copy_of(course, tmp_path / "local")
    run(local, local.bundle(grader=PAPER), executor=here)
    log, results, killed = slow_class(course), [], []

    def kill(count):
        results.append(count)
        lines = log.read_text().split("\n")
        for pid in pids(cluster) if count >= 5 and not killed else ():
            if not killed and lines.count(f"begun {pid}") > lines.count(f"done {pid}"):
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    summary = grade(course, cluster.scheduler_address, SLOW, seen=kill)
    assert len(results) == len(CLASS), "each result came once"
    assert log.read_text().count("begun") > len(CLASS), "what the killed worker was at was graded once more"
    assert sorted(summary.graded) == sorted(CLASS) and not summary.failures
    assert points_of(course) == points_of(local) == POINTS
    assert len(rows(course)) == len(rows(local)), "and nothing stands there twice"
    assert killed and killed[0] not in pids(cluster)


def test_a_scheduler_that_goes_in_mid_run_is_told_and_the_next_run_goes_on(course, cluster):
    with local_cluster(n_workers=2) as doomed:
        slow_class(course)
        address = doomed.scheduler_address
        with pytest.raises(WorkerError, match=r"the scheduler tcp://.* is gone"):
            grade(course, address, SLOW, seen=lambda count: count == 5 and doomed.close())
    kept = points_of(course)
    assert 5 <= len(kept) < len(CLASS)
    summary = grade(course, cluster.scheduler_address, SLOW)
    assert sorted(summary.graded + summary.unchanged) == sorted(CLASS)
    assert points_of(course) == POINTS
