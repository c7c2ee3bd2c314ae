"""The subcommands of `course`, each with its options, its help and what it runs.

Each imports what it runs only when it runs, so that `course --help` is fast and needs nothing but Python.
"""

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

BAD_USAGE, STOPPED = 2, 130

Options = argparse.Namespace
Run = Callable[[], int]  # returns the exit code


def build_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a notebook is stale")
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="such as 02_attention; all by default")


def build(options: Options) -> Run:
    """Build both notebooks of every lesson from its text.

    solutions/LESSON.py becomes the instructor's notebook in solutions/ and the learners' in notebooks/. All
    lessons together give README's table, the tables in docs, and graded_cells.json and questions.json in
    course_lib.

    Example: course build --check 02_attention

    Exit code: 0 everything is built (with --check: nothing is stale); 1 a notebook is stale, or a lesson's
    text breaks a rule; 2 bad usage.
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
    add(
        "--workers",
        type=_count,
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

    _lessons(options)
    return partial(demo, Path(options.folder))


def check_submission_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a learner's notebook, as saved")


def check_submission(options: Options) -> Run:
    """Say what would go wrong with a notebook when it is graded, and its points as saved.

    Every graded cell must be there once, locked cells must be unchanged, and the notebook must run from a
    clean start. It is run here, without isolation.

    Example: course check-submission 02_attention.ipynb

    Exit code: 0 it can be handed in; 1 something must be corrected; 2 bad usage, no such file, or not a
    notebook of this course.
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
        "--seed", type=int, default=0, metavar="S", help="another seed gives other pairs; 0 by default"
    )
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="write all pairs of the lessons there")


def corpus(options: Options) -> Run:
    """Print random English-Chinese sentence pairs, as the lessons' corpus has them, or write all of them.

    With --to it writes train.tsv, test.tsv and compositional.tsv, the corpus of lesson 07. Each pair is
    a line `english TAB chinese`.

    Example: course corpus 5 --seed 1

    Exit code: 0 done; 2 bad usage.
    """
    from course_lib.corpus import draw_pairs, save_splits

    if options.to:
        return lambda: save_splits(options.to) or 0

    def run() -> int:
        try:
            for pair in islice(draw_pairs(options.seed), options.count):
                print(pair)
            sys.stdout.flush()
        except BrokenPipeError:  # `| head` reads no further: nor may Python write there when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0

    return run


def program_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="my_transformer.py or my_gpt.py by default"
    )
    parser.add_argument("--gpt", action="store_true", help="write the GPT of lessons 11 to 13 instead")


def program(options: Options) -> Run:
    """Write your Transformer, or your GPT, as one file that needs only torch: it trains and translates.

    The file has your pieces that earned full points. For the others it has the course's pieces, which are
    marked.

    Example: course program --gpt

    Exit code: 0 it is written; 2 bad usage, or FILE exists and is something else.
    """
    from course_lib.program import GPT, TRANSFORMER, ForeignFileError, program

    def run() -> int:
        try:
            program(options.file, GPT if options.gpt else TRANSFORMER)
        except ForeignFileError as error:
            return options.error(str(error))
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


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of 1 or more, got {text!r}")
    return int(text)


def _lessons(options: Options) -> list[str]:
    """The names of all lessons, which only a clone of the course has."""
    from course_lib.authoring import build

    if not (names := [path.stem for path in build.lessons()]):
        options.error(
            f"there are no lessons in {build.ROOT / 'solutions'}: it works in a clone of the course"
        )
    return names


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
    "program": Subcommand(program_options, program, "."),
    "fonts": Subcommand(fonts_options, fonts, ".[dev]"),
}
