"""Which strings of an experiment a reader sees, and how they are written again.

A string is shown if it has a space and a letter. A single word is where it is the value of a keyword such as
`title`, is printed, is passed by its place to a figure, or names a group of words. What a model reads is not:
it is cut into words at once, or has only words of the corpus, beside special symbols also Chinese ones.
"""

import ast
import functools
import re
from collections.abc import Iterator

from course_lib.authoring.translation.units import TEMPLATE
from course_lib.corpus import vocabularies

KEYWORDS = {"title", "label", "xlabel", "ylabel", "alt"}  # their values are shown, also single words
SETTINGS = {"loc"}  # of matplotlib: "upper left" is a place
FIGURES = ("plots.", "diagrams.")  # modules
SYMBOL = re.compile(r"<(?:pad|bos|eos|unk)>")


def shown(tree: ast.Module) -> Iterator[ast.Constant | ast.JoinedStr]:
    """The literals that are shown, in no order; the parts of an f-string are not among them."""
    passed_over, asked = _passed_over(tree), _values(tree, KEYWORDS) | _by_place(tree) | _groups(tree)
    for node in ast.walk(tree):
        if id(node) in passed_over:
            continue
        if isinstance(node, ast.JoinedStr | ast.Constant):
            words = _words(node)
            said = re.search("[A-Za-z]", words) and (" " in words or id(node) in asked)
            if said and not is_corpus(words):
                yield node


def template(node: ast.Constant | ast.JoinedStr) -> str:
    """The text of the literal; of an f-string with its code in braces."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(_part(part) for part in node.values)


def literal(text: str, kind: str, raw: bool = False) -> str:
    """Python for a text, or for a template of an f-string."""
    prefix = "f" if kind == TEMPLATE else ""
    if raw and "\\" in text and '"' not in text:
        return f'{prefix}r"{text}"'
    pieces = re.split(r"(\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})", text) if kind == TEMPLATE else [text]
    escaped = [_escaped(piece) if place % 2 == 0 else piece for place, piece in enumerate(pieces)]
    return prefix + '"' + "".join(escaped) + '"'


def code_of(node: ast.AST) -> list[str]:
    """The code of an f-string's braces, in alphabetical order: a translation may move it."""
    parts = [part for part in ast.walk(node) if isinstance(part, ast.FormattedValue)]
    return sorted(ast.unparse(ast.JoinedStr([part])) for part in parts)


def _passed_over(tree: ast.Module) -> set[int]:
    """Docstrings and other strings that stand alone, parts of f-strings, settings, what is cut into words."""
    found = _values(tree, SETTINGS)
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            found |= {id(part) for part in ast.walk(node) if part is not node}
        elif isinstance(node, ast.Attribute) and node.attr in ("split", "lower", "splitlines"):
            found.add(id(node.value))
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
            found.add(id(node.body[0].value))  # pyright: ignore[reportAttributeAccessIssue]
    return found


def _values(tree: ast.Module, names: set[str]) -> set[int]:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {id(keyword.value) for call in calls for keyword in call.keywords if keyword.arg in names}


def _by_place(tree: ast.Module) -> set[int]:
    """What is printed, and what a figure is given by its place: names of axes and curves."""
    found = set()
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        called = ast.unparse(call.func)
        if called == "print":
            found |= {id(each) for each in call.args}
        elif called.startswith(FIGURES):
            named = [key for each in call.args if isinstance(each, ast.Dict) for key in each.keys]
            found |= {id(each) for each in [*call.args, *named]}
    return found


def _groups(tree: ast.Module) -> set[int]:
    """The names of groups in a dict such as {"animals": "cat dog".split()}, which a figure shows."""
    dicts = (node for node in ast.walk(tree) if isinstance(node, ast.Dict))
    return {id(key) for each in dicts if all(map(_is_split, each.values)) for key in each.keys}


def _is_split(node: ast.expr) -> bool:
    """Whether it is a text that is cut into words."""
    method = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(method, ast.Attribute)
        and method.attr == "split"
        and isinstance(method.value, ast.Constant)
    )


def _words(node: ast.Constant | ast.JoinedStr) -> str:
    """What is written in it, without the code of an f-string; "" for what is no string."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    values = [part.value for part in parts if isinstance(part, ast.Constant)]
    return " ".join(value for value in values if isinstance(value, str))


def is_corpus(text: str) -> bool:
    rest, symbols = SYMBOL.subn("", text)
    words = re.findall("[a-z]{2,}" if symbols else r"[^\W\d_]+", rest.lower())
    return bool(symbols or len(words) > 1) and set(words) <= _corpus_words()


@functools.cache
def _corpus_words() -> set[str]:
    return set(vocabularies()[0])


def _part(part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value).replace("{", "{{").replace("}", "}}")
    return ast.unparse(ast.JoinedStr([part]))[2:-1]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
