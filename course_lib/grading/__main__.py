"""Grade what students handed in for a lesson: python -m course_lib.grading LESSON [options]

Run it in the folder that holds nbgrader_config.py. It grades what is new or has changed, and leaves the
same files and the same gradebook as `nbgrader autograde`; nbgrader's other commands and formgrader go on
from there. Killed at any moment, it continues where it was.

Exit code: 0 all is graded; 1 something could not be graded, or no feedback made, as listed; 2 it could not
begin, or not go on: the message says what to mend; 3 another run is at work; 130 stopped by Ctrl-C, begin
again at will.
"""

import argparse
import os
import sys
from pathlib import Path

from course_lib.grading.class_report import write_report
from course_lib.grading.course import Course, CourseError
from course_lib.grading.export import export
from course_lib.grading.feedback import make_feedback
from course_lib.grading.results import SubmissionResult, results, table
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


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    try:
        return grade(options)
    except BusyError as error:
        print(error, file=sys.stderr)
        return 3
    except (CourseError, WorkerError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped; what was finished is kept, and the next run goes on from there", file=sys.stderr)
        return 130


def parse(arguments: list[str] | None) -> argparse.Namespace:
    title, _, notes = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m course_lib.grading",
        description=title,
        epilog=notes,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("lesson", metavar="LESSON", help="such as 02_attention")
    add("--student", nargs="+", default=[], metavar="ID", help="only these students")
    add("--workers", type=int, default=os.cpu_count(), metavar="N", help="processes; one a core by default")
    add("--isolation", choices=("required", "available", "off"), default="available", help="how strictly")
    add("--scheduler", metavar="URL", help="a Dask cluster in place of this machine, such as tcp://HOST:8786")
    add("--force", action="store_true", help="grade again what is graded and unchanged")
    add("--stock", action="store_true", help="in a Jupyter kernel, as nbgrader does: slow, not isolated")
    add("--db", default="", metavar="URL", help="of the gradebook, in place of nbgrader_config.py's")
    add("--feedback", action="store_true", help="make nbgrader's feedback pages too")
    add("--csv", type=Path, metavar="FILE", help="write all grades, a column for each exercise")
    add("--report", type=Path, metavar="FOLDER", help="write LESSON.html there: the mistakes of the class")
    options = parser.parse_args(arguments)
    if options.workers < 1:
        parser.error(f"--workers: expected 1 or more, got {options.workers}")
    return options


def grade(options: argparse.Namespace) -> int:
    maker = STOCK if needs_kernel(options) else FAST
    course = Course(Path.cwd(), options.lesson, options.db)
    bundle = course.bundle(grader=maker, isolation=options.isolation)
    summary = run(course, bundle, options.student, options.force, executor(options))
    found = results(course)
    for result in found:
        if result.student in summary.failures:
            result.notes = [f"not graded: {summary.failures[result.student]}"]
    shown = [result for result in found if result.student in options.student or not options.student]
    print(table(shown[:ROWS]))
    if len(shown) > ROWS:
        print(f"... and {len(shown) - ROWS} more: --csv FILE has them all")
    print("\n" + told(summary))
    if options.csv:
        export(course, found, options.csv)
    if options.report:
        print(f"the class report is {write_report(options.report, course.lesson, found)}")
    lost = show_feedback(course, shown, options.workers) if options.feedback else False
    return int(bool(summary.failures) or lost)


def needs_kernel(options: argparse.Namespace) -> bool:
    """Whether by choice or because this system has no isolation, which is said."""
    can_isolate = sys.platform == "linux" or options.scheduler  # a cluster's workers say what they can
    if options.isolation == "required" and (options.stock or not can_isolate):
        reason = "a stock kernel has no isolation" if can_isolate else LOST
        raise CourseError(f"--isolation required: {reason}")
    if not can_isolate:
        print(LOST)
    return options.stock or not can_isolate


def show_feedback(course: Course, found: list[SubmissionResult], workers: int) -> bool:
    """Whether some could not be made."""
    failed = make_feedback(course, [result.student for result in found], workers)
    if failed:
        print(f"no feedback for {', '.join(failed)}: nbgrader's log above says why", file=sys.stderr)
    return bool(failed)


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
    for title, notes in (("repaired", summary.repairs), ("flagged", summary.flags)):
        lines += [f"{title}: {student}: {'; '.join(texts)}" for student, texts in sorted(notes.items())]
    lines += [f"not gradable: {student}: {why}" for student, why in sorted(summary.failures.items())]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
