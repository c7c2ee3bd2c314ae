"""What learners run: check-submission, corpus, program."""

import argparse
import os
import sys
from itertools import islice
from pathlib import Path

from course_lib.subcommands.options import Options, Run, count


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
    parser.add_argument("count", nargs="?", type=count, default=20, metavar="N", help="20 by default")
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
    marked. Beside a Transformer it writes my_translator.html: the file's command `page` puts the trained
    model into it, and then it translates in any browser.

    Example: course program --gpt

    Exit code: 0 it is written; 2 bad usage, or FILE or the page exists and is something else.
    """
    from course_lib.program import GPT, TRANSFORMER, ForeignFileError, program

    def run() -> int:
        try:
            program(options.file, GPT if options.gpt else TRANSFORMER)
        except ForeignFileError as error:
            return options.error(str(error))
        return 0

    return run
