"""The command `course`: reads its arguments, and runs one of `subcommands`."""

import argparse
import inspect
import sys
from collections.abc import Sequence

from course_lib import __version__
from course_lib.subcommands import BAD_USAGE, STOPPED, SUBCOMMANDS, Options

EXAMPLE = "\n\nExample: "  # a docstring from here on stands below the options


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
        epilog="`course COMMAND --help` describes a command and its other exit codes. "
        "Exit code: 2 bad usage; 130 stopped by Ctrl-C.",
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
