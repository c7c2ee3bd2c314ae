"""Catalogs: translations/LOCALE/LESSON.po, in the form of gettext, read and written with Babel.

A unit is looked up by its present English, so that an old translation cannot be shown.
"""

from io import BytesIO
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import denormalize, read_po, write_po

from course_lib.authoring.translation.units import TEMPLATE, Say, Unit

FOLDER = "translations"
PROJECT = "Build a Transformer by hand"
HEADER = f"# A translation of {PROJECT}, under LICENSE-CONTENT. CONTRIBUTING.md says how it is made."
FIELDS = {
    "project": PROJECT,
    "version": "1",
    "msgid_bugs_address": "see README.md",
    "last_translator": f"The authors of {PROJECT}",
    "language_team": f"The authors of {PROJECT}",
}
NEVER = 10**6  # breaks no line: Babel takes a width of 0 for 76, in comments
EVERY_LESSON = "every_lesson"  # the catalog of what the build adds to each lesson
LIBRARY = "library"  # the folder of the catalogs of what the library says


def path_of(root: Path, locale: str, name: str) -> Path:
    return root / FOLDER / locale / f"{name}.po"


def is_locale(name: str) -> bool:
    """Whether it is a language that Babel knows, with or without its country."""
    try:
        Locale.parse(name)
    except (ValueError, UnknownLocaleError):
        return False
    return True


def locales(root: Path) -> list[str]:
    """The languages that there are catalogs in, such as zh_CN."""
    folder = root / FOLDER
    return sorted({path.relative_to(folder).parts[0] for path in folder.rglob("*.po")})


def names(root: Path, locale: str) -> list[str]:
    """The lessons with a catalog in this language, EVERY_LESSON, those of the library and pages of docs/."""
    folder = root / FOLDER / locale
    return sorted(path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.po"))


def load(root: Path, locale: str, name: str) -> Catalog:
    """An empty one where there is none."""
    path = path_of(root, locale, name)
    if path.exists():
        with path.open("rb") as file:
            return _with_previous(read_po(file, locale=locale))
    catalog = Catalog(locale, header_comment=HEADER, fuzzy=False, **FIELDS)
    catalog.revision_date = catalog.creation_date
    return catalog


def translation(unit: Unit, *catalogs: Catalog) -> str | None:
    """What the first of these catalogs says that has it, ready for readers; None where none does."""
    for catalog in catalogs:
        message = catalog.get(unit.english)
        if message and is_finished(message):
            return str(message.string)
    return None


def speaker(root: Path, locale: str, *names: str) -> Say:
    """Knows the translations of these catalogs."""
    known = [load(root, locale, name) for name in names]
    return lambda unit: translation(unit, *known)


def is_finished(message: Message) -> bool:
    """A fuzzy message was translated when its English was another."""
    return bool(message.string) and not message.fuzzy


def merged(old: Catalog, units: list[Unit], memory: list[Catalog]) -> Catalog:
    """A catalog of these units with the old translations, and what `memory` has of the same English.

    A unit that resembles one that has gone gets its translation and is marked fuzzy, with the English that
    it was made from. Of translations without a unit the catalog keeps the text, as comments.
    """
    template = Catalog(old.locale_identifier)
    for unit in units:
        template.add(unit.english, auto_comments=[unit.kind])
    made_from = {message.id: message.previous_id for message in old}
    gone = {str(message.id): str(message.string) for message in old.obsolete.values() if message.string}
    old.update(template, update_creation_date=False)
    for unit in units:
        message = old[unit.english]
        if message.fuzzy:
            message.previous_id = message.previous_id or made_from.get(unit.english, [])
        message.flags -= {"python-format", "python-brace-format"}  # guessed from a percent sign, or a brace
        if unit.kind == TEMPLATE:
            message.flags.add("python-brace-format")
        found = translation(unit, *memory) or gone.get(unit.english)
        if found and not is_finished(message):
            message.string, message.previous_id = found, []
            message.flags.discard("fuzzy")
        if unit.english in gone:
            old.obsolete.pop(unit.english, None)
    return old


def written(catalog: Catalog) -> str:
    """A translation is one line of the file, as it is one line in the notebook."""
    file = BytesIO()
    write_po(file, catalog, width=NEVER, include_previous=True)
    return file.getvalue().decode("utf-8")


def _with_previous(catalog: Catalog) -> Catalog:
    """What a fuzzy message was made from: Babel writes it as `#| msgid`, and reads that as a note."""
    for message in [*catalog, *catalog.obsolete.values()]:
        lines = [note[2:].removeprefix("msgid ") for note in message.user_comments if note.startswith("| ")]
        message.previous_id = [denormalize("\n".join(lines))] if lines else []
        message.user_comments = [note for note in message.user_comments if not note.startswith("| ")]
    return catalog
