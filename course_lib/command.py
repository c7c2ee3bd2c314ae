"""The command `course`: a table of subcommands, each with its options, its help and what it runs.

Each imports what it runs only when it runs, so that `course --help` is fast and needs nothing but Python.
"""

import argparse
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from course_lib import __version__

BAD_USAGE, STOPPED = 2, 130
EXAMPLE = "\n\nExample: "  # a docstring from here on stands below the options

Options = argparse.Namespace
Run = Callable[[], int]  # returns the exit code


def build_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a notebook is stale")
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="such as 02_attention; all by default")


def build(options: Options) -> Run:
    """Build both notebooks of every lesson from its text.

    solutions/LESSON.py becomes the instructor's notebook in solutions/ and the learners' in notebooks/. From
    all lessons together follow README's table and course_lib/graded_cells.json.

    Example: course build --check 02_attention

    Exit code: 0 all is built (with --check: nothing is stale); 1 a notebook is stale, or a lesson's text
    breaks a rule; 2 bad usage.
    """
    from course_lib.authoring.build import build_course

    known = _lessons(options)
    if unknown := sorted(set(options.lessons) - set(known)):
        options.error(f"no lesson {', '.join(unknown)}; there are {', '.join(known)}")
    return partial(build_course, options.lessons, options.check)


def grade_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("lesson", metavar="LESSON", help="such as 02_attention")
    add("--student", nargs="+", default=[], metavar="ID", help="only these students")
    cores = os.cpu_count()
    add("--workers", type=_count, default=cores, metavar="N", help="processes; one a core by default")
    add("--isolation", choices=("required", "available", "off"), default="available", help="how strictly")
    add("--scheduler", metavar="URL", help="a Dask cluster in place of this machine, such as tcp://HOST:8786")
    add("--force", action="store_true", help="grade again what is graded and unchanged")
    add("--stock", action="store_true", help="in a Jupyter kernel, as nbgrader does: slow, not isolated")
    add("--db", default="", metavar="URL", help="of the gradebook, in place of nbgrader_config.py's")
    add("--feedback", action="store_true", help="make nbgrader's feedback pages too")
    add("--csv", type=Path, metavar="FILE", help="write all grades, a column for each exercise")
    add("--report", type=Path, metavar="FOLDER", help="write LESSON.html there: the mistakes of the class")


def grade(options: Options) -> Run:
    """Grade what students handed in for a lesson.

    Run it in the folder that holds nbgrader_config.py. It grades what is new or has changed, and leaves the
    same files and the same gradebook as `nbgrader autograde`; nbgrader's other commands and formgrader go on
    from there. Killed at any moment, it continues where it was.

    Example: course grade 02_attention --feedback --csv all.csv --report report

    Exit code: 0 all is graded; 1 something could not be graded, or no feedback made, as listed; 2 it could
    not begin, or not go on: the message says what to mend; 3 another run is at work; 130 stopped by Ctrl-C,
    begin again at will.
    """
    from course_lib.grading.grade import grade_lesson

    return partial(grade_lesson, options)


def demo_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", nargs="?", default="demo_class", metavar="FOLDER", help="demo_class by default"
    )


def demo(options: Options) -> Run:
    """Make a class of made-up submissions and grade it with stock nbgrader.

    FOLDER becomes a course of its own; the real gradebook is not touched. A class that an earlier run made
    there is made anew, any other folder is left alone. It takes about a minute.

    Example: course demo /tmp/demo_class

    Exit code: 0 the class is made, and its points are printed; 2 bad usage, or FOLDER holds something else.
    """
    from course_lib.grading.demo_class import demo

    _lessons(options)
    return partial(demo, Path(options.folder))


def check_submission_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a learner's notebook, as saved")


def check_submission(options: Options) -> Run:
    """Say what would go wrong with a notebook when it is graded, and its points as of now.

    Every graded cell must be there once, locked ones unchanged, and the notebook must run from a clean start:
    it is run here, without isolation.

    Example: course check-submission 02_attention.ipynb

    Exit code: 0 it can be handed in; 1 something is to mend; 2 bad usage, no such file, or not a notebook of
    this course.
    """
    from course_lib.submission import SubmissionError, check_submission

    def run() -> int:
        try:
            verdict = check_submission(options.file)
        except SubmissionError as error:
            return options.error(str(error))
        print(verdict)
        return int(bool(verdict.problems))

    return run


def corpus_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("count", nargs="?", type=_count, default=20, metavar="N", help="20 by default")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="another one, other pairs; 0 by default"
    )


