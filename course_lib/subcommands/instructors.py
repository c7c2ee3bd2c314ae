"""What instructors run: collect, grade, similar, report, mistake, demo, hidden."""

import argparse
import os
from functools import partial
from pathlib import Path

from course_lib.subcommands.options import Options, Run, count, lesson_names


def collect_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("lesson", metavar="LESSON", help="such as 02_attention")
    add("source", type=Path, metavar="FILE", help="a download of Canvas or Moodle, or a folder of notebooks")
    add(
        "--list",
        type=Path,
        metavar="CSV",
        help="the system's list of students: Canvas's gradebook, Moodle's participants or grading worksheet",
    )


def collect(options: Options) -> Run:
    """Take in what students handed in to Canvas or Moodle, or what lies in a folder.

    Run it in the folder that holds nbgrader_config.py. It writes submitted/STUDENT/LESSON/LESSON.ipynb, as
    nbgrader has it, of the newest notebook of each student, and says by name what it does not take, and why.
    With --list the students go into nbgrader's gradebook first. A second run changes nothing.

    Example: course collect 02_attention submissions.zip --list grades.csv

    Exit code: 0 all is taken; 1 something is not, as listed; 2 bad usage, or FILE or CSV cannot be read.
    """
    from course_lib.grading.lms.collect import collect

    return partial(collect, options)


def grade_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("lesson", metavar="LESSON", help="such as 02_attention")
    add("--student", nargs="+", default=[], metavar="ID", help="only these students")
    cores = os.cpu_count()
    add(
        "--workers",
        type=count,
        default=cores,
        metavar="N",
        help="number of processes; one for each core by default",
    )
    add(
        "--isolation",
        choices=("required", "available", "off"),
        default="available",
        help="required: stop if a layer is missing",
    )
    add("--scheduler", metavar="URL", help="a Dask cluster instead of this machine, such as tcp://HOST:8786")
    add("--force", action="store_true", help="also grade what is graded already and unchanged")
    add("--stock", action="store_true", help="use a Jupyter kernel, as nbgrader does: slow, not isolated")
    add("--db", default="", metavar="URL", help="the gradebook, instead of nbgrader_config.py's")
    add("--feedback", action="store_true", help="make nbgrader's feedback pages too")
    add("--csv", type=Path, metavar="FILE", help="write all grades, a column for each exercise")
    add(
        "--report",
        type=Path,
        metavar="FOLDER",
        help="write LESSON.html there, with the mistakes of the class",
    )
    add(
        "--lms",
        type=Path,
        metavar="CSV",
        help="Canvas's gradebook or Moodle's grading worksheet, as exported: write LESSON_canvas.csv or "
        "LESSON_moodle.csv to import there, and with --feedback a zip of the pages for Moodle",
    )
    add("--column", default="", metavar="TITLE", help="of Canvas's gradebook; by default what names LESSON")


def grade(options: Options) -> Run:
    """Grade what students handed in for a lesson.

    Run it in the folder that holds nbgrader_config.py. It grades what is new or has changed, and leaves the
    same files and the same gradebook as `nbgrader autograde`, so nbgrader's other commands and formgrader can
    use them. If it is killed, the next run continues where this one stopped.

    Example: course grade 02_attention --feedback --csv all.csv --report report

    Exit code: 0 everything is graded; 1 some submissions could not be graded, or have no feedback, as listed;
    2 it could not start or continue, and the message says what to correct; 3 another run is at work; 130
    stopped by Ctrl-C, and can be started again.
    """
    from course_lib.grading.grade import grade_lesson

    return partial(grade_lesson, options)


def similar_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("lesson", metavar="LESSON", help="such as 02_attention")
    add("--pairs", type=count, default=50, metavar="N", help="as many pairs; 50 by default")
    add("--to", type=Path, default=Path("report"), metavar="FOLDER", help="of the page; report by default")


