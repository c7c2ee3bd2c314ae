"""The subcommands of `course`, each with its options, its help and what it runs.

Each imports what it runs only when it runs, so that `course --help` is fast and needs nothing but Python.
"""

import argparse
from collections.abc import Callable
from typing import NamedTuple

from course_lib.subcommands.authors import (
    adopt,
    adopt_options,
    build,
    build_options,
    fonts,
    fonts_options,
    release,
    release_options,
    site,
    site_options,
    slides,
    slides_options,
    translate,
    translate_options,
)
from course_lib.subcommands.instructors import (
    collect,
    collect_options,
    demo,
    demo_options,
    grade,
    grade_options,
    hidden,
    hidden_options,
    mistake,
    mistake_options,
    report,
    report_options,
    similar,
    similar_options,
)
from course_lib.subcommands.learners import (
    check_submission,
    check_submission_options,
    corpus,
    corpus_options,
    program,
    program_options,
)
from course_lib.subcommands.options import Options, Run

BAD_USAGE, STOPPED = 2, 130


class Subcommand(NamedTuple):
    """prepare: its docstring is the help; it imports, refuses bad usage, and returns what is to run."""

    add_options: Callable[[argparse.ArgumentParser], None]
    prepare: Callable[[Options], Run]
    needs: str  # what pip installs for it, in a clone of the course


SUBCOMMANDS = {
    "build": Subcommand(build_options, build, ".[lab]"),
    "collect": Subcommand(collect_options, collect, ".[lab]"),
    "grade": Subcommand(grade_options, grade, ".[lab]"),
    "similar": Subcommand(similar_options, similar, ".[lab]"),
    "report": Subcommand(report_options, report, ".[lab]"),
    "mistake": Subcommand(mistake_options, mistake, ".[lab]"),
    "demo": Subcommand(demo_options, demo, ".[lab]"),
    "hidden": Subcommand(hidden_options, hidden, ".[lab]"),
    "check-submission": Subcommand(check_submission_options, check_submission, "."),
    "corpus": Subcommand(corpus_options, corpus, "."),
    "program": Subcommand(program_options, program, "."),
    "slides": Subcommand(slides_options, slides, ".[lab]"),
    "site": Subcommand(site_options, site, ".[lab,dev]"),
    "translate": Subcommand(translate_options, translate, ".[lab]"),
    "adopt": Subcommand(adopt_options, adopt, ".[lab]"),
    "release": Subcommand(release_options, release, ".[lab,dev]"),
    "fonts": Subcommand(fonts_options, fonts, ".[dev]"),
}
