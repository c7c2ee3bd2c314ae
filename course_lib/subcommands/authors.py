"""What authors of the course run: build, slides, site, translate, adopt, release, fonts."""

import argparse
from functools import partial
from pathlib import Path

from course_lib.subcommands.options import Options, Run, lesson_names


def build_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a notebook is stale")
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="such as 02_attention; all by default")


def build(options: Options) -> Run:
    """Build both notebooks of every lesson from its text.

    solutions/LESSON.py becomes the instructor's notebook in solutions/ and the learners' in notebooks/. All
    lessons together give README's table, the tables in docs, and graded_cells.json and questions.json in
    course_lib. A lesson with a catalog in translations/ gets both notebooks in that language too.

    Example: course build --check 02_attention

    Exit code: 0 everything is built (with --check: nothing is stale); 1 a notebook is stale, or a lesson's
    text breaks a rule; 2 bad usage.
    """
    from course_lib.authoring.build import build_course

    known = lesson_names(options)
    if unknown := sorted(set(options.lessons) - set(known)):
        options.error(f"no lesson {', '.join(unknown)}; there are {', '.join(known)}")
    return partial(build_course, options.lessons, options.check)


def slides_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="such as 02_attention; all by default")
    parser.add_argument(
        "--to", type=Path, default=Path("slides"), metavar="FOLDER", help="of the pages; slides by default"
    )


def slides(options: Options) -> Run:
    """Make a page of slides for each lesson, from its headings, first sentences, questions and diagrams.

    FOLDER/LESSON.html needs no network. The arrow keys turn the slides, and a browser prints one on each
    sheet. The cells that draw diagrams are run for it, which takes some seconds a lesson.

    Example: course slides 02_attention

    Exit code: 0 the pages are written; 2 bad usage.
    """
    from course_lib.authoring.slides import write_slides

    known = lesson_names(options)
    if unknown := sorted(set(options.lessons) - set(known)):
        options.error(f"no lesson {', '.join(unknown)}; there are {', '.join(known)}")
    return partial(write_slides, options.lessons, options.to)


def site_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "lessons", nargs="*", metavar="LESSON", help="to run, such as 02_attention; all by default"
    )
    parser.add_argument(
        "--to", type=Path, default=Path("site"), metavar="FOLDER", help="of the pages; site by default"
    )


def site(options: Options) -> Run:
    """Make the web edition: lessons with their results, documents, and a search, as pages without a network.

    It shows learners' notebooks, with the results of the instructors'. A lesson is run once in each language,
    and again when it or course_lib changes, which takes some 40 minutes for all. Lessons that are not named
    are not run: they show the results of an earlier run, or none. FOLDER/index.html opens in a browser as it
    is, and FOLDER can be put on any server.

    Example: course site 02_attention

    Exit code: 0 the pages are written; 1 a link leads nowhere, or FOLDER holds something else; 2 bad usage.
    """
    from course_lib.authoring.site.write import write_site

    known = lesson_names(options)
    if unknown := sorted(set(options.lessons) - set(known)):
        options.error(f"no lesson {', '.join(unknown)}; there are {', '.join(known)}")
    return partial(write_site, options.to, options.lessons)


def translate_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["extract", "status", "check"], help="what to do with the catalogs")
    parser.add_argument("locale", nargs="?", metavar="LOCALE", help="for extract: a language, such as zh_CN")
    parser.add_argument(
        "lessons", nargs="*", metavar="NAME", help="for extract: what to begin, as 02_attention"
    )


def translate(options: Options) -> Run:
    """Keep the catalogs of other languages, in translations/LOCALE/: LESSON.po, library/ and docs/.

    extract writes what is new in the lessons into the catalogs of a language, keeps what is translated, and
    marks as fuzzy what belongs to English that has changed. status counts what is done. check also names
    code or formulas that differ, and Markdown that a browser would not read. `course build` writes the
    notebooks; what is missing or fuzzy is English there.

    Example: course translate extract zh_CN 00_start_here

    Exit code: 0 done (with check: all is translated, and nothing is wrong); 1 something is missing, fuzzy or
    wrong; 2 bad usage.
    """
    from course_lib.authoring.build import ROOT
    from course_lib.authoring.translation import status
    from course_lib.authoring.translation.catalogs import is_locale
    from course_lib.authoring.translation.library import library_catalogs
    from course_lib.authoring.translation.pages import page_catalogs

    known = [*lesson_names(options), *library_catalogs(ROOT), *page_catalogs(ROOT)]
    if unknown := sorted(set(options.lessons) - set(known)):
        options.error(f"no lesson {', '.join(unknown)}; there are {', '.join(known)}")
    if (options.action == "extract") != bool(options.locale):
        options.error("extract, and only extract, takes a language: course translate extract zh_CN")
    if options.action == "extract":
        if not is_locale(options.locale):
            options.error(f"no language {options.locale}; write it like zh_CN, or fr")
        return partial(status.extract, options.locale, options.lessons)
    return status.status if options.action == "status" else status.check


def adopt_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="such as https://github.com/OWNER/REPOSITORY")
    parser.add_argument(
        "--name", metavar="NAME", help="on PyPI, for a course that is published apart from this one"
    )


def adopt(options: Options) -> Run:
    """Make this copy of the course your own: write its address, and build what follows from it.

    The address is written into pyproject.toml. Badges, setup cells and the citation follow from it.

    Example: course adopt https://github.com/OWNER/REPOSITORY

    Exit code: 0 done, and the files that changed are listed; 1 a lesson's text breaks a rule; 2 bad usage.
    """
    from course_lib.authoring.adopt import adopt

    lesson_names(options)
    return partial(adopt, options.url, options.name)


def release_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("version", metavar="VERSION", help="such as 0.2.0")
    parser.add_argument(
        "--tests", default="make test", metavar="COMMAND", help="what has to pass; `make test` by default"
    )


def release(options: Options) -> Run:
    """Make a release: write the version, build, test, make wheel and sdist, commit, tag.

    It pushes nothing, and says what to push. It stops if a file is not committed, if the remote is not the
    course's address, if CHANGELOG.md says nothing new, if a translation is missing, if a test fails, or if an
    archive holds solutions. The files are then as they were.

    Example: course release 0.2.0

    Exit code: 0 the commit and the tag are made; 1 there is no release, and why;
    2 bad usage.
    """
    from course_lib.authoring.release import release

    lesson_names(options)
    return partial(release, options.version, options.tests)


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
