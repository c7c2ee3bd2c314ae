"""A learner's cell as the audit reads it: its syntax tree, and dotted names resolved to modules."""

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import Any

from course_lib.grading.sandbox.audited_magics import BRACES, Magic, codes_in, hides_braces, magics_in
from course_lib.grading.sandbox.cell_text import MOST_CODES, MOST_DEPTH, TooCostlyError, parsed
from course_lib.grading.sandbox.real_names import is_module, real_name
from course_lib.grading.sandbox.suspicions import NAMES_OF_MODULES, READ_ONLY, TIMERS

SHOWING = {"dir", "help", "len", "print", "repr", "str", "type"}
SHADOWED = "@shadowed"  # in what modules_of gives, those of SHOWING that a notebook has itself
IMPORTERS = ("importlib.import_module",)
RUNNING = ("run", "pylab", "aimport")  # magics that bring names into the notebook
MOST_TEXTS = 100  # of a loop, that are followed
MOST_MEANINGS, MOST_PARTS = 50, 20  # of a name: dotted names that it may stand for, and parts of each


class Cell:
    """modules: what each name may mean, in any cell of the notebook, as dotted names."""

    def __init__(self, source: str, tree: ast.Module, modules: dict[str, set[str]]):
        self.source, self.modules, self.nodes = source, modules, list(ast.walk(tree))
        self.texts: dict[ast.AST, Any] = {}  # what `built_names` has read of these nodes
        self._parents = {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}

    @classmethod
    def read(cls, source: str, modules: dict[str, set[str]]) -> "Cell | None":
        """None where it is no Python. Raises TooCostlyError."""
        tree = parsed(source)
        return None if tree is None else cls(source, tree, modules)

    def parent(self, node: ast.AST | None) -> ast.AST | None:
        return self._parents.get(node) if node else None

    def resolved(self, node: ast.AST) -> set[str]:
        """{"torch.nn.functional.softmax"} of F.softmax; empty where it begins with no module."""
        return set(map(real_name, _resolved(node, self.modules)))

    def called(self, function: ast.expr) -> set[str]:
        """The same of what is called, also where its name may come from `from sympy import *`."""
        stars = self.modules.get("*", ()) if isinstance(function, ast.Name) else ()
        return self.resolved(function) or {path.replace("*", ast.unparse(function)) for path in stars}

    def paths(self) -> Iterator[tuple[str, ast.AST]]:
        """Each dotted name that begins with a module, whole, and where it stands: an import or an expression.

        Both as it is written and by its real name.
        """
        for node in self.nodes:
            yield from ((name, node) for _, path in imports(node) for name in {path, real_name(path)})
            is_whole = not isinstance(parent := self.parent(node), ast.Attribute) or parent.value is not node
            is_used = is_whole and not self._is_compared(node)
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load) and is_used:
                found = _resolved(node, self.modules) or _below_a_module(node)
                yield from ((path, node) for path in found | set(map(real_name, found)))

    def _is_compared(self, node: ast.AST) -> bool:
        """It only looks, as `"torch" in sys.modules` and `isinstance(f, types.FunctionType)` do."""
        parent = self.parent(node)
        parent = self.parent(parent) if isinstance(parent, ast.Tuple) else parent
        match parent:
            case ast.Compare():
                return True
            case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
                return iterated is node
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[first, _]):
                return first is not node
        return False

    def is_read(self, node: ast.AST) -> bool:
        """Whether one of a dict's methods that change nothing is called on it."""
        parent = self.parent(node)
        return isinstance(parent, ast.Attribute) and parent.attr in READ_ONLY

    def is_shown_by(self, call: ast.AST | None) -> bool:
        """Whether a call keeps nothing of what it is given, as print does where it is Python's own."""
        match call:
            case ast.Call(func=ast.Name(id=name)):
                return name in SHOWING and name not in self.modules.get(SHADOWED, ())
        return False

    def is_magic(self, node: ast.AST | None) -> bool:
        return node in self._magics

    def magics(self) -> Iterator[Magic]:
        yield from self._magics.values()

    @cached_property
    def runs_docstrings(self) -> bool:
        """Whether the notebook imports doctest."""
        return any(path.split(".")[0] == "doctest" for paths in self.modules.values() for path in paths)

    def is_timed(self, node: ast.AST | None) -> bool:
        """Whether it is a call of one of timeit's functions."""
        return isinstance(node, ast.Call) and bool(self.resolved(node.func) & {*TIMERS})

    def constants_of(self, name: ast.Name) -> list[str]:
        """The texts that a loop around it gives this name one by one; empty where it may be anything else."""
        if self._stored[name.id] != 1:
            return []
        node: ast.AST | None = name
        while (node := self.parent(node)) is not None:
            for loop in [node, *getattr(node, "generators", ())]:
                target, texts = getattr(loop, "target", None), getattr(loop, "iter", None)
                if isinstance(target, ast.Name) and target.id == name.id:
                    found = texts.elts if isinstance(texts, (ast.Tuple, ast.List)) else []
                    if len(found) > MOST_TEXTS:
                        return []
                    known = [text for text in map(_text, found) if text is not None]
                    return known if len(known) == len(found) else []
        return []

    def is_given(self, name: str) -> bool:
        """Whether something is stored under this name in the cell, besides by arguments and definitions."""
        return bool(self._stored[name])

    @cached_property
    def assigned(self) -> dict[str, ast.expr]:
        """What each name is given that is given something once, by `=`."""
        found: dict[str, ast.expr] = {}
        for node in self.nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)]) | ast.NamedExpr(target=ast.Name(id=name)):
                    found[name] = node.value
        return {name: value for name, value in found.items() if self._stored[name] == 1}

    @cached_property
    def _stored(self) -> Counter[str]:
        """How often each name is given something."""
        names = (node for node in self.nodes if isinstance(node, ast.Name))
        return Counter(name.id for name in names if not isinstance(name.ctx, ast.Load))

    @cached_property
    def _magics(self) -> dict[ast.AST, Magic]:
        return dict(magics_in(self.nodes))


