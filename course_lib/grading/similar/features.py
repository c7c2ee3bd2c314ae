"""What is compared of an answer: its syntax trees, without what a copy changes first.

Names of variables, formatting, comments, docstrings, annotations, the order of commutative operands and of
keyword arguments, temporary variables, and `x += y` against `x = x + y` make no difference.
"""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterable

LONGEST = 20_000  # characters of an answer that are read
SMALLEST = 4  # nodes of a subtree that counts
COMMUTATIVE = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
TURNED = {ast.Gt: ast.Lt, ast.GtE: ast.LtE}
Features = frozenset[str]


class UnreadableError(Exception):
    """Why an answer cannot be compared."""


def features(source: str) -> Features:
    """The fingerprints of all subtrees of at least SMALLEST nodes.

    UnreadableError: it is no Python, or too long.
    """
    if len(source) > LONGEST:
        raise UnreadableError(f"longer than {LONGEST:,} characters")
    try:
        tree = ast.parse(source)
        for step in (_Plain(), _Inlined()):
            tree = step.visit(tree)
        return frozenset(_fingerprints(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnreadableError(f"no Python that can be read ({type(error).__name__})") from None


class _Plain(ast.NodeTransformer):
    """Without docstrings and annotations, one form for each comparison and each assignment."""

    def generic_visit(self, node):
        super().generic_visit(node)
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _says_nothing(one)] or [ast.Pass()]  # pyright: ignore[reportAttributeAccessIssue]
        return node

    def visit_FunctionDef(self, node):
        node.returns, node.name = None, "_"
        return self.generic_visit(node)

    def visit_arg(self, node):
        node.annotation = None
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        return ast.Assign([node.target], node.value) if node.value else ast.Pass()

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        target = _loaded(node.target)
        return ast.Assign([node.target], ast.BinOp(target, node.op, node.value))

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) == 1 and type(node.ops[0]) in TURNED:
            turned = TURNED[type(node.ops[0])]()
            return ast.Compare(node.comparators[0], [turned], [node.left])
        return node


class _Inlined(ast.NodeTransformer):
    """A variable that is written once and read once is replaced by its value, in the body of a function."""

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        names = [name for name in ast.walk(node) if isinstance(name, ast.Name)]
        read = Counter(name.id for name in names if isinstance(name.ctx, ast.Load))
        written = Counter(name.id for name in names if not isinstance(name.ctx, ast.Load))
        arguments = {arg.arg for arg in ast.walk(node) if isinstance(arg, ast.arg)}
        values, body = _Replaced(), []
        for statement in node.body:
            statement = values.visit(statement)
            target = statement.targets[0] if isinstance(statement, ast.Assign) else None
            once = isinstance(target, ast.Name) and read[target.id] == written[target.id] == 1
            if isinstance(target, ast.Name) and once and target.id not in arguments:
                values.known[target.id] = statement.value
            else:
                body.append(statement)
        node.body = body or [ast.Pass()]
        return node


class _Replaced(ast.NodeTransformer):
    def __init__(self):
        self.known: dict[str, ast.expr] = {}

    def visit_Name(self, node):
        return self.known.pop(node.id, node) if isinstance(node.ctx, ast.Load) else node


def _says_nothing(statement: ast.stmt) -> bool:
    text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return text or isinstance(statement, ast.Pass)


def _loaded(target: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(target), mode="eval").body


def _fingerprints(tree: ast.AST) -> set[str]:
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    own = {name.id for name in names if not isinstance(name.ctx, ast.Load)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    found: set[str] = set()

    def read(node) -> tuple[str, int]:
        """A node's canonical text, or its digest, and how many nodes it has. Each node is read once."""
        if isinstance(node, list):
            return _joined(map(read, node))
        if not isinstance(node, ast.AST):
            return repr(node), 0
        if isinstance(node, ast.Name):
            return (node.id if node.id not in own else "variable"), 1
        if isinstance(node, ast.arg):
            return "argument", 1
        if isinstance(node, ast.BinOp) and isinstance(node.op, COMMUTATIVE):
            text, size = _joined(sorted(map(read, (node.left, node.right))), type(node.op).__name__)
        elif isinstance(node, ast.BoolOp):
            text, size = _joined(sorted(map(read, node.values)), type(node.op).__name__)
        else:
            text, size = _joined(read(value) for value in _parts(node))
        text, size = f"{type(node).__name__}({text})", size + 1
        digest = hashlib.blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()
        if size >= SMALLEST and not isinstance(node, ast.Module):
            found.add(digest)
        return digest, size

    read(tree)
    return found


def _parts(node: ast.AST) -> list:
    fields = [value for name, value in ast.iter_fields(node) if name not in ("ctx", "type_comment", "kind")]
    if isinstance(node, ast.Call):
        return [node.func, node.args, sorted(node.keywords, key=lambda one: one.arg or "")]
    return fields


def _joined(parts: Iterable[tuple[str, int]], head: str = "") -> tuple[str, int]:
    parts = list(parts)
    return head + "[" + ",".join(text for text, _ in parts) + "]", sum(size for _, size in parts)
