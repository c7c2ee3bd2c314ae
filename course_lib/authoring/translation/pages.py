"""The pages of docs/ in another language: docs/zh/lms.md, from docs/lms.md and the catalog docs/lms."""

import functools
import os
import re
from pathlib import Path

from course_lib.authoring.translation import catalogs, editions
from course_lib.authoring.translation.text_cells import is_language, rewrite_text
from course_lib.authoring.translation.units import HEADING, TABLE_CELL, Say, Unit, collect, language
from course_lib.language import ENGLISH, widened

FOLDER = "docs"
BREAK, BETWEEN = "<br>", "; "  # between the places that a table's cell names, and between a lesson's headings
PLACE = re.compile(r"(?P<link>\[(?P<lesson>\d\d_\w+)\]\(\S+\): )(?P<headings>.+)")
ENTRIES = re.compile(r"\*\*\d\S*\*\*|(?:\[\d[^\]]*\]\([^)]+\)(?:, )?)+")  # such as 000(h), or links to them
LINK = re.compile(r"(?<=\]\()(?P<path>[^)#:\s]+)(?P<place>#[^)\s]*)?(?=\))")  # to a file of the repository


def page_catalogs(root: Path) -> list[str]:
    """The names of all catalogs that pages may have, such as docs/teaching/02_attention."""
    folders = {language(locale) for locale in catalogs.locales(root)}
    paths = (path.relative_to(root) for path in (root / FOLDER).rglob("*.md"))
    return sorted(path.with_suffix("").as_posix() for path in paths if path.parts[1] not in folders)


def pages(root: Path) -> dict[Path, str]:
    """All pages in other languages, by path: those that have a catalog."""
    made = {}
    for locale in catalogs.locales(root):
        for name in sorted({*page_catalogs(root)} & {*catalogs.names(root, locale)}):
            path = root / f"{name}.md"
            say = _of_places(catalogs.speaker(root, locale, name), root, locale)
            text = rewrite_text(path.read_text(encoding="utf-8"), say)
            made[edition(path, locale, root)] = _with_links(text, path, locale, root)
    return made


def units_of_page(name: str, root: Path) -> list[Unit]:
    """What a page has to translate. English has no catalogs, so that headings of lessons stay as they are."""
    text = (root / f"{name}.md").read_text(encoding="utf-8")
    return collect(lambda say: rewrite_text(text, _of_places(say, root, ENGLISH)))


def edition(path: Path, locale: str, root: Path) -> Path:
    """Where a page of docs/ is in this language."""
    return root / FOLDER / language(locale) / path.relative_to(root / FOLDER)


def _of_places(say: Say, root: Path, locale: str) -> Say:
    """In a table's cell the headings of lessons are said as the lessons say them; `say` says the rest."""

    @functools.cache
    def speaker(lesson: str) -> Say:
        return editions.speaker(root, locale, lesson)

    def piece(text: str) -> str | None:
        if found := PLACE.fullmatch(text):
            known = speaker(found["lesson"])
            headings = (known(Unit(one, HEADING)) or one for one in found["headings"].split(BETWEEN))
            return widened(found["link"] + BETWEEN.join(headings))
        return text if ENTRIES.fullmatch(text) or not is_language(text) else say(Unit(text, TABLE_CELL))

    def cell(unit: Unit) -> str | None:
        if unit.kind != TABLE_CELL:
            return say(unit)
        return BREAK.join(piece(text) or text for text in unit.english.split(BREAK))

    return cell


def _with_links(text: str, path: Path, locale: str, root: Path) -> str:
    """Links lead from the page's new place: to the file in its language, or to the English one."""

    def moved(link: re.Match) -> str:
        target = (path.parent / link["path"]).resolve()
        other = _said_in(locale, target, root)
        to = os.path.relpath(other or target, edition(path, locale, root).parent)
        place = link["place"] or ""  # made from a heading's words, which are others in another language
        return Path(to).as_posix() + ("" if other and is_language(place) else place)

    return LINK.sub(moved, text)


def _said_in(locale: str, path: Path, root: Path) -> Path | None:
    """The file that says in this language what a file says, such as README.zh.md."""
    if path.is_relative_to(root / FOLDER):
        name = path.relative_to(root).with_suffix("").as_posix()
        return edition(path, locale, root) if catalogs.path_of(root, locale, name).exists() else None
    if path.is_relative_to(root / "notebooks"):
        other = root / language(locale) / path.relative_to(root)
    else:
        other = path.with_suffix(f".{language(locale)}{path.suffix}")
    return other if other.exists() else None