def corpus(options: Options) -> Run:
    """Print random English-Chinese sentence pairs, as the lessons' corpus has them.

    Example: course corpus 5 --seed 1

    Exit code: 0 printed; 2 bad usage.
    """
    from course_lib.corpus import draw_pairs

    def run() -> int:
        try:
            for pair in islice(draw_pairs(options.seed), options.count):
                print(pair)
            sys.stdout.flush()
        except BrokenPipeError:  # `| head` reads no further: nor may Python write there when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0

    return run


def fonts_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("collection", metavar="COLLECTION", help="NotoSansCJK-Regular.ttc")


def fonts(options: Options) -> Run:
    """Make the bundled Chinese font again, a subset of Noto Sans CJK SC.

    The collection comes with Debian's fonts-noto-cjk, and with every release of the Noto CJK project.

    Example: course fonts /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc

    Exit code: 0 course_lib/plots/fonts has the new subset; 2 bad usage, no such file, or not that font.
    """
    from course_lib.authoring.fonts import FontError, load, save_subset

    try:
        return partial(save_subset, load(options.collection))
    except FontError as error:
        return options.error(str(error))


class Subcommand(NamedTuple):
    """prepare: its docstring is the help; it imports, refuses bad usage, and returns what is to run."""

    add_options: Callable[[argparse.ArgumentParser], None]
    prepare: Callable[[Options], Run]
    needs: str  # what pip installs for it, in a clone of the course


SUBCOMMANDS = {
    "build": Subcommand(build_options, build, ".[lab]"),
    "grade": Subcommand(grade_options, grade, ".[lab]"),
    "demo": Subcommand(demo_options, demo, ".[lab]"),
    "check-submission": Subcommand(check_submission_options, check_submission, "."),
    "corpus": Subcommand(corpus_options, corpus, "."),
    "fonts": Subcommand(fonts_options, fonts, ".[dev]"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of `course ARGUMENTS`. Raises SystemExit where they are wrong, or ask for help."""
    options = parse(arguments)
    subcommand = SUBCOMMANDS[options.subcommand]
    try:
        try:
            run = subcommand.prepare(options)
        except ModuleNotFoundError as error:
            return _missing(error, options.subcommand, subcommand.needs)
        return run()
    except KeyboardInterrupt:
        return STOPPED


def parse(arguments: Sequence[str] | None = None) -> Options:
    parser = argparse.ArgumentParser(
        prog="course",
        description="Build a Transformer by hand: tools of the course.",
        epilog="`course COMMAND --help` tells more. Exit code: 2 bad usage; 130 stopped by Ctrl-C; "
        "others as told there.",
    )
    parser.add_argument("--version", action="version", version=f"course {__version__}")
    table = parser.add_subparsers(metavar="COMMAND", dest="subcommand", title="commands")
    for name, subcommand in SUBCOMMANDS.items():
        about, example, rest = (inspect.getdoc(subcommand.prepare) or "").partition(EXAMPLE)
        summary = about.partition("\n")[0]
        epilog = (example + rest).strip()
        sub = table.add_parser(
            name, help=summary, description=about, epilog=epilog, formatter_class=_Paragraphs
        )
        subcommand.add_options(sub)
        sub.set_defaults(error=sub.error)
    options, unknown = parser.parse_known_args(arguments)
    if options.subcommand is None:
        parser.error(
            f"expected a command, one of {', '.join(SUBCOMMANDS)}; got {' '.join(unknown) or 'none'}"
        )
    if unknown:  # argparse itself would show the usage of `course`
        options.error(f"unrecognized arguments: {' '.join(unknown)}")
    return options


class _Paragraphs(argparse.HelpFormatter):
    """Fills each paragraph to the width of the terminal."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(super(_Paragraphs, self)._fill_text(p, width, indent) for p in text.split("\n\n"))


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1 on, got {text!r}")
    return int(text)


def _lessons(options: Options) -> list[str]:
    """The names of all lessons, which only a clone of the course has."""
    from course_lib.authoring import build

    if not (names := [path.stem for path in build.lessons()]):
        options.error(
            f"there are no lessons in {build.ROOT / 'solutions'}: it works in a clone of the course"
        )
    return names


def _missing(error: ModuleNotFoundError, name: str, needs: str) -> int:
    package = (error.name or "").partition(".")[0]
    if package == "course_lib":
        raise error
    print(
        f"course {name} needs {package}, which is not installed: in the course's folder run "
        f"pip install -c constraints.txt -e '{needs}'",
        file=sys.stderr,
    )
    return BAD_USAGE
