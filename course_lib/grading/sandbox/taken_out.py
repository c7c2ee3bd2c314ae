"""What an answer is made of, by the text of its notebook: the statements that define it, and what they use.

Nothing is run to find it. All other cells can then be left out, with whatever they have done.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from course_lib.checks.definitions import global_names
from course_lib.grading.sandbox.cell_text import TooCostlyError, as_python, parsed

MOST = 300  # statements of one answer
AROUND_A_CELL = {"time", "capture"}  # magics that run it as it is
LINE_END = re.compile("\r\n?|\n")
SCOPES = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda
SCOPES += ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp
FILES, A_MODULE = {"writefile", "file"}, re.compile(r"\s*(?:(?:-a|--append)\s+)?(?:\./)?(\w+)\.py\s*")
# For each cell the module that it writes, or "", its text as Python, and the places of statements in it.
Pieces = list[tuple[str, str, list[int]]]
FILLS = {"append", "extend", "insert", "add", "update", "setdefault", "pop", "remove", "clear"}
# Functions that change what they get, as those of PyTorch whose names end in an underscore.
CHANGERS = {"shuffle", "heapify", "heappush", "heappop", "insort", "insort_left", "insort_right"}
CHANGERS |= {"fill_diagonal", "copyto", "put", "putmask", "put_along_axis", "place"}
MADE = {"list", "dict", "set", "defaultdict", "OrderedDict", "Counter", "deque"}  # what is filled later


@dataclass(eq=False)
class Statement:
    """At the top of a cell. binds: names that it gives a value; changes: those whose value it changes.

    boxes: of those that it binds, what may be filled later. calls: functions, by name; given: what they get.
    sets: names that functions in it call their notebook's own. sets_attributes: whether it gives any a value.
    """

    node: ast.stmt
    place: int
    binds: set[str] = field(default_factory=set)
    changes: set[str] = field(default_factory=set)
    boxes: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    given: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for node in _in_its_scope(self.node):
            match node:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.ExceptHandler(name=str(name)):
                    self.binds.add(name)
                case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                    self.binds.add(name)
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    self.binds.add(name)
                    for decorator in node.decorator_list:
                        self._reads_decorator(decorator)
                case ast.alias(name=name, asname=other):
                    self.binds.add(other or name.partition(".")[0])
                case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                    self.changes |= _root(node)
                case ast.Expr(value=ast.Call(func=ast.Attribute() as called)):  # words.append("cat")
                    self.changes |= _root(called)
                case ast.Call(func=ast.Attribute(attr=name) as called) if name in FILLS:
                    self.changes |= _root(called)
                case ast.Call(func=ast.Attribute(attr=name), args=[changed, *_]) if _changes_it(name):
                    self.changes |= _root(changed)
                case ast.keyword(arg="out", value=changed):
                    self.changes |= _root(changed)
                case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[changed, *_]):
                    self.changes |= _root(changed)
                case ast.Call(func=ast.Name(id=name), args=given):
                    self.calls.add(name)
                    self.given.update(*map(_root, given))
                    if _changes_it(name):
                        self.changes.update(*map(_root, given[:1]))
        if isinstance(self.node, (ast.Assign, ast.AnnAssign)) and _is_a_box(self.node.value):
            self.boxes = self.binds

    def _reads_decorator(self, decorator: ast.expr) -> None:
        called, given = decorator, list[ast.expr]()
        if isinstance(decorator, ast.Call):
            called, given = decorator.func, decorator.args
        if isinstance(called, ast.Name):
            self.calls.add(called.id)
        else:  # the method of an object, as @kinds.register("gelu")
            self.changes |= _root(called)
        self.given.update(*map(_root, given))

    def touches(self, needed: Set[str], boxes: Set[str], functions: Mapping[str, "Statement"]) -> bool:
        """Whether a function that it calls sets a needed name, or may fill a needed box or object."""
        called = [functions[name] for name in self.calls if name in functions]
        filled = self.given.union(*(one.uses for one in called)) & boxes & needed
        filled |= self.given & needed if any(one.sets_attributes for one in called) else set()
        return bool(called) and bool(filled or needed & set().union(*(one.sets for one in called)))

    @cached_property
    def sets(self) -> set[str]:
        """Names that functions in it call their notebook's own."""
        found = (node.names for node in ast.walk(self.node) if isinstance(node, ast.Global))
        return {name for names in found for name in names}

    @cached_property
    def sets_attributes(self) -> bool:
        return any(
            (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
            or (isinstance(node, ast.Name) and node.id == "setattr")
            for node in ast.walk(self.node)
        )

    @property
    def is_import(self) -> bool:
        return isinstance(self.node, (ast.Import, ast.ImportFrom))

    @property
    def is_of_the_future(self) -> bool:
        return getattr(self.node, "module", "") == "__future__"

    @cached_property
    def uses(self) -> set[str]:
        return {*global_names(compile(ast.Module([self.node], []), "", "exec"))}

    @cached_property
    def imports(self) -> set[str]:
        """Modules, also those that functions in it import."""
        nodes = [*ast.walk(self.node)]
        named = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        return named | {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}


@dataclass
class Cell:
    """module: that it writes as a file, or ""."""

    module: str
    text: str
    statements: tuple[Statement, ...]

    @classmethod
    def read(cls, source: str) -> "Cell":
        """Of what the audit reads, and of nothing else. Without statements where it is no Python."""
        tree, module = parsed(source), ""
        match tree.body if tree else []:
            case [ast.Expr(ast.Call(function, args=[name, line, body]))] if _is_shells(
                function, "run_cell_magic"
            ):
                name, line, body = map(_constant, (name, line, body))
                file = A_MODULE.fullmatch(line) if name in FILES else None
                if file or name in AROUND_A_CELL:
                    source, module = f"\n{body}", file[1] if file else ""  # what stands above has a line
                    tree = parsed(source)
        text = source if module else _untimed(as_python(source), tree)
        return cls(module, text, _statements(text) if tree else ())


def taken_out(sources: Sequence[str], answer: str) -> Pieces | None:
    """sources: of the cells before the check; answer: the expression. None where they cannot be read."""
    try:
        cells = [Cell.read(source) for source in sources]
        chosen = _chosen(cells, {*global_names(compile(answer, "", "eval"))})
    except (TooCostlyError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = [
        (cell.module, cell.text, [one.place for one in cell.statements if one in chosen]) for cell in cells
    ]
    return [piece for piece in found if piece[2]] if len(chosen) <= MOST else None


def _chosen(cells: Sequence[Cell], needed: set[str]) -> set[Statement]:
    """Those that give the names that are needed, and what they need in turn."""
    statements = [(cell.module, one) for cell in cells for one in cell.statements]
    # Of what is imported nothing is changed by a statement of the notebook's own.
    imported = {name for _, one in statements if one.is_import for name in one.binds}
    bound = set[str]().union(*(one.binds for _, one in statements))
    boxes = set[str]().union(*(one.boxes for _, one in statements))
    functions = {one.node.name: one for _, one in statements if isinstance(one.node, ast.FunctionDef)}
    chosen, modules = set[Statement](), set[str]()

    def is_needed(module: str, one: Statement) -> bool:
        if module:
            return module in modules and bool(one.binds)
        may_have_it = "*" in one.binds and not needed <= bound
        if one.is_of_the_future or may_have_it or (one.binds | one.changes - imported) & needed:
            return True
        return one.touches(needed, boxes, functions)

    while len(chosen) <= MOST:
        found = [one for module, one in statements if one not in chosen and is_needed(module, one)]
        if not found:
            break
        chosen.update(found)
        needed = needed.union(*(one.uses for one in found))
        modules = modules.union(*(one.imports for one in found))
    return chosen


@lru_cache(maxsize=256)
def _statements(text: str) -> tuple[Statement, ...]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    return tuple(Statement(node, place) for place, node in enumerate(tree.body))


def _untimed(text: str, tree: ast.Module | None) -> str:
    """With what `%time` runs in place of the magic, where both are a line at the top of the cell."""
    lines = LINE_END.split(text)  # Python takes each of them for the same
    for node in tree.body if tree else ():
        match node:
            case ast.Expr(ast.Call(function, args=[name, code])) if _is_shells(function, "run_line_magic"):
                code, place = _constant(code), node.lineno - 1
                is_line = lines[place].strip() == ast.get_source_segment(text, node) and "\n" not in code
                if is_line and _constant(name) == "time" and _statements(code):
                    lines[place] = code
    return "\n".join(lines)


def _is_shells(function: ast.expr, method: str) -> bool:
    """Whether it is this method of IPython's shell, as the audit knows it, and not of anything else."""
    match function:
        case ast.Attribute(ast.Call(ast.Name(id="get_ipython")), attr=attribute):
            return attribute == method
    return False


def _constant(node: ast.expr) -> str:
    value = getattr(node, "value", "")
    return value if isinstance(value, str) else ""


def _in_its_scope(node: ast.AST) -> Iterator[ast.AST]:
    """All that is in it, without the insides of functions and classes."""
    yield node
    for inner in ast.iter_child_nodes(node) if not isinstance(node, SCOPES) else ():
        yield from _in_its_scope(inner)


def _changes_it(function: str) -> bool:
    """Whether a library's function of this name changes its first argument."""
    return function in CHANGERS or (function.endswith("_") and not function.endswith("__"))


def _is_a_box(value: ast.expr | None) -> bool:
    """Whether it is a list, a dict or a set, so that somebody may fill it."""
    if isinstance(value, ast.Call):
        return not MADE.isdisjoint({getattr(value.func, "id", ""), getattr(value.func, "attr", "")})
    return isinstance(value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp))


def _root(node: ast.expr) -> set[str]:
    """The name at the beginning of `a.b[c].d`."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()
