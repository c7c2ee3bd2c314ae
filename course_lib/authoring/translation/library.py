"""What the library itself says to learners: units of its code, and the file that `language.say` reads.

library/checks is what all checks say; library/plots is what stands in figures, in their alt texts and beside
widgets; library/reports is what the page on a class says to its instructor; library/pages is what the page
of a learner's translator says; library/attention and its like are what the exercises of a lesson say.
"""

import ast
import importlib
import json
import runpy
from collections.abc import Iterator
from pathlib import Path

from course_lib import exercises
from course_lib.authoring.translation import catalogs
from course_lib.authoring.translation.catalogs import LIBRARY
from course_lib.authoring.translation.module_strings import units_of_module
from course_lib.authoring.translation.shown_strings import literal
from course_lib.authoring.translation.units import STRING, TEMPLATE, Unit
from course_lib.checks.exercise import Exercise
from course_lib.checks.score import MARKS

CHECKS = f"{LIBRARY}/checks"
PLOTS = f"{LIBRARY}/plots"
REPORTS = f"{LIBRARY}/reports"
PAGES = f"{LIBRARY}/pages"
BOOKS = {
    PLOTS: "figures",
    REPORTS: "reports",
    PAGES: "pages",
}  # of `language.say`; the others are in "checks"
MODULES = {  # of course_lib, which these catalogs have whole
    CHECKS: (
        "checks/*.py",
        "grading/sandbox/judge.py",
        "grading/sandbox/wire.py",
        "grading/sandbox/grader.py",
        "grading/sandbox/asking.py",
        "grading/sandbox/apart.py",
        "grading/sandbox/copies.py",
        "grading/sandbox/child.py",
        "corpus/sentence_pairs.py",
        "program/messages.py",
        "submission.py",
        "yours.py",
    ),
    PLOTS: (
        "plots/*.py",
        "plots/diagrams/*.py",
        "widgets.py",
        "training/trainer.py",
        "training/pretraining.py",
    ),
    REPORTS: (
        "grading/class_report.py",
        "grading/item_analysis.py",
        "grading/html_page.py",
        "grading/repeated/page.py",
        "grading/results.py",
        "grading/plain_text.py",
        # what a submission is noted with, in sentences
        "grading/nbgrader/reading.py",
        "grading/nbgrader/folders.py",
        "grading/nbgrader/repair.py",
        "grading/nbgrader/order.py",
        "grading/nbgrader/cell_points.py",
        "grading/nbgrader/kernel_grader.py",
        "grading/sandbox/audit*.py",
        "grading/sandbox/cell_text.py",
        "grading/sandbox/suspicions.py",
        "grading/sandbox/grader.py",
        "grading/sandbox/asking.py",
        "grading/sandbox/apart.py",
        "grading/sandbox/client.py",
    ),
    PAGES: ("program/page_text.py",),
}
ADVICE, HINT, PART = "advice on a mistake", "hint", "name of a part"
VARIANT = "right code that a test is run on"
OF_EXERCISE = (ADVICE, HINT, PART, VARIANT)


def library_catalogs(root: Path) -> list[str]:
    """The names of all catalogs of the library."""
    folders = sorted(path.parent.name for path in (root / "course_lib/exercises").glob("*/__init__.py"))
    return [*MODULES, *(f"{LIBRARY}/{folder}" for folder in folders)]


def units_of_library(name: str, root: Path) -> list[Unit]:
    """Of one catalog, each unit once."""
    package = name.removeprefix(f"{LIBRARY}/")
    words = {CHECKS: (*MARKS, "answered"), REPORTS: (*MARKS, "error")}
    units = [Unit(word, STRING) for word in words.get(name, ())]
    if name in MODULES:
        for pattern in MODULES[name]:
            for path in sorted((root / "course_lib").glob(pattern)):
                units += units_of_module(path)
        return list(dict.fromkeys(units))
    for lesson in sorted((root / "solutions").glob(f"[0-9][0-9]_{package}.py")):
        for exercise in exercises.load(lesson.stem).exercises.values():
            units += _units_of_exercise(exercise)
        units += _hidden_parts(lesson.with_name(f"{lesson.stem}_hidden.py"))
    for path in sorted((root / "course_lib/exercises" / package).glob("*.py")):
        if not path.stem.endswith("_mistakes"):
            units += units_of_module(path, exercise=True)
    known = {unit.english for unit in units if unit.kind in OF_EXERCISE}
    once = [unit for unit in units if unit.kind in OF_EXERCISE or unit.english not in known]
    return list(dict.fromkeys(once))


def _units_of_exercise(exercise: Exercise) -> Iterator[Unit]:
    yield from (Unit(part.name, PART) for part in exercise.parts)
    yield from (Unit(hint, HINT) for hint in exercise.hints)
    yield from (Unit(mistake.advice, ADVICE) for mistake in exercise.mistakes)
    if exercise.is_test:
        pieces = importlib.import_module(f"{exercise.package}.{exercise.name}").PIECE
        yield from (Unit(name, VARIANT) for name in pieces.right)


def _hidden_parts(path: Path) -> Iterator[Unit]:
    """The names of the parts that run only while nbgrader grades."""
    if path.is_file():
        yield from (Unit(part.name, PART) for part in runpy.run_path(str(path))["PARTS"].values())


def phrasebooks(root: Path, questions: dict[str, list[tuple[str, str]]]) -> dict[Path, str]:
    """The files that `language.say` reads, of every language.

    questions: of each language the texts on written questions, English and translated.
    """
    return {
        root / "course_lib" / "translations" / f"{locale}.json": _phrasebook(root, locale, pairs)
        for locale, pairs in questions.items()
    }


def _phrasebook(root: Path, locale: str, questions: list[tuple[str, str]]) -> str:
    content = {of: {"texts": {}, "templates": []} for of in ("checks", *BOOKS.values())}
    content["checks"]["texts"] = dict(questions)
    for name in catalogs.names(root, locale):
        if name.startswith(f"{LIBRARY}/"):
            book, say = content[BOOKS.get(name, "checks")], catalogs.speaker(root, locale, name)
            for unit in units_of_library(name, root):
                if said := say(unit):
                    if unit.kind == TEMPLATE:
                        book["templates"].append(numbered(unit.english, said))
                    else:
                        book["texts"][unit.english] = said
    return json.dumps(content, indent=0, ensure_ascii=False, sort_keys=True) + "\n"


def numbered(english: str, said: str) -> tuple[list, list]:
    """Both templates in pieces, with the number of a field at odd places."""
    ours, theirs = _pieces(english), _pieces(said)
    codes, left = ours[1::2], list(range(len(ours) // 2))
    for place in range(1, len(theirs), 2):
        theirs[place] = left.pop(next(i for i, number in enumerate(left) if codes[number] == theirs[place]))
    return [piece if place % 2 == 0 else place // 2 for place, piece in enumerate(ours)], theirs


def _pieces(text: str) -> list:
    """Text at even places, the code of a field at odd ones."""
    tree = ast.parse(literal(text, TEMPLATE), mode="eval").body
    pieces = [""]
    for part in getattr(tree, "values", [tree]):
        if isinstance(part, ast.Constant):
            pieces[-1] += str(part.value)
        else:
            pieces += [ast.unparse(ast.JoinedStr([part])), ""]
    return pieces
