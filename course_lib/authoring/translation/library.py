"""What the library itself says to learners: units of its code, and the file that `language.say` reads.

library/checks is what all checks say; library/attention and its like are what the exercises of a lesson say.
"""

import ast
import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

from course_lib import exercises
from course_lib.authoring.translation import catalogs
from course_lib.authoring.translation.catalogs import LIBRARY
from course_lib.authoring.translation.shown_strings import literal, template
from course_lib.authoring.translation.units import STRING, TEMPLATE, Say, Unit
from course_lib.checks.exercise import Exercise
from course_lib.checks.score import MARKS

CHECKS = f"{LIBRARY}/checks"
MODULES = ("checks/*.py", "submission.py")  # of course_lib, which CHECKS has
ADVICE, HINT, PART, CASE = "advice on a mistake", "hint", "name of a part", "case that a part tries"
FOR_AUTHORS = {"KeyError", "RuntimeError", "TypeError", "ValueError"}  # no learner sees them
NO_LANGUAGE = re.compile(r"</|style=|var\(--|^(?:from|import|def|print\(|float\()\b|\n")
FIELD = re.compile(r"\{\w+(?::[^{}]*)?\}")  # of a text that is formatted later
SENTENCE = re.compile(r"\s*[A-Z`{\"'].*[.?!]|\s+.*[a-z].*", re.DOTALL)
IN_CASE = r"(?:[^\"'=\[\]()]|\([^()]*\))*"  # brackets in pairs, and no code
LABEL = re.compile(rf"[^()\"'.]*\((?P<case>{IN_CASE}[a-z]{{3}}{IN_CASE})\)(?:: [a-z_ ]+)?")


def library_catalogs(root: Path) -> list[str]:
    """The names of all catalogs of the library."""
    folders = sorted(path.parent.name for path in (root / "course_lib/exercises").glob("*/__init__.py"))
    return [CHECKS, *(f"{LIBRARY}/{folder}" for folder in folders)]


def units_of_library(name: str, root: Path) -> list[Unit]:
    """Of one catalog, each unit once."""
    package = name.removeprefix(f"{LIBRARY}/")
    if name == CHECKS:
        units = [Unit(word, STRING) for word in (*MARKS, "answered")]
        for pattern in MODULES:
            for path in sorted((root / "course_lib").glob(pattern)):
                units += _units_of_module(path, everything=True)
        return list(dict.fromkeys(units))
    units = []
    for lesson in sorted((root / "solutions").glob(f"[0-9][0-9]_{package}.py")):
        for exercise in exercises.load(lesson.stem).exercises.values():
            units += _units_of_exercise(exercise)
        units += _hidden_parts(lesson.with_name(f"{lesson.stem}_hidden.py"))
    for path in sorted((root / "course_lib/exercises" / package).glob("*.py")):
        if not path.stem.endswith("_mistakes"):
            units += _units_of_module(path, everything=False)
    known = {unit.english for unit in units if unit.kind in (ADVICE, HINT, PART)}
    once = [unit for unit in units if unit.kind in (ADVICE, HINT, PART) or unit.english not in known]
    return list(dict.fromkeys(once))


def _units_of_exercise(exercise: Exercise) -> Iterator[Unit]:
    yield from (Unit(part.name, PART) for part in exercise.parts)
    yield from (Unit(hint, HINT) for hint in exercise.hints)
    yield from (Unit(mistake.advice, ADVICE) for mistake in exercise.mistakes)


def _hidden_parts(path: Path) -> Iterator[Unit]:
    """The names of the parts that run only while nbgrader grades."""
    if path.is_file():
        yield from (Unit(part.name, PART) for part in runpy.run_path(str(path))["PARTS"].values())


def _units_of_module(path: Path, everything: bool) -> Iterator[Unit]:
    """Its literals that learners see: with `everything` all that are language, else sentences and cases."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    passed_over, asked = _passed_over(tree), _asked(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant | ast.JoinedStr) or id(node) in passed_over - asked:
            continue
        text = template(node) if isinstance(node, ast.JoinedStr) or isinstance(node.value, str) else ""
        raw = (ast.get_source_segment(source, node) or "").startswith(("r'", 'r"', "rf", "fr"))
        if id(node) in asked:
            yield _unit(node, text)
        elif raw or NO_LANGUAGE.search(text) or not re.search("[A-Za-z]{2}", _literal_text(node)):
            continue
        elif " " in text.strip() and (everything or SENTENCE.fullmatch(text)):
            yield _unit(node, text)
        elif not everything and "torch." not in text and (label := LABEL.fullmatch(text)):
            case = label["case"]
            yield Unit(case, TEMPLATE if isinstance(node, ast.JoinedStr) and "{" in case else CASE)


def _unit(node: ast.Constant | ast.JoinedStr, text: str) -> Unit:
    formatted = isinstance(node, ast.JoinedStr) or FIELD.search(text)
    return Unit(text.strip(), TEMPLATE if formatted else STRING)


def _literal_text(node: ast.Constant | ast.JoinedStr) -> str:
    """Without the code of an f-string."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return " ".join(str(part.value) for part in parts if isinstance(part, ast.Constant))


def _passed_over(tree: ast.Module) -> set[int]:
    """Docstrings, parts of f-strings, calls that are examples, and what only an author of exercises sees."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            found |= {id(part) for part in ast.walk(node) if part is not node}
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))
        elif (isinstance(node, ast.keyword) and node.arg == "examples") or (
            isinstance(node, ast.Raise) and _called(node.exc) in FOR_AUTHORS
        ):
            found |= {id(part) for part in ast.walk(node)}
    return found


def _called(node: ast.expr | None) -> str:
    """The name of what a call calls."""
    return getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""


def _asked(tree: ast.Module) -> set[int]:
    """What is passed to `say`, the causes that properties name, what Broken code does."""
    named = [(_called(node), node.args) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    said = {id(args[0]) for name, args in named if name in ("say", "Broken") and args}
    return said | {id(args[1]) for name, args in named if name in ("follows", "unmoved") and len(args) > 1}


def phrasebooks(root: Path, questions: dict[str, list[tuple[str, str]]]) -> dict[Path, str]:
    """The files that `language.say` reads, of every language.

    questions: of each language the texts on written questions, English and translated.
    """
    return {
        root / "course_lib" / "translations" / f"{locale}.json": _phrasebook(root, locale, pairs)
        for locale, pairs in questions.items()
    }


def _phrasebook(root: Path, locale: str, questions: list[tuple[str, str]]) -> str:
    texts, templates = dict(questions), []
    for name in catalogs.names(root, locale):
        if name.startswith(f"{LIBRARY}/"):
            say = _speaker(root, locale, name)
            for unit in units_of_library(name, root):
                if said := say(unit):
                    if unit.kind == TEMPLATE:
                        templates.append(numbered(unit.english, said))
                    else:
                        texts[unit.english] = said
    content = {"texts": texts, "templates": templates}
    return json.dumps(content, indent=0, ensure_ascii=False, sort_keys=True) + "\n"


def _speaker(root: Path, locale: str, name: str) -> Say:
    catalog = catalogs.load(root, locale, name)
    return lambda unit: catalogs.translation(unit, catalog)


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
