"""Magics and shell commands of a cell, as IPython's own calls, and the Python code in them."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from string import Formatter
from typing import NamedTuple

from course_lib.grading.sandbox.cell_text import TooCostlyError, parsed
from course_lib.grading.sandbox.suspicions import CODE_MAGICS

RUNNERS = ("run_line_magic", "run_cell_magic")
SHELL = ("system", "getoutput", "getoutput_raw", "sx")
TWICE = ("sx", "system", "pip", "conda", "mamba", "uv", "cd", "alias", "env", "set_env")  # at least
UNEXPANDED = ("time", "timeit", "prun", "debug")  # IPython takes their lines as they are
BRACES = "@braces"  # in what modules_of gives, where a text could be code in braces: no name of Python's
# What makes texts that nobody sees.
BUILDERS = ("chr", "decode", "fromhex", "unhexlify", "b64decode", "unescape", "loads")
MOST_OPTIONS = 12  # words before the code in the line of a magic


class Magic(NamedTuple):
    """codes: the Python code that it is given; expressions: what IPython evaluates of its line."""

    name: str
    codes: list[str]
    expressions: list[str]


def magics_in(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.AST, Magic]]:
    """Calls of magics with constant arguments."""
    for node in nodes:
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython")), attr=attr),
                args=args,
                keywords=keywords,
            ) if attr in RUNNERS:
                values = [*args, *(keyword.value for keyword in keywords)]
                texts = [one.value for one in values if isinstance(one, ast.Constant)]
                texts = [text for text in texts if isinstance(text, str)]
                if texts and len(texts) == len(values):
                    yield node, _magic(texts[0].strip(), *[*texts[1:], "", ""][:2])


def codes_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """All Python code in magics, in shell commands, and in what `eval` and `exec` are given as it stands."""
    nodes = list(nodes)
    expressions: list[str] = []
    for _, magic in magics_in(nodes):
        yield from magic.codes
        expressions += magic.expressions
    for node in nodes:
        expressions += _expressions_of_shell(node)
        yield from filter(None, [literal_code(node)])
    # A single name is only shown; it may also stand in the shell's own braces.
    yield from (one for one in expressions if not one.isidentifier())


def literal_code(node: ast.AST) -> str:
    """What eval("...") or exec("...") runs where it can be read; else empty."""
    match node:
        case ast.Call(
            func=ast.Name(id="eval" | "exec"), args=[ast.Constant(value=str(code))], keywords=[]
        ) if "{" not in code:
            return code
    return ""


def hides_braces(nodes: Collection[ast.AST]) -> bool:
    """Whether a text of the notebook holds a call in braces, or half of one, or is made unseen.

    Texts that magics and the shell are given are not asked: they are read as they stand.
    """
    given = {id(one) for node in nodes for one in _given_to_shell(node)}
    for node in nodes:
        match node:
            case ast.Constant(value=str(text)) if id(node) not in given and "{" in text:
                if _calls_in_braces(text):
                    return True
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in BUILDERS:
                return True
    return False


def _given_to_shell(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Call(func=ast.Attribute(attr=attr), args=args) if attr in (*SHELL, *RUNNERS):
            return args
    return []


def _calls_in_braces(text: str) -> bool:
    try:
        list(Formatter().parse(text))
    except ValueError:
        return True  # half of a pair
    expressions = (ast.walk(ast.parse(one, mode="eval")) for one in _expressions(text))
    return any(isinstance(node, ast.Call) for nodes in expressions for node in nodes)


def _expressions_of_shell(node: ast.AST) -> list[str]:
    """What IPython evaluates in `!ls {folder}`."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Call(), attr=attr), args=[ast.Constant(value=str(line)), *_]
        ) if attr in SHELL:
            return _expressions(line)
    return []


def _magic(name: str, line: str, body: str) -> Magic:
    expanded = [] if name in UNEXPANDED else [line]
    if name in SHELL:
        expanded.append(body)
    codes = []
    if name in CODE_MAGICS:
        codes = [body] if name == "writefile" else [_without_options(line), body]
    return Magic(name, list(filter(None, codes)), [one for text in expanded for one in _expressions(text)])


def _without_options(line: str) -> str:
    """The code in the line of a magic: x + 1 of `-n 10 x + 1`."""
    rest = line.strip()
    try:
        for _ in range(MOST_OPTIONS):
            if not rest or parsed(rest):
                return rest
            rest = rest.partition(" ")[2].strip()
    except TooCostlyError:
        return rest  # flagged where it is read
    return line


def _expressions(line: str) -> list[str]:
    """What stands in braces or behind a $ and is Python. Some lines are expanded twice: {{x}} is {x} then."""
    once = re.sub(r"\{+", "{", re.sub(r"\}+", "}", line))
    found = dict.fromkeys(one for text in {line, once} for one in _fields(text))
    return [one for one in found if _is_expression(one)]


def _fields(line: str) -> Iterator[str]:
    try:
        for text, field, spec, _ in Formatter().parse(line):
            yield from re.findall(r"\$([\w.]+)", text)
            if field:
                yield f"{field}:{spec}".strip().removesuffix(":")  # a slice is no format to IPython
    except ValueError:  # of braces that do not match: what stands before them has been evaluated
        return


def _is_expression(text: str) -> bool:
    try:
        return bool(ast.parse(text, mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