def modules_of(sources: Iterable[str]) -> dict[str, set[str]]:
    """What is imported under each name in these cells, also where a name is given to it later: m = torch.

    Raises TooCostlyError where names of names stand for very many, as `x = x.a` does in each line.
    """
    modules: dict[str, set[str]] = {}
    nodes: list[ast.AST] = []
    waiting = [(source, 0) for source in sources]
    left = MOST_CODES + len(waiting)
    while waiting:
        source, depth = waiting.pop()
        if (left := left - 1) < 0:
            raise TooCostlyError
        try:
            tree = parsed(source)
        except Exception:  # flagged where the cell is audited
            continue
        found = list(ast.walk(tree)) if tree else []
        nodes += found
        if depth < MOST_DEPTH:
            waiting += [(code, depth + 1) for code in codes_in(found)]
    for node in nodes:
        for one in node.body if isinstance(node, ast.ClassDef) else ():
            for alias, path in imports(one):
                modules.setdefault(f".{alias.asname or alias.name}", set()).add(path)
        for alias, path in imports(node):
            root = path.split(".")[0]
            plain = isinstance(node, ast.Import) and not alias.asname
            modules.setdefault(root if plain else alias.asname or alias.name, set()).add(
                root if plain else path
            )
    for name in _brought(nodes) - {*modules}:
        modules[name] = {name}
    modules[SHADOWED] = SHOWING.intersection(map(_bound, nodes))
    if hides_braces(nodes):
        modules[BRACES] = set()
    for node in nodes:
        for name, value in _given(node):
            paths = _resolved(value, modules)
            if name.startswith(".") or isinstance(node, ast.keyword):
                paths = {path for path in paths if is_module(real_name(path))}
            if paths:
                known = modules.setdefault(name, set())
                known.update(paths)
                if len(known) > MOST_MEANINGS or any(path.count(".") >= MOST_PARTS for path in paths):
                    raise TooCostlyError
    return modules


