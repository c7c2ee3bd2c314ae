"""`course translate`: extracts units into catalogs, counts what is done, and says what is wrong."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from course_lib.authoring import build
from course_lib.authoring.translation import catalogs
from course_lib.authoring.translation.catalogs import EVERY_LESSON
from course_lib.authoring.translation.editions import units_of, units_of_every_lesson
from course_lib.authoring.translation.library import library_catalogs, units_of_library
from course_lib.authoring.translation.lints import problems
from course_lib.authoring.translation.pages import page_catalogs, units_of_page
from course_lib.authoring.translation.units import Unit


class Count(NamedTuple):
    """Of the units of a catalog."""

    done: int
    fuzzy: int
    units: int

    def __str__(self) -> str:
        percent = 100 * self.done // max(self.units, 1)
        missing = self.units - self.done - self.fuzzy
        return f"{percent:3} %, {missing} missing, {self.fuzzy} fuzzy, of {self.units}"


def units(name: str, root: Path) -> list[Unit]:
    """What a catalog of this name has to translate now."""
    if name == EVERY_LESSON:
        return units_of_every_lesson(build.config(root).ClearSolutions.code_stub["python"])
    if name in page_catalogs(root):
        return units_of_page(name, root)
    if name in library_catalogs(root):
        return units_of_library(name, root)
    return units_of(build.instructor(root / "solutions" / f"{name}.py"))


def extract(locale: str, lessons: Sequence[str] = (), root: Path = build.ROOT) -> int:
    """Bring the catalogs of a language up to date, and begin those of `lessons`. Returns the exit code."""
    known = dict.fromkeys([EVERY_LESSON, *catalogs.names(root, locale), *lessons])
    memory = {name: catalogs.load(root, locale, name) for name in known}
    for name in known:
        path = catalogs.path_of(root, locale, name)
        others = [catalog for other, catalog in memory.items() if other != name]
        text = catalogs.written(catalogs.merged(catalogs.load(root, locale, name), units(name, root), others))
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(root)}")
    return status([locale], root)


def status(locales: Sequence[str] = (), root: Path = build.ROOT) -> int:
    """Print how much of each catalog is done."""
    for locale in locales or catalogs.locales(root):
        for name in catalogs.names(root, locale):
            print(f"{locale} {name:24} {count(locale, name, root)}")
    return 0


def count(locale: str, name: str, root: Path) -> Count:
    """A unit that the catalog does not have yet is missing."""
    catalog, all_units = catalogs.load(root, locale, name), units(name, root)
    messages = [catalog.get(unit.english) for unit in all_units]
    done = sum(message is not None and catalogs.is_finished(message) for message in messages)
    fuzzy = sum(message is not None and bool(message.string) and message.fuzzy for message in messages)
    return Count(done, fuzzy, len(all_units))


def check(root: Path = build.ROOT) -> int:
    """Name what is missing, fuzzy or wrong in all catalogs. Returns 1 where anything is."""
    found = [
        sentence
        for locale in catalogs.locales(root)
        for name in catalogs.names(root, locale)
        for sentence in _found(locale, name, root)
    ]
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


def _found(locale: str, name: str, root: Path) -> Iterator[str]:
    catalog, path = catalogs.load(root, locale, name), catalogs.path_of(root, locale, name).relative_to(root)
    for unit in units(name, root):
        message, where = catalog.get(unit.english), f"{path}: {unit.english[:50]!r}"
        if message is None:
            yield f"{where} is not in the catalog: run `course translate extract {locale}`"
        elif not message.string:
            yield f"{where} is not translated"
        elif message.fuzzy:
            yield f"{where} is fuzzy: correct the translation, and delete the word fuzzy above it"
        else:
            yield from (f"{where}: {problem}" for problem in problems(unit, str(message.string), locale))
