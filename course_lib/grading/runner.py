"""Grades what students handed in for a lesson: `course grade LESSON`.

A batch of results is staged as files, written to the gradebook in one transaction, and then published to
autograded/. Whatever is published was committed; what a killed run left half done is graded again.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice

from filelock import FileLock, Timeout
from tqdm import tqdm

from course_lib.grading.course import Course, CourseError, Submission
from course_lib.grading.job import RECORD, Bundle, Result, record
from course_lib.grading.nbgrader.folders import Folders, contents
from course_lib.grading.nbgrader.gradebook import Entry, Records
from course_lib.grading.nbgrader.repair import NotGradable
from course_lib.grading.workers import graded

BATCH, SECONDS = 32, 5.0  # results wait for the gradebook until there are so many, or for so long


class Busy(CourseError):
    """Another run is at work in this course."""


@dataclass
class Summary:
    """What a run did, by student. `failures`, `repairs` and `flags` are sentences."""

    graded: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    repairs: dict[str, list[str]] = field(default_factory=dict)
    flags: dict[str, list[str]] = field(default_factory=dict)
    seconds: float = 0.0


Executor = Callable[[Bundle, Iterable[tuple[str, bytes]]], Iterator[tuple[str, Result]]]


def run(
    course: Course, bundle: Bundle, students=(), force=False, executor: Executor | None = None
) -> Summary:
    """Grade what is new or changed, of all students or of those named. Raises CourseError.

    executor: grades the jobs it is given and yields their results, in any order; one worker by default.
    """
    folders = Folders(course)
    try:
        with FileLock(folders.lock, timeout=0), Records(course) as records:
            folders.sweep()
            return Run(course, bundle, folders, records).start(students, force, executor or one_worker)
    except Timeout:
        raise Busy(f"another run is grading in {course.root}: wait until it has ended") from None


def one_worker(bundle: Bundle, jobs: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Result]]:
    return graded(bundle, jobs, 1)


class Run:
    """One run, under its lock."""

    def __init__(self, course: Course, bundle: Bundle, folders: Folders, records: Records):
        self._course, self._bundle, self._folders, self._records = course, bundle, folders, records
        self._summary = Summary()
        self._submissions: dict[str, Submission] = {}
        self._waiting: list[tuple[str, Result]] = []

    def start(self, students: Iterable[str], force: bool, executor: Executor) -> Summary:
        begun = last = time.monotonic()
        self._submissions = self._chosen(students)
        jobs = self._jobs(force)
        with tqdm(total=len(self._submissions), unit="submission", desc=self._course.lesson) as self._bar:
            try:
                first = list(islice(jobs, 1))  # where nothing is to be graded no worker starts
                for student, result in executor(self._bundle, chain(first, jobs)) if first else ():
                    self._waiting.append((student, result))
                    self._bar.update()
                    if len(self._waiting) >= BATCH or time.monotonic() - last > SECONDS:
                        self._save()
                        last = time.monotonic()
            finally:
                self._save()
        self._summary.seconds = time.monotonic() - begun
        return self._summary

    def _chosen(self, students: Iterable[str]) -> dict[str, Submission]:
        found = {submission.student: submission for submission in self._course.submissions()}
        if missing := [student for student in students if student not in found]:
            raise CourseError(f"no submission of {self._course.lesson} by {', '.join(missing)}")
        return {student: found[student] for student in students} if students else found

    def _jobs(self, force: bool) -> Iterator[tuple[str, bytes]]:
        """Reads a submission when a worker asks for it; sorts out what needs no grading."""
        known = self._records.students()
        for student, submission in self._submissions.items():
            try:
                text, remarks = contents(submission)
            except (NotGradable, OSError) as error:
                self._waiting.append((student, Result(failure=str(error))))
                self._bar.update()
                continue
            if not force and student in known and self._is_unchanged(submission, text):
                self._summary.unchanged.append(student)
                self._bar.update()
                continue
            if remarks:
                self._summary.repairs[student] = remarks
            yield student, text

    def _is_unchanged(self, submission: Submission, text: bytes) -> bool:
        path = self._course.autograded(submission.student)
        try:
            done = json.loads(path.read_text(encoding="utf-8"))["metadata"][RECORD]
        except (OSError, ValueError, KeyError, TypeError):  # none, or of stock nbgrader
            return False
        times = [self._course.timestamp(folder) for folder in (submission.folder, path.parent)]
        return done == record(self._bundle, text) and times[0] == times[1]

    def _save(self) -> None:
        """Stage, commit, publish: in this order nothing is published that was not committed."""
        batch, self._waiting = self._waiting, []
        entries, staged = [], {}
        for student, result in batch:
            submission = self._submissions[student]
            if result.notebook is not None:
                staged[student], left_out = self._folders.stage(submission, result.notebook)
                self._note(student, result, left_out)
            else:
                self._summary.failures[student] = result.failure
            scores = None if result.notebook is None else result.scores
            entries.append(Entry(student, self._course.timestamp(submission.folder), scores))
        if entries:
            self._records.save(entries)
        for student, _ in batch:
            if student in staged:
                self._folders.publish(student, staged[student])
            else:
                self._folders.remove(student)

    def _note(self, student: str, result: Result, left_out: list[str]) -> None:
        self._summary.graded.append(student)
        if result.repairs:
            self._summary.repairs.setdefault(student, []).extend(result.repairs)
        if flags := [*result.flags, *left_out]:
            self._summary.flags[student] = flags
