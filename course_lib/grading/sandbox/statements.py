"""Runs the statements that an answer is made of, where no cell has run. Each is read before it runs."""

import ast
import os
import re
import sys
from collections.abc import Collection, Iterator, Sequence, Set
from types import CodeType, ModuleType

from course_lib.grading.sandbox.followed import is_installed
from course_lib.grading.sandbox.refused_texts import Texts
from course_lib.grading.sandbox.shell import Shell
from course_lib.grading.sandbox.spoken import Spoken

MAGIC = re.compile(r"get_ipython\(\)\.\w+\(")


def run_statements(
    cells: Sequence[tuple[str, str, list[int]]], shell: Shell, texts: Texts, words: Set[str]
) -> tuple[list[str], str]:
    """In the shell's names. cells: as taken_out.Pieces. words: names that attributes may have.

    Gives what statements ask for that honest answers do without, for which they were not run, and the first
    error of those that were.
    """
    with texts.ours():
        codes = [(module, [*_compiled(text, places, shell)]) for module, text, places in cells]
    spoken = Spoken(words, notebook=shell.user_ns)
    for _, statements in codes:
        for code in statements:
            spoken.give(code)
    refused, failed, made = list[str](), "", dict[str, ModuleType]()
    for module, statements in codes:
        if module and module not in made:  # a second cell may add to the file of a first
            if is_installed(module):  # Python has another of that name
                continue
            made[module] = _made(module)
        names = vars(made[module]) if module else shell.user_ns
        for code in statements:
            if unknown := spoken.read_statement(code, names):
                refused += unknown
                continue
            try:
                exec(code, names)
            except (Exception, SystemExit) as error:  # which ends a cell, and not the notebook
                failed = failed or f"{type(error).__name__}: {error}"
                break
    return refused, failed


def _made(name: str) -> ModuleType:
    """A module that a cell has written as a file."""
    module = sys.modules[name] = ModuleType(name)
    module.__file__ = os.path.abspath(f"{name}.py")
    return module


def _compiled(text: str, places: Collection[int], shell: Shell) -> Iterator[CodeType]:
    """These statements of a cell, with its lines, which errors quote."""
    name = shell.compile.cache(text, shell.execution_count, text)
    shell.execution_count += 1
    body = _NoMagics().visit(ast.parse(text, name)).body
    for node in (each for place in places for each in _one_by_one(body[place])):
        yield shell.compile(ast.Module([node], []), name, "exec")  # type: ignore[arg-type]


class _NoMagics(ast.NodeTransformer):
    """An answer is made of none: `!pip install` may stand beside the import that it is for."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        return ast.copy_location(ast.Pass(), node) if MAGIC.match(ast.unparse(node.value)) else node


def _one_by_one(node: ast.stmt) -> Iterator[ast.stmt]:
    """An import of several names as one for each: what an answer does without may be among them."""
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        yield node
        return
    for name in node.names:
        fields = {**dict(ast.iter_fields(node)), "names": [name]}
        yield ast.copy_location(type(node)(**fields), node)
