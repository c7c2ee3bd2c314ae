"""Refuses to run a text as code that the audit would flag in a cell, wherever the learner has it from.

Python tells its audit hooks each text before it compiles it. The audit of a notebook cannot read what is put
together when it runs; this reads it then, with the names as they are.
"""

import ast
import builtins
import contextlib
import io
import os
import sys
import tokenize
from collections.abc import Iterator
from types import FrameType, FunctionType, GenericAlias, ModuleType
from typing import Any

from course_lib.checks.definitions import INSTALLED, WORKSHOP
from course_lib.checks.ready_made_names import RECORDED
from course_lib.grading.sandbox.askers import LIBRARIES, is_library_file, is_of_a_library, says
from course_lib.grading.sandbox.audited_cell import imports
from course_lib.grading.sandbox.audited_code import Reader
from course_lib.grading.sandbox.audited_magics import magics_in
from course_lib.grading.sandbox.audited_uses import Flag
from course_lib.grading.sandbox.cell_text import as_python, parsed
from course_lib.grading.sandbox.guarded import IMPORTING, NAMES_OF, name_of
from course_lib.grading.sandbox.heard import BEHIND, Handlers, plain_text
from course_lib.grading.sandbox.lent import Lent
from course_lib.grading.sandbox.real_names import real_name
from course_lib.grading.sandbox.shell import Shell
from course_lib.grading.sandbox.suspicions import MODULES, NAMES_OF_MODULES
from course_lib.grading.sandbox.thawed_classes import thaw_dataclasses

PARSING = os.path.join(INSTALLED[0], "ast.py")
# Of Python's library: what compiles texts for others, of their annotations and fields.
WRITERS = tuple(os.path.join(INSTALLED[0], *file.split("/")) for file in ("typing.py", "dataclasses.py"))
WRITERS += (thaw_dataclasses.__code__.co_filename,)  # between a library and dataclasses
# Of Python's library: what evaluates annotations; and what is in those that are types.
EVALUATING = tuple(
    os.path.join(INSTALLED[0], f"{name}.py") for name in ("typing", "inspect", "annotationlib")
)
SPACES = "globalns", "localns", "globals", "locals"  # what they call the names with which they evaluate
TYPES = (ast.Module, ast.Expr, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant)
TYPES += (ast.BinOp, ast.BitOr, ast.Load)
IPYTHON = os.path.join(INSTALLED[1], "IPython", "")


class Texts:
    """handlers: what has to be heard for it."""

    def __init__(self, shell: Shell):
        self._shell, self._cells, self._is_ours = shell, [""], False
        self.handlers: Handlers = {"compile": self._refuse, "exec": self._refuse_elsewhere}

    def begin(self, cell: str) -> None:
        """The shell runs it next. It is audited elsewhere, and so is what it writes to a file by a magic."""
        self._cells = [one for one in self._cells if one.startswith("%%")] + [cell]

    @contextlib.contextmanager
    def ours(self) -> Iterator[None]:
        """Within it the course compiles a cell, and nothing of a learner's runs."""
        self._is_ours = True
        try:
            yield
        finally:
            self._is_ours = False

    def _refuse(self, _: str, given: tuple[Any, ...]) -> None:
        if self._is_ours:
            return
        source, name = map(plain_text, given)
        flags = self._flags(source, name, sys._getframe(BEHIND))
        if name is not given[1]:
            flags.append(Flag(f"is compiled as `{name}`, a text of a class of its own"))
        if told := [flag.sentence for flag in flags if flag.tampers]:
            raise SyntaxError(f"a text is not run as code while work is graded: {told[0]}")

    def _refuse_elsewhere(self, *_: Any) -> None:
        """An annotation that is evaluated with names that are not its author's: it says whose they are."""
        asking = sys._getframe(BEHIND)
        if asking.f_code.co_filename not in EVALUATING:
            return
        of_modules = [asking.f_locals[one] for one in SPACES if _is_a_modules(asking.f_locals.get(one))]
        frame, annotated = asking, None
        while frame.f_back and frame.f_code.co_filename in EVALUATING:
            annotated = frame.f_locals.get("obj", annotated)
            frame = frame.f_back
        if not all(
            names is self._shell.user_ns or _is_written_with(annotated, names) for names in of_modules
        ):
            raise NameError("an annotation is not evaluated with another module's names")

    def _flags(self, source: Any, name: Any, asking: FrameType) -> list[Flag]:
        file = asking.f_code.co_filename
        is_library = is_library_file(str(name))
        if file == PARSING or (file.startswith(IMPORTING) and is_library) or _is_its_own(asking, source):
            return []
        if str(name).startswith(LIBRARIES):  # also by a detour, up from a library's folder again
            return [Flag(f"passes for a library's: `{name}`")]
        if str(name).startswith(RECORDED):
            return [Flag("runs what PyTorch has recorded")]
        if isinstance(source, ast.AST):
            return [] if _has_parsed_it(asking) else self._flags_of(_text_of(source), asking)
        if isinstance(source, str):
            source = source.encode(errors="replace")
        text = source.decode(errors="replace")
        ast.parse(text)  # what cannot be read does not run, also where a flag of the compiler would let it
        if text.strip() in self._read_before():
            return []
        if encoding := _other_encoding(source):  # which Python ignores in a text, and not in bytes
            return [Flag(f"is written in `{encoding}`")]
        return self._flags_of(text, asking)

    def _read_before(self) -> Iterator[str]:
        """As IPython makes Python of it: the cell, and what magics in it run, or wrote before."""
        yield as_python(self._cells[-1]).strip()
        for tree in filter(None, map(parsed, self._cells)):
            for _, magic in magics_in(list(ast.walk(tree))):
                yield from (as_python(code).strip() for code in magic.codes)

    def _flags_of(self, text: str, asking: FrameType) -> list[Flag]:
        modules: dict[str, set[str]] = {}
        is_own = not is_of_a_library(asking.f_code)
        for names in (self._shell.user_ns, *((asking.f_globals, asking.f_locals) if is_own else ())):
            for name, value in list(names.items()):
                if issubclass(type(value), ModuleType):
                    modules.setdefault(name, set()).add(name_of(value))
        flags = [*Reader(Lent(())).flags_of_python(text, modules), *_renamed(text)]
        if not is_own:  # dataclasses, for one, write methods as text
            flags = [flag for flag in flags if flag.sentence != "defines `__eq__`"]
        if asking.f_code.co_filename in EVALUATING and (found := self._no_type_in(ast.parse(text))):
            flags.append(Flag(f"is an annotation, and no type: `{found}`"))
        return flags

    def _no_type_in(self, annotation: ast.Module) -> str:
        """What in an annotation is more than the name of a type: a call, a function; "" if nothing is."""
        for node in ast.walk(annotation):
            if not isinstance(node, TYPES):
                return type(node).__name__
            if isinstance(node, (ast.Name, ast.Attribute)):
                value = self._named(node)
                is_type = issubclass(type(value), (type, GenericAlias)) or type(value).__module__ == "typing"
                if callable(value) and not is_type:
                    return ast.unparse(node)
        return ""

    def _named(self, node: ast.expr) -> Any:
        """What a name stands for in the notebook. Of what is no module nothing is asked."""
        if isinstance(node, ast.Name):
            return self._shell.user_ns.get(node.id, vars(builtins).get(node.id))
        if not isinstance(node, ast.Attribute):
            return None
        module = self._named(node.value)
        return NAMES_OF(module).get(node.attr) if type(module) is ModuleType else None


