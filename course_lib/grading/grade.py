"""Grades what students handed in for a lesson, and prints what came out: `course grade`."""

import argparse
import sys
from pathlib import Path

from course_lib.grading.class_report import write_report
from course_lib.grading.export import export
from course_lib.grading.feedback import Pages, make_feedback
from course_lib.grading.hints_shown import hints_shown
from course_lib.grading.lms.feedback_zip import write_feedback
from course_lib.grading.lms.lists import WORKSHEET
from course_lib.grading.lms.roster import Roster, read_roster
from course_lib.grading.lms.upload import Upload
from course_lib.grading.nbgrader.course import Course, CourseError
from course_lib.grading.outputs import PAGE, TABLE, require_replaceable
from course_lib.grading.results import EARLIER, NOT_GRADED, UNGRADED, SubmissionResult, results, table
from course_lib.grading.runner import BusyError, Executor, Summary, run
from course_lib.grading.workers import WorkerError, graded

FAST = "course_lib.grading.sandbox.grader.Grader"
STOCK = "course_lib.grading.nbgrader.kernel_grader.KernelGrader"
LOST = (
    "No isolation on this system: learners' code runs in a stock Jupyter kernel, as you and beside the "
    "checks, so it could read your files or forge its points, and grading takes many times longer. Linux has "
    "all of it."
)
ROWS = 100  # of the table on the screen
NAMES = 10  # in a sentence


def grade_lesson(options: argparse.Namespace) -> int:
    """The exit code of `course grade` with these options."""
    try:
        return _grade(options)
    except BusyError as error:
        print(error, file=sys.stderr)
        return 3
    except (CourseError, WorkerError) as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:  # a full disk, a course that may not be written
        print(f"{error.strerror or error}: {error.filename or 'no file is named'}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped; what was finished is kept, and the next run goes on from there", file=sys.stderr)
        return 130


def _grade(options: argparse.Namespace) -> int:
    maker = STOCK if needs_kernel(options) else FAST
    _require_writable(options)
    course = Course(Path.cwd(), options.lesson, options.db)
    bundle = course.bundle(grader=maker, isolation=options.isolation)
    points = sum(cell.max_score or 0 for cell in bundle.source.cells)
    upload = Upload(options.lms, course.lesson, points, options.column) if options.lms else None
    summary = run(course, bundle, options.student, options.force, executor(options))
    found = results(course)
    for result in found:
        if result.student in summary.failures:
            kept = EARLIER if result.points else UNGRADED
            rest = [note for note in result.notes if note not in (EARLIER, NOT_GRADED)]
            result.notes = [f"{kept}: {summary.failures[result.student]}", *rest]
    shown = [result for result in found if result.student in options.student or not options.student]
    print(table(shown[:ROWS]))
    if len(shown) > ROWS:
        print(f"... and {len(shown) - ROWS} more: --csv FILE has them all")
    print("\n" + told(summary))
    if options.csv:
        export(course, found, options.csv)
    if options.report:
        page = write_report(options.report, course.lesson, found, hints_shown(course))
        print(f"the class report is {page}")
    pages = None
    if options.feedback:  # the zip for Moodle has all, and a page of an earlier run may show other points
        asked = found if upload and upload.kind == WORKSHEET else shown
        pages = show_feedback(course, asked, options.workers)
    lost = bool(upload) and show_upload(course, upload, found, pages)
    return int(bool(summary.failures) or lost or bool(pages and pages.failed))


def _require_writable(options: argparse.Namespace) -> None:
    """Tries what is to be written before a class is graded, not after."""
    if options.csv:
        with open(require_replaceable(options.csv, TABLE), "a", encoding="utf-8"):
            pass
    if options.report:
        options.report.mkdir(parents=True, exist_ok=True)
        require_replaceable(options.report / f"{options.lesson}.html", PAGE)


def needs_kernel(options: argparse.Namespace) -> bool:
    """Whether by choice or because this system has no isolation, which is said."""
    can_isolate = sys.platform == "linux" or options.scheduler  # a cluster's workers say what they can
    if options.isolation == "required" and (options.stock or not can_isolate):
        reason = "a stock kernel has no isolation" if can_isolate else LOST
        raise CourseError(f"--isolation required: {reason}")
    if not can_isolate:
        print(LOST)
    return options.stock or not can_isolate


def show_feedback(course: Course, found: list[SubmissionResult], workers: int) -> Pages:
    pages = make_feedback(course, [result.student for result in found], workers)
    for student, reason in pages.failed.items():
        print(f"no feedback for {student}: {reason}", file=sys.stderr)
    return pages


def show_upload(course: Course, upload: Upload, found: list[SubmissionResult], pages: Pages | None) -> bool:
    """Whether somebody's points are not in the file. pages: None where none are asked for."""
    worksheet = upload.table if upload.kind == WORKSHEET else None
    roster = read_roster(course, worksheet)
    filled = upload.write(found, roster)
    print(f"{len(filled.rows)} of {len(found)} have their points in {upload.path}, for the system to import")
    for student, why in sorted(filled.problems.items()):
        print(f"not in it: {roster.shown(student)}: {why}")
    if filled.ungraded:
        told = _named(filled.ungraded, roster)
        print(f"{len(filled.ungraded)} with written answers to grade by hand, 0 points so far: {told}")
    if worksheet and pages:
        path = upload.path.with_name(f"{upload.path.stem}_feedback.zip")
        rows = {student: row for student, row in filled.rows.items() if student in pages.made}
        print(f"{write_feedback(course, worksheet, rows, path)} feedback pages are in {path}")
        if without := [student for student in filled.rows if student not in rows]:
            print(f"no page in it for {len(without)} with points: {_named(without, roster)}")
    return bool(filled.problems)


def _named(students: list[str], roster: Roster) -> str:
    more = " and others" if len(students) > NAMES else ""
    return ", ".join(map(roster.shown, students[:NAMES])) + more


def executor(options: argparse.Namespace) -> Executor:
    """This machine's processes, or a cluster's."""
    if not options.scheduler:
        return lambda bundle, jobs: graded(bundle, jobs, options.workers, show_layers)
    try:
        from course_lib.grading.cluster import scheduler as cluster
    except ModuleNotFoundError as error:
        raise CourseError(f"--scheduler needs {error.name}: pip install -e '.[cluster]'") from None
    return lambda bundle, jobs: cluster.graded(bundle, jobs, options.scheduler, show_layers)


def show_layers(layers: dict[str, str]) -> None:
    print("isolation: " + "; ".join(f"{layer} {state}" for layer, state in layers.items()), flush=True)


def told(summary: Summary) -> str:
    """What happened, in sentences."""
    lines = [
        f"{len(summary.graded)} graded, {len(summary.unchanged)} unchanged, "
        f"{len(summary.failures)} not gradable, in {summary.seconds:.0f} s"
    ]
    for title, notes in (
        ("repaired", summary.repairs),
        ("noted", summary.notes),
        ("flagged", summary.flags),
    ):
        lines += [f"{title}: {student}: {'; '.join(texts)}" for student, texts in sorted(notes.items())]
    lines += [f"not gradable: {student}: {why}" for student, why in sorted(summary.failures.items())]
    return "\n".join(lines)
