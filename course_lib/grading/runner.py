"""A grading run: which submissions are graded, and in which order their results are written.

A batch of results is staged as files, written to the gradebook in one transaction, and then published to
autograded/. Whatever is published was committed; what a killed run left half done is graded again.
"""

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice

from filelock import FileLock, Timeout
from tqdm import tqdm

from course_lib.grading.job import RECORD, JobResult, record
from course_lib.grading.nbgrader.bundle import Bundle
from course_lib.grading.nbgrader.course import STAMP, Course, CourseError, Submission
from course_lib.grading.nbgrader.folders import Folders, read_submission
from course_lib.grading.nbgrader.gradebook import Entry, Records
from course_lib.grading.nbgrader.repair import NotGradableError
from course_lib.grading.plain_text import one_line, sentences
from course_lib.grading.workers import graded

BATCH_SIZE, BATCH_SECONDS = 32, 5.0  # results are written when there are so many, or after so long


NO_TIME = "timestamp.txt cannot be read: it counts as handed in in time"


class BusyError(CourseError):
    """Another run is at work in this course."""


@dataclass
class Summary:
    """What a run did, by student. `failures`, `repairs`, `flags` and `notes` are sentences."""

    graded: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    repairs: dict[str, list[str]] = field(default_factory=dict)
    flags: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    seconds: float = 0.0


# Grades the jobs that it is given, and yields their results in any order.
Executor = Callable[[Bundle, Iterable[tuple[str, bytes]]], Iterator[tuple[str, JobResult]]]


def run(
    course: Course, bundle: Bundle, students=(), force=False, executor: Executor | None = None
) -> Summary:
    """Grade what is new or changed, of all students or of those named. Raises CourseError.

    executor: one worker process of this machine by default.
    """
    folders = Folders(course)
    try:
        with FileLock(folders.lock, timeout=0), Records(course) as records:
            folders.sweep()
            return Run(course, bundle, folders, records).start(students, force, executor or one_worker)
    except Timeout:
        raise BusyError(f"another run is grading in {course.root}: wait until it has ended") from None


def one_worker(bundle: Bundle, jobs: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, JobResult]]:
    return graded(bundle, jobs, 1)


class Run:
    """One run, under its lock."""

    def __init__(self, course: Course, bundle: Bundle, folders: Folders, records: Records):
        self._course, self._bundle, self._folders, self._records = course, bundle, folders, records
        self._summary = Summary()
        self._submissions: dict[str, Submission] = {}
        self._waiting: list[tuple[str, JobResult]] = []

    def start(self, students: Iterable[str], force: bool, executor: Executor) -> Summary:
        started = saved = time.monotonic()
        self._summary.failures |= {one_line(name): why for name, why in self._course.misnamed().items()}
        self._submissions = self._chosen(students)
        jobs = self._jobs(force)
        with tqdm(total=len(self._submissions), unit="submission", desc=self._course.lesson) as self._bar:
            try:
                # Starting workers takes seconds: look for the first job, and start none if there is none.
                first = list(islice(jobs, 1))
                for student, result in executor(self._bundle, chain(first, jobs)) if first else ():
                    self._waiting.append((student, result))
                    self._bar.update()
                    if len(self._waiting) >= BATCH_SIZE or time.monotonic() - saved > BATCH_SECONDS:
                        self._save()
                        saved = time.monotonic()
            finally:  # after Ctrl-C too, so that no finished work is lost
                self._save()
        self._records.renew_penalties(set(self._summary.graded))
        self._summary.seconds = time.monotonic() - started
        return self._summary

    def _chosen(self, students: Iterable[str]) -> dict[str, Submission]:
        found = {submission.student: submission for submission in self._course.submissions()}
        if missing := [student for student in students if student not in found]:
            raise CourseError(f"no submission of {self._course.lesson} by {', '.join(missing)}")
        return {student: found[student] for student in students} if students else found

    def _jobs(self, force: bool) -> Iterator[tuple[str, bytes]]:
        """Read a submission when a worker asks for it; sort out what needs no grading.

        What cannot be read goes straight to the results, as a failure.
        """
        known = self._records.students()
        for student, submission in self._submissions.items():
            try:
                text, remarks = read_submission(submission)
            except (NotGradableError, OSError) as error:
                self._waiting.append((student, JobResult(failure=str(error))))
                self._bar.update()
                continue
            if not force and student in known and self._is_unchanged(submission, text):
                self._summary.unchanged.append(student)
                self._bar.update()
                continue
            stamp = submission.folder / STAMP
            if os.path.lexists(stamp) and self._course.timestamp(submission.folder) is None:
                remarks = [*remarks, NO_TIME]
            if remarks:
                self._summary.repairs[student] = sentences(remarks)
            yield student, text

    def _is_unchanged(self, submission: Submission, text: bytes) -> bool:
        path = self._course.autograded(submission.student)
        try:
            graded = json.loads(path.read_text(encoding="utf-8"))["metadata"][RECORD]
        except (OSError, ValueError, KeyError, TypeError):  # never graded, or by stock nbgrader
            return False
        # The same notebook handed in at another time may be late now.
        times = [self._course.timestamp(folder) for folder in (submission.folder, path.parent)]
        return graded == record(self._bundle, text) and times[0] == times[1]

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
                self._summary.failures[student] = one_line(result.failure)
            points = None if result.notebook is None else result.cell_points
            entries.append(Entry(student, self._course.timestamp(submission.folder), points))
        if entries:
            self._records.save(entries)
        for student, _ in batch:
            if student in staged:
                self._folders.publish(student, staged[student])
            else:  # as stock autograde: the gradebook keeps old points, formgrader shows no notebook
                self._folders.remove(student)

    def _note(self, student: str, result: JobResult, left_out: list[str]) -> None:
        self._summary.graded.append(student)
        if result.repairs:
            self._summary.repairs.setdefault(student, []).extend(sentences(result.repairs))
        if flags := [*result.flags, *left_out]:
            self._summary.flags[student] = sentences(flags)
        if result.notes:
            self._summary.notes[student] = sentences(result.notes)
