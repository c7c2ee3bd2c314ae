"""The pages that say where mistakes and corrections come from are true, and have an entry for each."""

import re
from functools import cache

import nbformat
import pytest

from course_lib import exercises
from course_lib.authoring.build import ROOT, lessons
from course_lib.authoring.sources import FORESEEN, NOT_MET, rows, sources

NAMES = [path.stem for path in lessons()]
PAGES = {
    name: (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("misconceptions", "errata")
}
TAUGHT = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
PLACE = re.compile(r"\[(?P<lesson>\w+)\]\(\.\./notebooks/(?P=lesson)/(?P=lesson)\.ipynb\): (?P<headings>.+)")
ERRATUM = r"\[(00\d)(\([a-z]\))\]\(errata\.md#\1\)"
MISTAKES = [
    m for name in NAMES for exercise in exercises.load(name).graded.values() for m in exercise.mistakes
]


@cache
def notebooks():
    return {name: nbformat.read(ROOT / "notebooks" / name / f"{name}.ipynb", as_version=4) for name in NAMES}


@pytest.fixture
def copy(tmp_path):
    """A root with both pages, to be changed."""
    (tmp_path / "docs").mkdir()
    for name, page in PAGES.items():
        (tmp_path / "docs" / f"{name}.md").write_text(page, encoding="utf-8")
    return tmp_path


def test_the_pages_are_not_stale():
    assert sources(notebooks(), ROOT) == {ROOT / "docs" / f"{name}.md": page for name, page in PAGES.items()}


def test_what_the_lessons_say_is_written_into_the_last_column(copy):
    cleared = {name: re.sub(r"\|[^|\n]*\|$", "| |", page, flags=re.MULTILINE) for name, page in PAGES.items()}
    for name, page in cleared.items():
        assert page != PAGES[name]
        (copy / "docs" / f"{name}.md").write_text(page, encoding="utf-8")
    written = sources(notebooks(), copy)
    for name, page in PAGES.items():
        assert rows(written[copy / "docs" / f"{name}.md"]) == rows(page)


@pytest.mark.parametrize(("name", "form"), [("misconceptions", r"[A-Z]\d+"), ("errata", r"00\d\([a-z]\)")])
def test_an_id_is_well_formed_and_has_one_entry(name, form):
    ids = [entry for entry, *_ in rows(PAGES[name])]
    assert len(ids) == len(set(ids)) == PAGES[name].count("| **")
    assert all(re.fullmatch(form, entry) for entry in ids)
    assert all(all(cells) for cells in rows(PAGES[name]))


def test_entries_stand_in_their_group():
    for name, mark in ("misconceptions", r"## ([A-Z])\. "), ("errata", r"## (\d{3})\n"):
        _, *parts = re.split(mark, PAGES[name])
        for group, text in zip(parts[::2], parts[1::2], strict=True):
            assert all(re.match(rf"{group}\W?\d*", entry) for entry, *_ in rows(text))
            assert rows(text)


def test_every_id_on_a_mistake_is_in_the_catalogue():
    assert {source for m in MISTAKES for source in m.sources} <= {
        entry for entry, *_ in rows(PAGES["misconceptions"])
    }
    assert all(len(set(m.sources)) == len(m.sources) for m in MISTAKES)


def test_an_entry_names_a_place_or_is_foreseen():
    place = r"#\d+|\b[0-9a-f]{7}\b|[\w.-]+/[\w.-]+|premxai|ttsugriy"
    for _, _, seen, _ in rows(PAGES["misconceptions"]):
        assert seen.startswith(FORESEEN) or re.search(place, seen), seen


def test_every_erratum_is_met_by_a_lesson():
    met = {
        key for nb in notebooks().values() for c in nb.cells for key in c.metadata.get("corrects", "").split()
    }
    assert met == {erratum for erratum, *_ in rows(PAGES["errata"])}
    assert NOT_MET not in PAGES["errata"]


def test_an_erratum_without_a_cell_is_said_to_be_unmet(copy):
    without = {name: notebook for name, notebook in notebooks().items() if name != "08_transfer_learning"}
    page = rows(sources(without, copy)[copy / "docs" / "errata.md"])
    assert [entry for entry, *_, where in page if where == NOT_MET] == ["000(h)", "001(h)"]


@pytest.mark.parametrize(
    ("name", "entry", "change", "message"),
    [
        ("misconceptions", "C1", lambda line: "", "a lesson names C1"),
        ("misconceptions", "C1", lambda line: line + line, "two entries C1"),
        ("errata", "003(j)", lambda line: "", r"a lesson names 003\(j\)"),
    ],
)
def test_a_missing_or_double_entry_is_refused(copy, name, entry, change, message):
    path = copy / "docs" / f"{name}.md"
    (line,) = re.findall(rf"^\| \*\*{re.escape(entry)}\*\* .*\n", PAGES[name], re.MULTILINE)
    path.write_text(PAGES[name].replace(line, change(line)), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        sources(notebooks(), copy)


def headings(notebook):
    cells = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return {heading for source in cells for heading in re.findall(r"^#+ (.+)$", source, re.MULTILINE)}


def where_taught(page):
    """The last column of docs/sources.md: for each row its lines."""
    return {entry: where.split("<br>") for entry, _, where in rows(page)}


def untrue_places(page):
    """Lines of the page that name a lesson or a heading that is not there."""
    known = {lesson: headings(notebook) for lesson, notebook in notebooks().items()}
    places = [(entry, PLACE.fullmatch(line)) for entry, lines in where_taught(page).items() for line in lines]
    return [
        (entry, heading)
        for entry, place in places
        if place
        for heading in place["headings"].split("; ")
        if heading not in known.get(place["lesson"], ())
    ]


def test_what_a_post_says_is_taught_where_the_page_says():
    assert untrue_places(TAUGHT) == []


@pytest.mark.parametrize("old", ["1. A soft look-up", "02_attention"])
def test_a_renamed_heading_or_lesson_is_found(old):
    assert untrue_places(TAUGHT.replace(old, "renamed"))


def test_a_row_names_a_place_an_erratum_or_says_why_not():
    for entry, lines in where_taught(TAUGHT).items():
        for line in lines:
            errata = re.fullmatch(rf"{ERRATUM}(, {ERRATUM})*", line)
            assert PLACE.fullmatch(line) or errata or re.fullmatch(r"[A-Z][^\[]+\.", line), entry
    assert all(all(cells) for cells in rows(TAUGHT))


def test_rows_are_numbered_within_their_post():
    _, *parts = re.split(r"## (\d{3})\n", TAUGHT)
    assert parts[::2] == ["000", "001", "002", "003", "004"]
    for post, text in zip(parts[::2], parts[1::2], strict=True):
        ids = [entry for entry, *_ in rows(text)]
        assert ids == [f"{post}-{i:02}" for i in range(1, len(ids) + 1)]
        assert len(ids) == text.count("| **")


def test_each_erratum_stands_in_a_row_of_its_post():
    named = [
        (entry[:3], "".join(erratum))
        for entry, lines in where_taught(TAUGHT).items()
        for line in lines
        for erratum in re.findall(ERRATUM, line)
    ]
    assert {erratum for _, erratum in named} == {erratum for erratum, *_ in rows(PAGES["errata"])}
    assert all(erratum.startswith(post) for post, erratum in named)