def similar(options: Options) -> Run:
    """Show pairs of graded submissions that share what few others have, for you to read.

    Answers are compared with each other and with the public solution, by their syntax trees. What most of the
    class writes weighs little. No points follow from it.

    Example: course similar 02_attention

    Exit code: 0 the page is written; 2 bad usage, or fewer than two submissions are graded.
    """
    from course_lib.grading.similar import find_similar

    return partial(find_similar, options)


def report_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("lesson", nargs="*", metavar="LESSON", help="such as 02_attention; all graded lessons by default")
    add("--to", type=Path, default=Path("report"), metavar="FOLDER", help="of the page; report by default")


def report(options: Options) -> Run:
    """Show which mistakes the same students make again in later lessons.

    Run it in the folder that holds nbgrader_config.py, once two lessons are graded. It reads the graded
    notebooks and grades nothing. The page names students, so it is not for them.

    Example: course report

    Exit code: 0 the page is written; 2 bad usage, or fewer than two lessons are graded.
    """
    from course_lib.grading.repeated import report

    return partial(report, options)


def mistake_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lesson", metavar="LESSON", help="such as 02_attention")
    parser.add_argument("exercise", metavar="EXERCISE", help="such as causal_mask")
    parser.add_argument("student", metavar="STUDENT", help="whose graded answer it is")


def mistake(options: Options) -> Run:
    """Print a graded answer as the beginning of a mistake that the checks will name.

    It is meant for what the class report calls unlisted. Nothing of the answer is run. Give it a name and an
    advice, and run the tests: each listed mistake has to be told apart from all others.

    Example: course mistake 02_attention causal_mask ada

    Exit code: 0 it is printed; 2 bad usage, or there is no such answer, or one that cannot be read.
    """
    from course_lib.grading.new_mistake import print_mistake

    if options.lesson not in (known := lesson_names(options)):
        options.error(f"no lesson {options.lesson}; there are {', '.join(known)}")
    return partial(print_mistake, options.lesson, options.exercise, options.student)


def demo_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", nargs="?", default="demo_class", metavar="FOLDER", help="demo_class by default"
    )


def demo(options: Options) -> Run:
    """Make a class of made-up submissions and grade it with stock nbgrader.

    FOLDER becomes a separate course, and the real gradebook is not touched. A demo class that is already in
    FOLDER is made again; any other folder is left alone. It takes about a minute.

    Example: course demo /tmp/demo_class

    Exit code: 0 the class is made, and its points are printed; 2 bad usage, or FOLDER holds something else.
    """
    from course_lib.grading.demo_class import demo

    lesson_names(options)
    return partial(demo, Path(options.folder))


def hidden_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("lesson", metavar="LESSON", help="such as 02_attention")
    given = os.environ.get("COURSE_LIB_HIDDEN")
    add(
        "--to",
        type=Path,
        default=given,
        required=not given,
        metavar="FOLDER",
        help="of your hidden parts; COURSE_LIB_HIDDEN by default",
    )


def hidden(options: Options) -> Run:
    """Write hidden parts of your own for a lesson, or check those that you have written.

    FOLDER is outside the course's folder, and nobody else reads it. Where it has no LESSON_hidden.py, a copy
    of the public parts is written for you to change. Then the file is checked: the points add up, right code
    passes under several seeds, each listed mistake is refused under its own name, and what CATCHES lists is
    refused by your parts. `course grade` and nbgrader use FOLDER if the variable COURSE_LIB_HIDDEN names it.

    Example: course hidden 02_attention --to ~/private_parts

    Exit code: 0 the file can be used; 1 something in it has to be corrected, as listed; 2 bad usage, or
    FOLDER is in the course's folder.
    """
    from course_lib.grading.hidden_parts import write_or_check

    if options.lesson not in (known := lesson_names(options)):
        options.error(f"no lesson {options.lesson}; there are {', '.join(known)}")
    return partial(write_or_check, options.lesson, Path(options.to))
