"""Writes the web edition into a folder: `course site`."""

import posixpath
import shutil
import sys
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from nbformat import NotebookNode

from course_lib.authoring.address import Address, read_address
from course_lib.authoring.build import ROOT
from course_lib.authoring.site.collect import Course, Executed
from course_lib.authoring.site.kept_runs import kept_run, run
from course_lib.authoring.site.links import SiteError, check_links
from course_lib.authoring.site.pages import Page
from course_lib.authoring.site.pictures import Pictures
from course_lib.authoring.site.searching import index
from course_lib.authoring.site.words import NAMES, WORDS
from course_lib.program.html import PAGE

HERE = Path(__file__).parent
ASSETS = ("site.css", "site.js", "icon.svg")


def write_site(folder: Path, names: Sequence[str] = ()) -> int:
    """The exit code of `course site`. names: lessons that may be run; all by default."""

    def executed(lesson: str, tree: str) -> NotebookNode | None:
        found = kept_run(lesson, tree)
        if found is None and (not names or lesson in names):
            print(f"running {posixpath.join(tree, lesson)}", flush=True)
            found = run(lesson, tree)
        return found

    try:
        count = write_pages(folder, executed)
    except SiteError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{count} pages: {folder / 'index.html'}")
    return 0


def write_pages(folder: Path, executed: Executed, address: Address | None = None, root: Path = ROOT) -> int:
    """How many pages were written. Raises SiteError where a link leads nowhere.

    executed: by lesson and tree of notebooks, gives the executed one, or None for a page without results.
    """
    _empty(folder)
    pictures = Pictures(folder)
    course = Course(root, address or read_address(root), executed, pictures)
    pages = course.pages()
    layout = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True).from_string(
        (HERE / "page.html").read_text(encoding="utf-8")
    )
    for page in pages:
        page.body = pictures.moved(page.body, page.top)
        file = folder / page.name
        file.parent.mkdir(parents=True, exist_ok=True)
        before, after = _neighbors(page, pages)
        given = {"before": before, "after": after, "words": WORDS[page.language], "names": NAMES}
        given["here"] = partial(_in_its_language, page, {one.name for one in pages})
        file.write_text(layout.render(page=page, **given), encoding="utf-8")
    for name in ASSETS:
        shutil.copy(HERE / name, folder)
    (folder / "search.js").write_text(index(pages), encoding="utf-8")
    for name, translator in course.translators.items():
        (folder / name).write_text(translator, encoding="utf-8")
    check_links(folder, besides=[PAGE])
    return len(pages)


def _in_its_language(page: Page, names: Collection[str], name: str) -> str:
    """The address of a document on this page: in the page's language, if there is one."""
    own = posixpath.join(posixpath.dirname(page.name), name)
    return page.to(own if own in names else name)


def _neighbors(page: Page, pages: Sequence[Page]) -> tuple[Page | None, Page | None]:
    if not page.is_lesson:
        return None, None
    row = [None, *(one for one in pages if one.is_lesson and one.language == page.language), None]
    place = row.index(page)
    return row[place - 1], row[place + 1]


def _empty(folder: Path) -> None:
    """Takes away an earlier site, and nothing else."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / "search.js").exists():
            raise SiteError(f"{folder} is not empty, and holds no site: choose another folder")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