def _brought(nodes: list[ast.AST]) -> set[str]:
    """Names of modules that no cell imports: they come with a star, or from a script that it runs."""
    used = {node.id for node in nodes if isinstance(node, ast.Name) and node.id in NAMES_OF_MODULES}
    stars = any(path.endswith(".*") for node in nodes for _, path in imports(node))
    runs = any(magic.name in RUNNING for _, magic in magics_in(nodes))
    return used if stars or runs else used - {*map(_bound, nodes)}


def _bound(node: ast.AST) -> str:
    """The name that a node binds, if it does: of a definition, an argument, an import or a variable."""
    match node:
        case ast.alias(asname=str(name)) | ast.arg(arg=name) | ast.alias(name=name):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Name(id=name, ctx=ast.Store()):
            return name
    return ""


def _given(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names that a node gives something, and what: m = torch, also in a tuple, a loop or a default.

    An attribute begins with a dot: what a class holds, and what a call gives by a keyword, may be one.
    """
    match node:
        case ast.ClassDef(body=body):
            for name, value in (pair for one in body for pair in _given(one)):
                yield f".{name}", value
        case ast.Assign(targets=[ast.Attribute(attr=name)], value=value):
            yield f".{name}", value
        case ast.keyword(arg=str(name), value=value):
            yield from ((name, value), (f".{name}", value))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.NamedExpr(ast.Name(id=name), value):
            yield name, value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            yield from (
                (one.id, value)
                for one, value in zip(names, values, strict=False)
                if isinstance(one, ast.Name)
            )
        case (
            ast.For(target=ast.Name(id=name), iter=ast.List(elts=values) | ast.Tuple(elts=values))
            | ast.comprehension(target=ast.Name(id=name), iter=ast.List(elts=values) | ast.Tuple(elts=values))
        ):
            yield from ((name, value) for value in values)
        case ast.arguments(posonlyargs=first, args=others, defaults=values) if values:
            yield from (
                (one.arg, value) for one, value in zip([*first, *others][-len(values) :], values, strict=True)
            )


def _text(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def in_function(node: ast.AST, cell: Cell, *others: type[ast.AST]) -> bool:
    """Whether it stands in a function, or in one of these: what is bound there is no name of the notebook."""
    while (node := cell.parent(node)) is not None:  # pyright: ignore[reportAssignmentType]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, *others)):
            return True
    return False


def imports(node: ast.AST) -> Iterator[tuple[ast.alias, str]]:
    if isinstance(node, ast.Import):
        yield from ((alias, alias.name) for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        yield from ((alias, f"{node.module or ''}.{alias.name}") for alias in node.names)


def _resolved(node: ast.AST, modules: dict[str, set[str]]) -> set[str]:
    names: list[str] = []
    while True:
        match node:
            case ast.Attribute(value=value, attr=name):
                node = value
            case ast.Call(func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name)), *_]):
                node = value
            case _:
                break
        names.append(name)
    roots: Collection[str] = modules.get(node.id, ()) if isinstance(node, ast.Name) else ()
    if isinstance(node, ast.Call) and (name := imported_by(node)):
        roots = {name} if _resolved(node.func, modules) & {*IMPORTERS} else ()
    while names and not roots:  # a module may be kept as an attribute
        roots = modules.get(f".{names.pop()}", ())
    return {".".join([root, *reversed(names)]) for root in roots}


def imported_by(call: ast.AST | None) -> str:
    """ "torch.nn" of import_module("torch.nn"), if that is what it is."""
    match call:
        case ast.Call(args=[ast.Constant(value=str(name))], keywords=[]):
            return name
    return ""


def _below_a_module(node: ast.AST) -> set[str]:
    """{"sys.modules"} of thing.sys.modules, whatever thing is."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr.removeprefix("_"))
        node = node.value
    for place, name in enumerate(names[:-1]):
        if name in NAMES_OF_MODULES:
            return {".".join(names[place:])}
    return set()
