"""The corpus under this course's grader: one run of one class, honest students among the others."""

import contextlib
import ctypes
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import nbformat

from course_lib.grading.nbgrader.course import Course
from course_lib.grading.results import SubmissionResult, results
from course_lib.grading.runner import run
from course_lib.grading.sandbox.isolation import Limits
from course_lib.grading.workers import graded
from hostile.evidence import Evidence, Witness, loot
from hostile.submission import LOOT, Submission, hand_in

FAST = "course_lib.grading.sandbox.grader.Grader"
LIMITS = Limits(cell_seconds=3, grace_seconds=2, seconds=60, memory=2 << 30)
SUBREAPER = 36  # prctl: orphans of our descendants become our children, so that we see them


def grade(course: Path, submissions: Iterable[Submission]) -> dict[str, Evidence]:
    """Grade them in a released course, lesson by lesson, in the order of their names, with one worker.

    What is changed, heard or left alive cannot be told apart: it stands with every submission.
    """
    chosen = list(submissions)
    for each in chosen:
        hand_in(each, course)
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    before = _descendants()
    with Witness(course) as witness:
        found: dict[str, SubmissionResult] = {}
        flags: dict[str, list[str]] = {}
        with _terminal() as spilled:
            for lesson in sorted({each.lesson for each in chosen}):
                this = Course(course, lesson)
                bundle = this.bundle(grader=FAST, isolation="available", limits=LIMITS)
                summary = run(this, bundle, executor=lambda bundle, jobs: graded(bundle, jobs, 1))
                mine = [each.name for each in chosen if each.lesson == lesson]
                flags |= {name: _flags(summary, name) for name in mine}
                found |= {one.student: one for one in results(this) if one.student in mine}
        time.sleep(1)
        left = len(_descendants() - before)
        changed = witness.changed() + ["the terminal of who grades"] * any(map(_is_learners, spilled))
        seen = changed, sorted(witness.heard), left
        return {
            each.name: Evidence(
                found[each.name].points or None,
                True,
                _taken(Course(course, each.lesson), each.name),
                *seen,
                flags[each.name],
            )
            for each in chosen
        }


@contextlib.contextmanager
def _terminal() -> Iterator[list[str]]:
    """What reaches stdout and stderr within it, also of child processes, when it ends."""
    lines, kept = [], [os.dup(1), os.dup(2)]
    with tempfile.TemporaryFile() as file:
        for stream, descriptor in zip((sys.stdout, sys.stderr), (1, 2), strict=True):
            stream.flush()
            os.dup2(file.fileno(), descriptor)
        try:
            yield lines
        finally:
            for stream, descriptor, old in zip((sys.stdout, sys.stderr), (1, 2), kept, strict=True):
                stream.flush()
                os.dup2(old, descriptor)
                os.close(old)
            file.seek(0)
            lines += file.read(1 << 22).decode("utf-8", "replace").splitlines()


def _is_learners(line: str) -> bool:
    return LOOT in line or "you have won a prize" in line


def _taken(course: Course, name: str) -> list[str]:
    path = course.autograded(name)
    return loot(nbformat.read(path, as_version=4)) if path.exists() else []


def _flags(summary, name: str) -> list[str]:
    failure = summary.failures.get(name)
    found = summary.flags.get(name, []) + summary.repairs.get(name, [])
    return found + ([failure] if failure else [])


def _descendants() -> set[int]:
    """Of this process, without multiprocessing's own tracker, which lives as long as we do."""
    found, waiting = set(), [os.getpid()]
    while waiting:
        for task in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            children = set(map(int, task.read_text().split())) - found
            waiting += children
            found |= children
    return {pid for pid in found if b"resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_bytes()}
