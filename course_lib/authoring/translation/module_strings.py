"""What learners see of the library's own code: the literals of a module that are language."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from course_lib.authoring.translation.shown_strings import is_corpus, template
from course_lib.authoring.translation.units import STRING, TEMPLATE, Unit
from course_lib.language import HANZI

COMPARED, CASE = "name of what a part compares", "case that a part tries"
FOR_AUTHORS = {"KeyError", "RuntimeError", "TypeError", "ValueError", "WireError"}  # no learner sees them
FIGURES = {"plots", "diagrams"}  # folders
SAID = {"say", "say_heading", "say_report", "Heading", "Head", "Broken"}  # functions: their first argument
HEADINGS = {"xlabel", "ylabel", "description"}  # arguments
NOT_SHOWN = {"examples", "loc", "textcoords", "layout", "bar_format"}  # arguments
NO_LANGUAGE = re.compile(
    r"^<|</| \| |style=|var\(--|^(?:from .* import|import|def|print\(|float\(|const)\b|\n"
)
FIELD = re.compile(r"\{\w+(?::[^{}]*)?\}")  # of a text that is formatted later
IN_CASE = r"(?:[^()]|\([^()]*\))*"  # brackets in pairs
LABEL = re.compile(rf"(?P<name>[^()\"'`:.?!]+)(?: \((?P<case>{IN_CASE})\))?(?P<axes>:(?: [a-z_ ]+)?)?")


def units_of_module(path: Path, exercise: bool = False) -> Iterator[Unit]:
    """Its literals that are language.

    exercise: it is a module of one. Its labels are in pieces, as `comparison` writes them, and what models
    read is left out.
    """
    source = path.read_bytes()
    tree, lines = ast.parse(source), source.split(b"\n")  # a node's column counts bytes
    passed_over, asked = _passed_over(tree), _asked(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant | ast.JoinedStr) or id(node) in passed_over - asked:
            continue
        raw = lines[node.lineno - 1][node.col_offset :].startswith((b"r'", b'r"', b"rf", b"fr"))
        for text, words in _lines(node) if path.parent.name in FIGURES else [(_text(node), _words(node))]:
            if not text.strip():
                continue
            if id(node) in asked:
                yield _unit(node, text)
            elif raw or NO_LANGUAGE.search(text) or not re.search("[A-Za-z]{2}", words):
                continue
            elif exercise and (label := LABEL.fullmatch(text)) and (label["case"] or label["axes"]):
                yield from _pieces_of_label(node, label["name"], label["case"] or "")
            elif exercise and isinstance(node, ast.Constant) and _is_data(text):
                continue
            elif " " in words.strip() and not _is_code(text):
                yield _unit(node, text)


def _pieces_of_label(node: ast.AST, name: str, case: str) -> Iterator[Unit]:
    """A name of one word is code."""
    for text, kind in ((name, COMPARED), (case, CASE)):
        words = FIELD.sub("", text).strip()
        if re.search("[a-z]{3}", words) and (kind == CASE or (" " in words and not _is_code(text))):
            yield Unit(text, TEMPLATE if isinstance(node, ast.JoinedStr) and "{" in text else kind)


def _is_data(text: str) -> bool:
    """Whether a model reads it: sentences of the corpus, or any with hanzi."""
    return is_corpus(text) or bool(HANZI.search(text))


def _is_code(text: str) -> bool:
    """Whether Python reads it, and finds a call, an index or a sum in it: "W is large" it reads too."""
    try:
        nodes = ast.walk(ast.parse(FIELD.sub("x", text)))
    except (SyntaxError, ValueError):
        return False
    return any(isinstance(node, ast.Call | ast.Subscript | ast.BinOp) for node in nodes)


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    """With the code of an f-string's fields; "" where it is no text."""
    if isinstance(node, ast.JoinedStr):
        return template(node)
    return node.value if isinstance(node.value, str) else ""


def _words(node: ast.Constant | ast.JoinedStr) -> str:
    """With a sign in place of each field of an f-string."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "#" for part in parts)


def _lines(node: ast.Constant | ast.JoinedStr) -> Iterator[tuple[str, str]]:
    """Of a label, which `say` reads line by line."""
    return zip(_text(node).split("\n"), _words(node).split("\n"), strict=True)


def _unit(node: ast.Constant | ast.JoinedStr, text: str) -> Unit:
    formatted = (isinstance(node, ast.JoinedStr) and "{" in text) or FIELD.search(text)
    return Unit(text.strip(), TEMPLATE if formatted else STRING)


def _passed_over(tree: ast.Module) -> set[int]:
    """Docstrings, parts of f-strings, calls that are examples, and what only an author of exercises sees."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            found |= {id(part) for part in ast.walk(node) if part is not node}
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "part":
            found |= {id(name) for name in node.args}  # which library.py has
        elif isinstance(node, ast.Assert) and node.msg:  # of a test, an answer to an exercise
            found |= {id(part) for part in ast.walk(node.msg)}
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "TEXT":
            found |= {id(name) for name in getattr(node.value, "keys", ())}
        elif (
            (isinstance(node, ast.keyword) and node.arg in NOT_SHOWN)
            or (isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "accept")
            or (isinstance(node, ast.Raise) and _called(node.exc) in FOR_AUTHORS)
            or (isinstance(node, ast.FunctionDef) and node.name == "faults")  # of a diagram
        ):
            found |= {id(part) for part in ast.walk(node)}
    return found


def _called(node: ast.expr | None) -> str:
    """The name of what a call calls."""
    return getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""


def _asked(tree: ast.Module) -> set[int]:
    """What is passed to `say`, causes that properties name, what Broken code does, headings of figures."""
    named = [(_called(node), node.args) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    said = {id(args[0]) for name, args in named if name in SAID and args}
    said |= {id(args[1]) for name, args in named if name in ("follows", "unmoved") and len(args) > 1}
    said |= {id(text) for name, args in named if name == "_heads" for text in args}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in HEADINGS and _is_text(node.value):
            said.add(id(node.value))
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("TEXT", "HEAD"):
            said |= {id(value) for name in ("values", "elts") for value in getattr(node.value, name, ())}
    return said


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