def _is_a_modules(names: Any) -> bool:
    """Whether these are the names of an installed module."""
    return (
        type(names) is dict and "__spec__" in names and is_library_file(names.get("__file__", INSTALLED[0]))
    )


def _is_written_with(annotated: Any, names: dict[str, Any]) -> bool:
    """Whether a function or class is of the module that has these names."""
    if type(annotated) is FunctionType:
        return annotated.__globals__ is names and is_of_a_library(annotated.__code__)
    if not isinstance(annotated, type):
        return False
    return names.get(type.__dict__["__qualname__"].__get__(annotated).partition(".")[0]) is annotated


def _renamed(text: str) -> Iterator[Flag]:
    """Modules that it imports under other names than theirs: no audit knows them in a cell that gets them."""
    for node in ast.walk(ast.parse(text)):
        for alias, path in imports(node):
            real = real_name(path)
            reaches = real in (*NAMES_OF_MODULES, "torch._C") or (real in MODULES and MODULES[real].tampers)
            if reaches and (alias.asname or alias.name.partition(".")[0]) not in real.split("."):
                yield Flag(f"imports a module under another name: `{ast.unparse(alias)}`")


def _other_encoding(source: bytes) -> str:
    """That a comment in the first lines names, if Python knows it; "" of what is read as UTF-8."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except SyntaxError:  # a comment that only looks so
        return ""
    return encoding.removeprefix("utf-8").removeprefix("-sig")


def _text_of(tree: ast.AST) -> str:
    """As Python. A tree may hold what no text can: names with blanks."""
    text = ast.unparse(tree)
    body = getattr(tree, "body", [])
    read = ast.parse(text).body
    whole = ast.Module(body if isinstance(body, list) else [ast.Expr(body)], [])
    if ast.dump(whole) != ast.dump(ast.Module(read, [])):
        raise SyntaxError("a syntax tree is not run while work is graded: it is not that of a text")
    return text


def _is_its_own(asking: FrameType, source: Any) -> bool:
    """Whether a library has a text compiled that stands in its code, or is being imported.

    Of Python's library only by WRITERS.
    """
    frame: FrameType | None = asking
    while frame and frame.f_code.co_filename in WRITERS:
        frame = frame.f_back
    if frame is None or not frame.f_code.co_filename.startswith(INSTALLED[1:]):
        return False
    if isinstance(source, bytes) and says(frame.f_code, source.decode(errors="replace")):
        return True
    while frame and is_of_a_library(frame.f_code) and not frame.f_code.co_filename.startswith(WORKSHOP):
        if frame.f_code.co_name == "<module>":
            return True
        frame = frame.f_back
    return False


def _has_parsed_it(asking: FrameType) -> bool:
    """Whether it is IPython, with what it has parsed itself: the text was read then."""
    caller = asking.f_back
    if not (caller and caller.f_back and is_of_a_library(asking.f_code)):
        return False
    if not caller.f_code.co_filename.startswith(IPYTHON):
        return False
    return caller.f_code.co_name != "run_ast_nodes" or caller.f_back.f_code.co_name == "run_cell_async"
