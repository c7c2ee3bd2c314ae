"""Slips: small changes of a right program, one at a time, by its syntax tree.

An operator takes a node and yields what may stand in its place. Nodes carry what was seen when the program
ran (see `Seen`), so that a slip fits: a tensor is detached, a size is written as the number that it had.
"""

import ast
import copy
import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar

import torch

Node = TypeVar("Node", bound=ast.AST)
Operator = Callable[[Any], Iterator[ast.AST]]
PLAIN = (bool, int, float, type(None))


@dataclass
class Seen:
    """What an expression was when it ran.

    kind: of the first value, a type's name; of tensors "tensor", "scalar" (no axes), "ids" or "mask".
    value: the first, where it is a plain one. dims: of tensors, all numbers of axes that were seen.
    learns: whether gradients flow. whole: whether all numbers of tensors are whole. largest: of their sizes.
    """

    kind: str = ""
    value: Any = None
    dims: set[int] = field(default_factory=set)
    learns: bool = False
    whole: bool = True
    largest: float = 0.0

    def note(self, value: Any) -> None:
        if isinstance(value, torch.Tensor):
            kinds = {torch.bool: "mask", torch.long: "ids"}
            self.kind = self.kind or kinds.get(value.dtype, "tensor" if value.dim() else "scalar")
            self.dims.add(value.dim())
            self.learns |= value.requires_grad
            if (
                value.is_floating_point()
                and not value.is_meta
                and (numbers := value.detach()[value.isfinite()]).numel()
            ):
                self.whole &= torch.equal(numbers, numbers.round())
                self.largest = max(self.largest, numbers.abs().max().item())
            return
        if isinstance(value, (list, tuple)):  # as `torch.stack` takes them
            self.dims |= {one.dim() for one in value if isinstance(one, torch.Tensor)}
        if not self.kind:
            self.kind = type(value).__name__
            self.value = value if isinstance(value, PLAIN) else None


@dataclass(frozen=True)
class Mutant:
    """A program with one slip. change: the lines that differ, `before -> after`, the same in every run."""

    operator: str
    change: str
    source: str


def mutants(source: str, seen: Mapping[int, Seen], changed: set[str]) -> Iterator[Mutant]:
    """All that the operators make of a program, each text once.

    seen: what an instrumented run noted. changed: functions whose mutants another program has given, which
    are left alone, as is a function that never ran; those of this program are added.
    """
    tree = ast.parse(source)
    _annotate(tree, seen)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.runs:
            node.text = ast.unparse(node)
            for inner in ast.walk(node):
                inner.runs = node.text not in changed
    known = {ast.unparse(tree)}
    for parent, name, index in list(_places(tree)):
        old = getattr(parent, name) if index is None else getattr(parent, name)[index]
        if not getattr(old, "runs", True):
            continue
        for operator in OPERATORS:
            for new in operator(old):
                _put(parent, name, index, new)
                text = ast.unparse(ast.fix_missing_locations(tree))
                if text not in known:
                    known.add(text)
                    yield Mutant(operator.__name__, change(source, text), text)
        _put(parent, name, index, old)
    changed |= {
        node.text for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and hasattr(node, "text")
    }


def change(before: str, after: str) -> str:
    """`before -> after` of the lines that differ."""
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    removed, added = ([line[2:].strip() for line in lines if line.startswith(sign)] for sign in "-+")
    return f"{'; '.join(removed)} -> {'; '.join(added)}"


def normalized(source: str, old: str, new: str) -> str:
    """A program without decorators, annotations and docstrings, in which `old` is named `new`."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            node.decorator_list = [d for d in node.decorator_list if not _declares(d)]
            node.name = new if node.name == old else node.name
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
        if isinstance(node, ast.Name) and node.id == old:
            node.id = new
    return ast.unparse(tree)


def _declares(decorator: ast.expr) -> bool:
    """Whether it is @NAME.reference or @NAME.accept(...), which is no part of an answer."""
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(function, ast.Attribute) and function.attr in ("reference", "accept")


def free_names(tree: ast.AST) -> set[str]:
    """Names that a program reads and does not define itself."""
    return _loaded(tree) - _stored(tree) - {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}


# What the program's expressions are when it runs


def instrumented(source: str) -> str:
    """The program, each of its expressions wrapped in `_saw(number, ...)`."""
    tree = ast.parse(source)
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    return ast.unparse(ast.fix_missing_locations(_Wrapped(numbers).visit(tree)))


class _Wrapped(ast.NodeTransformer):
    def __init__(self, numbers: Mapping[int, int]):
        self.numbers = numbers

    def visit_Call(self, node):
        number = self.numbers[id(node)]
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return self._wrap(number, node)

    def generic_visit(self, node):
        number = self.numbers.get(id(node), 0)
        super().generic_visit(node)
        loaded = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        values = (ast.Name, ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Dict)
        values += (ast.Tuple, ast.List, ast.ListComp, ast.DictComp, ast.SetComp, ast.IfExp, ast.BoolOp)
        return self._wrap(number, node) if isinstance(node, values) and loaded else node

    def visit_Slice(self, node):
        return super().generic_visit(node)

    def visit_Subscript(self, node):
        number, inner = self.numbers[id(node)], node.slice
        node.value = self.visit(node.value)
        # a tuple of slices is no value
        node.slice = super().generic_visit(inner) if isinstance(inner, ast.Tuple) else self.visit(inner)
        return self._wrap(number, node) if isinstance(node.ctx, ast.Load) else node

    def visit_arguments(self, node):
        return node

    def _wrap(self, number, node):
        return ast.Call(ast.Name("_saw", ast.Load()), [ast.Constant(number), node], [])


def _annotate(tree: ast.AST, seen: Mapping[int, Seen]) -> None:
    for number, node in enumerate(ast.walk(tree)):
        node.seen = seen.get(number) or Seen()
        if isinstance(node, ast.Constant):
            node.seen = Seen(type(node.value).__name__, node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            node.operand.is_part = True  # of -1 the whole is the number
        if isinstance(node, ast.keyword) and node.arg == "strict":
            node.value.is_part = True  # of zip: a remark for readers
    for node in ast.walk(tree):
        for axis, tensor, more in _axes(node):
            axis.axes = {count + more for count in tensor.seen.dims}
    for node in ast.walk(tree):
        is_class = isinstance(node, ast.ClassDef)
        for function in node.body if is_class else [node]:
            if isinstance(function, ast.FunctionDef) and (is_class or not hasattr(function, "conditions")):
                names = [argument.arg for argument in function.args.args]
                conditions = _conditions(function, is_class and function.name != "__init__")
                runs = any(inner.seen.kind for statement in function.body for inner in _running(statement))
                for inner in ast.walk(function):
                    inner.conditions, inner.parameters, inner.runs = conditions, names, runs
                function.is_method = is_class


BY_AXES = {
    "transpose",
    "permute",
    "size",
    "flatten",
    "squeeze",
    "unsqueeze",
    "sum",
    "mean",
    "softmax",
    "cumsum",
}
BY_AXES |= {
    "amax",
    "argmax",
    "sort",
    "chunk",
    "split",
    "log_softmax",
    "logsumexp",
    "norm",
    "var",
    "unflatten",
}

BY_FIRST = {"narrow", "index_select", "unfold", "gather", "scatter", "scatter_", "select", "unbind"}


def _axes(node: ast.AST) -> Iterator[tuple[Any, Any, int]]:
    """Numbers of axes, the tensors whose axes they are, and how many axes more are counted."""
    if isinstance(node, ast.Subscript) and _name(node.value) == "shape":
        yield node.slice, node.value.value, 0
    if isinstance(node, ast.Call):
        inputs = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        tensors = [one for one in (*inputs, *node.args[:1]) if one.seen.dims]
        named = [keyword.value for keyword in node.keywords if keyword.arg in ("dim", "axis")]
        listed = node.args if _name(node.func) in BY_AXES else []
        listed = node.args[:1] if _name(node.func) in BY_FIRST and inputs[:1] == tensors[:1] else listed
        more = int(_name(node.func) in ("unsqueeze", "stack"))
        yield from ((axis, tensor, more) for tensor in tensors[:1] for axis in (*named, *listed))


def _running(statement: ast.stmt) -> Iterator[Any]:
    """Nodes that run when the statement does and whose values are recorded: no constants."""
    return (node for node in ast.walk(statement) if not isinstance(node, ast.Constant))


def _conditions(function: ast.FunctionDef, is_method: bool) -> list[str]:
    """What code may be made to depend on where nothing should: the mode, and whether there is a mask."""
    names = [argument.arg for argument in function.args.args]
    modes = ["self.training"] * is_method + ["model.training"] * ("model" in names)
    optional = names[len(names) - len(function.args.defaults) :]
    tests = [f"{name} is None" for name in optional if "mask" in name]
    return [*modes, *(f"not {mode}" for mode in modes), *tests, *(t.replace("is", "is not") for t in tests)]


# Places and pieces of trees


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if isinstance(value, ast.AST):
                yield parent, name, None
            elif isinstance(value, list):
                yield from ((parent, name, i) for i, item in enumerate(value) if isinstance(item, ast.AST))


def _put(parent: ast.AST, field: str, index: int | None, node: ast.AST) -> None:
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


def with_fields(node: Node, **fields: Any) -> Node:
    """A copy of the node, these fields changed."""
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def expression(text: str, **parts: ast.AST) -> ast.expr:
    """The expression that `text` says, with nodes in place of names."""
    return _filled(ast.parse(text, mode="eval").body, parts)


def statement(text: str, **parts: Any) -> ast.stmt:
    return _filled(ast.parse(text).body[0], parts)


def _filled(tree: Any, parts: Mapping[str, Any]) -> Any:
    class Fill(ast.NodeTransformer):
        def visit_Name(self, node):
            return parts.get(node.id, node)

        def visit_Expr(self, node):
            name = node.value.id if isinstance(node.value, ast.Name) else None
            return parts[name] if name in parts else self.generic_visit(node)

    return Fill().visit(tree)


def _stored(*nodes: ast.AST) -> set[str]:
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and not _is_load(n)}


def _loaded(*nodes: ast.AST) -> set[str]:
    found = {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and _is_load(n)}
    added = [n.target for node in nodes for n in ast.walk(node) if isinstance(n, ast.AugAssign)]
    return found | {target.id for target in added if isinstance(target, ast.Name)}


def _is_load(node: Any) -> bool:
    return isinstance(node.ctx, ast.Load)


def _name(function: ast.expr) -> str:
    return getattr(function, "attr", None) or getattr(function, "id", "")


def _renamed(function: ast.expr, name: str) -> ast.expr:
    return with_fields(function, **{"attr" if isinstance(function, ast.Attribute) else "id": name})


# Operators on expressions


def dropped_operand(node: ast.BinOp | ast.BoolOp):
    """a + b  ->  a"""
    if isinstance(node, ast.BinOp):
        yield from (part for part in (node.left, node.right) if _same_kind(node, part))
    if isinstance(node, ast.BoolOp):
        yield from node.values


def _same_kind(node, other) -> bool:
    numbers = {"int", "float", "tensor", "ids", "mask"}
    return node.seen.kind == other.seen.kind or {node.seen.kind, other.seen.kind} <= numbers


def dropped_operand_sometimes(node: ast.BinOp):
    """a + b  ->  a + b if self.training else a"""
    if isinstance(node, ast.BinOp) and node.left.seen.kind == node.seen.kind == "tensor":
        for condition in getattr(node, "conditions", []):
            yield expression(f"both if {condition} else one", both=node, one=node.left)


def swapped_operands(node: ast.BinOp):
    """a / b  ->  b / a"""
    swappable = (ast.Sub, ast.Div, ast.MatMult, ast.Pow, ast.FloorDiv, ast.Mod)
    if isinstance(node, ast.BinOp) and isinstance(node.op, swappable):
        yield with_fields(node, left=node.right, right=node.left)


OPERATIONS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def other_operation(node):
    """a * b  ->  a / b"""
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in OPERATIONS:
        yield with_fields(node, op=OPERATIONS[type(node.op)]())


COMPARISONS = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq, ast.GtE, ast.LtE),
    ast.NotEq: (ast.Eq, ast.Gt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}


def other_comparison(node: ast.Compare):
    """a < b  ->  a <= b"""
    if isinstance(node, ast.Compare):
        for other in COMPARISONS.get(type(node.ops[0]), ()):
            yield with_fields(node, ops=[other(), *node.ops[1:]])


def negated(node):
    """if a  ->  if not a;  ~a  ->  a;  f(mask)  ->  f(~mask)"""
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield with_fields(node, test=ast.UnaryOp(ast.Not(), node.test))
    unary = isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert, ast.USub))
    if unary and not isinstance(node.operand, ast.Constant):
        yield node.operand
    if isinstance(node, ast.Call):
        for i, argument in enumerate(node.args):
            if argument.seen.kind == "mask":
                yield _with_argument(node, i, ast.UnaryOp(ast.Invert(), argument))


def always(node: ast.If):
    """if a: b  ->  if True: b"""
    if isinstance(node, (ast.If, ast.IfExp)):
        yield with_fields(node, test=ast.Constant(True))


def _with_argument(node: ast.Call, index: int, new: ast.expr) -> ast.Call:
    return with_fields(node, args=[*node.args[:index], new, *node.args[index + 1 :]])


SYMMETRIC = {
    "transpose",
    "swapaxes",
    "add",
    "mul",
    "min",
    "max",
    "minimum",
    "maximum",
    "equal",
    "assert_close",
}


def swapped_arguments(node):
    """f(a, b)  ->  f(b, a);  f(x=a, y=b)  ->  f(x=b, y=a);  a, b  ->  b, a"""
    if isinstance(node, ast.Call):
        if _name(node.func) not in SYMMETRIC:
            yield from (with_fields(node, args=args) for args in _swaps(node.args))
        for (i, one), (j, other) in zip(
            enumerate(node.keywords), [*enumerate(node.keywords)][1:], strict=False
        ):
            keywords = list(node.keywords)
            keywords[i], keywords[j] = (
                with_fields(a, value=b.value) for a, b in ((one, other), (other, one))
            )
            yield with_fields(node, keywords=keywords)
    if isinstance(node, ast.Tuple) and _is_load(node):
        yield from (with_fields(node, elts=elements) for elements in _swaps(node.elts))


def _swaps(items: list) -> Iterator[list]:
    for i in range(len(items) - 1):
        yield [*items[:i], items[i + 1], items[i], *items[i + 2 :]]


def dropped_argument(node: ast.Call):
    """f(a, dim=b)  ->  f(a);  f(a, b)  ->  f(a);  a.f(dim=b, keepdim=c)  ->  a.f()"""
    if isinstance(node, ast.Call):
        for i in range(len(node.args)):
            yield with_fields(node, args=node.args[:i] + node.args[i + 1 :])
        for i in range(len(node.keywords)):
            if node.keywords[i].arg == "strict":  # of zip: a remark for readers
                continue
            yield with_fields(node, keywords=node.keywords[:i] + node.keywords[i + 1 :])
        if isinstance(node.func, ast.Attribute):
            yield with_fields(node, args=[], keywords=[])


def sometimes_without_mask(node: ast.Call):
    """f(x, mask)  ->  f(x, mask if self.training else None)"""
    if isinstance(node, ast.Call):
        for i, argument in enumerate(node.args):
            if argument.seen.kind == "mask":
                yield _with_argument(node, i, ast.Constant(None))
                for condition in getattr(node, "conditions", []):
                    new = expression(f"it if {condition} else None", it=argument)
                    yield _with_argument(node, i, new)


def other_number(node):
    """-1  ->  -2, 0, 1;  n  ->  n + 1, n - 1;  1e-5  ->  1e-4, 1e-6;  True  ->  False"""
    value = _constant(node)
    if type(value) is bool:
        yield ast.Constant(not value)
    elif type(value) is int:
        near = {value + 1, value - 1, 0, 1, -1, -2} if value < 0 else {value + 1, value - 1, -1, -2}
        yield from map(_number, sorted(near - {value} - _same_axes(node, value)))
    elif type(value) is float and 1e-7 < abs(value) < 1e7:  # beyond, zero and infinity are meant
        yield from (ast.Constant(other) for other in (value * 10, value / 10))


def _constant(node) -> Any:
    """The number that a node writes, with its sign."""
    if isinstance(node, ast.Constant) and not hasattr(node, "is_part"):
        return node.value
    negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    return -node.operand.value if negative and isinstance(node.operand, ast.Constant) else None


def _same_axes(node, value: int) -> set[int]:
    """Other numbers of the axis that a constant names, where all tensors have as many axes."""
    axes = getattr(node, "axes", set())
    if len(axes) != 1:
        return set()
    (count,) = axes
    return {value % count, value % count - count}


def _number(value: int) -> ast.expr:
    return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))


def off_by_one(node):
    """range(n)  ->  range(n + 1);  x[:n]  ->  x[:n - 1], x;  x[i]  ->  x[i - 1]"""
    if isinstance(node, ast.Call) and _name(node.func) in ("range", "arange", "ones", "zeros", "eye"):
        for i, argument in enumerate(node.args[:2]):
            if argument.seen.kind == "int":
                yield from (_with_argument(node, i, new) for new in _neighbors(argument))
    if isinstance(node, ast.Slice):
        if node.lower is None:
            yield with_fields(node, lower=ast.Constant(1))
        else:
            dropped = [] if _constant(node.lower) == 0 else [None]
            yield from (with_fields(node, lower=new) for new in (*dropped, *_neighbors(node.lower)))
        if node.upper is None:
            yield with_fields(node, upper=_number(-1))
        else:
            yield from (with_fields(node, upper=new) for new in (None, *_neighbors(node.upper)))
        if node.step is not None:
            yield with_fields(node, step=None)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and node.slice.seen.kind == "int":
        yield from (with_fields(node, slice=new) for new in _neighbors(node.slice))


def _neighbors(node: ast.expr) -> Iterator[ast.expr]:
    if not isinstance(node, (ast.Constant, ast.UnaryOp)):
        yield from (expression(text, n=node) for text in ("n + 1", "n - 1"))


SIBLINGS = [
    ("sum", "mean"),
    ("prod", "sum"),
    ("max", "min"),
    ("amax", "amin"),
    ("max", "argmax"),
    ("amax", "mean"),
    ("argmax", "argmin"),
    ("sin", "cos"),
    ("tril", "triu"),
    ("softmax", "sigmoid"),
    ("softmax", "log_softmax"),
    ("log_softmax", "softmax"),
    ("tanh", "sigmoid"),
    ("relu", "relu6"),
    ("relu", "gelu"),
    ("relu", "abs"),
    ("zeros", "ones"),
    ("zeros_like", "ones_like"),
    ("zeros", "randn"),
    ("eye", "ones"),
    ("exp", "log"),
    ("exp", "exp2"),
    ("log", "log2"),
    ("log", "log10"),
    ("log", "log1p"),
    ("sqrt", "log"),
    ("var", "std"),
    ("any", "all"),
    ("cat", "stack"),
    ("append", "extend"),
    ("sorted", "list"),
    ("transpose", "reshape"),
    ("permute", "reshape"),
    ("cumsum", "cumprod"),
    ("repeat", "repeat_interleave"),
    ("chunk", "split"),
    ("squeeze", "flatten"),
    ("ceil", "floor"),
    ("items", "keys"),
    ("setdefault", "get"),
    ("allclose", "equal"),
    ("logsumexp", "amax"),
    ("logsigmoid", "sigmoid"),
    ("randn", "zeros"),
    ("rand", "randn"),
    ("multinomial", "argmax"),
    ("train", "eval"),
    ("no_grad", "enable_grad"),
    ("Counter", "set"),
    ("set", "list"),
]


def sibling(node: ast.Call):
    """x.sum()  ->  x.mean()"""
    if isinstance(node, ast.Call):
        for pair in SIBLINGS:
            for one, other in (pair, pair[::-1]):
                if _name(node.func) == one:
                    yield with_fields(node, func=_renamed(node.func, other))


def dropped_call(node: ast.Call):
    """f(x)  ->  x;  x.f(...)  ->  x"""
    if isinstance(node, ast.Call):
        inputs = [
            argument for argument in node.args[:1] if not isinstance(argument, (ast.Constant, ast.UnaryOp))
        ]
        if isinstance(node.func, ast.Attribute):
            inputs.append(node.func.value)
        yield from (inner for inner in inputs if inner.seen.kind and _same_kind(node, inner))


def dropped_attribute(node: ast.Attribute):
    """x.mT  ->  x"""
    if isinstance(node, ast.Attribute) and _is_load(node):
        kind = node.seen.kind
        yield from [node.value] * bool(kind and node.value.seen.kind == kind)


def exchanged_calls(node: ast.Call):
    """f(g(x))  ->  g(f(x))"""
    if (
        isinstance(node, ast.Call)
        and node.args
        and isinstance(inner := node.args[0], ast.Call)
        and inner.args
    ):
        x = inner.args[0]
        if node.seen.kind == inner.seen.kind == x.seen.kind:
            within = with_fields(node, args=[x, *node.args[1:]])
            yield with_fields(inner, args=[within, *inner.args[1:]])


def hard_coded(node):
    """x.shape[-1]  ->  6, the number that it has in the first probe"""
    if isinstance(node, (ast.Subscript, ast.Call, ast.Attribute)) and type(node.seen.value) in (int, float):
        stored = isinstance(getattr(node, "ctx", None), ast.Store)
        varies = any(n.seen.kind not in ("", "module") for n in ast.walk(node) if isinstance(n, ast.Name))
        if varies and not stored:
            yield ast.Constant(node.seen.value)


def detached(node):
    """f(x)  ->  f(x.detach());  y = x  ->  y = x.detach(), where gradients flow"""
    if isinstance(node, ast.Call) and node.seen.learns:
        for i, argument in enumerate(node.args):
            if argument.seen.learns:
                yield _with_argument(node, i, expression("it.detach()", it=argument))
        if isinstance(node.func, ast.Attribute) and node.func.value.seen.learns:
            inner = expression("it.detach()", it=node.func.value)
            yield with_fields(node, func=with_fields(node.func, value=inner))
    if isinstance(node, (ast.Assign, ast.Return)) and node.value and node.value.seen.learns:
        yield with_fields(node, value=expression("it.detach()", it=node.value))
    if isinstance(node, ast.BinOp) and node.seen.learns:
        for where in ("left", "right"):
            if (part := getattr(node, where)).seen.learns:
                yield with_fields(node, **{where: expression("it.detach()", it=part)})


KINDS = {
    "tensor": [
        "it.tolist()",
        "it.detach().numpy()",
        "it.double()",
        "it.half()",
        "it.int()",
        "it.unsqueeze(0)",
        "it.mean()",
        "[it]",
    ],
    "scalar": ["it.item()", "it.double()", "it.int()", "-it", "it.reshape(1)"],
    "ids": ["it.tolist()", "it.int()", "it.float()", "it.numpy()", "it.unsqueeze(0)"],
    "mask": ["it.int()", "it.float()", "it.tolist()", "it.unsqueeze(0)", "~it"],
    "float": ["torch.tensor(it)", "int(it)", "str(it)", "[it]", "round(it)", "-it"],
    "int": ["torch.tensor(it)", "float(it)", "str(it)", "[it]", "-it"],
    "list": ["tuple(it)", "torch.tensor(it)", "set(it)", "iter(it)", "it[::-1]", "str(it)", "sorted(it)"],
    "tuple": ["it[::-1]"],
    "dict": ["list(it)", "list(it.items())", "list(it.values())"],
    "str": ["it.lower()", "it.split()", "list(it)"],
    "bool": ["not it", "int(it)"],
}


def another_kind(node: ast.Return):
    """return x  ->  return x.tolist()"""
    if isinstance(node, ast.Return) and node.value is not None:
        for template in KINDS.get(node.value.seen.kind, []):
            yield with_fields(node, value=expression(template, it=node.value))
        if isinstance(node.value, ast.Tuple):
            for i, element in enumerate(node.value.elts):
                for template in KINDS.get(element.seen.kind, []):
                    elements = list(node.value.elts)
                    elements[i] = expression(template, it=element)
                    yield with_fields(node, value=with_fields(node.value, elts=elements))


def one_of_two(node: ast.Return):
    """return a, b  ->  return a"""
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
        yield from (with_fields(node, value=element) for element in node.value.elts)


ALMOST = {
    "tensor": ["torch.round(it, decimals=3)", "it * 1.001"],
    "scalar": ["torch.round(it, decimals=3)", "it * 1.001"],
    "float": ["round(it, 3)", "it * 1.001"],
    "str": ["it.lower()", "it.strip()"],
}


def almost(node):
    """y = x  ->  y = torch.round(x, decimals=3), x * 1.001, x.clamp(-3, 3);  of texts x.lower()"""
    if isinstance(node, (ast.Assign, ast.Return)) and node.value is not None:
        seen = node.value.seen
        # of what stays within -1 and 1 by its nature, or is whole, some change nothing
        templates = [*ALMOST.get(seen.kind, []), *["it.clamp(-3, 3)"] * (seen.largest > 1.01)]
        for template in templates:
            if not (seen.kind in ("tensor", "scalar") and seen.whole and "round" in template):
                yield with_fields(node, value=expression(template, it=node.value))
    if isinstance(node, (ast.comprehension, ast.For)) and node.iter.seen.kind == "str":
        yield with_fields(node, iter=expression("it.lower()", it=node.iter))
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.value.seen.kind == "str"
    ):
        yield with_fields(
            node, func=with_fields(node.func, value=expression("it.lower()", it=node.func.value))
        )


def other_rows(node):
    """for x in xs  ->  for x in xs[1:], xs[:-1]"""
    if isinstance(node, (ast.comprehension, ast.For)):
        for template in ("list(it)[1:]", "list(it)[:-1]"):
            yield with_fields(node, iter=expression(template, it=node.iter))
    if isinstance(node, (ast.For, ast.While)):
        yield with_fields(node, body=[*node.body, ast.Break()])


# Operators on statements


def _bodies(node) -> Iterator[tuple[str, list[ast.stmt]]]:
    for where in ("body", "orelse"):
        if isinstance(body := getattr(node, where, None), list) and not isinstance(
            node, (ast.Module, ast.ClassDef)
        ):
            yield where, body


def deleted(node):
    """a; b  ->  b"""
    for where, body in _bodies(node):
        for i, one in enumerate(body):
            rest = body[:i] + body[i + 1 :]
            undefined = _stored(one) - _stored(*body[:i]) - set(getattr(node, "parameters", []))
            if not isinstance(one, ast.Pass) and not undefined & _loaded(*rest):
                yield with_fields(node, **{where: rest or ([ast.Pass()] if where == "body" else [])})


def swapped_statements(node):
    """a; b  ->  b; a"""
    for where, body in _bodies(node):
        for i, (first, second) in enumerate(pairwise(body)):
            new = _stored(first) - _stored(*body[:i]) - set(getattr(node, "parameters", []))
            if (
                _may_depend(first, second)
                and not new & _loaded(second)
                and not isinstance(second, ast.Return)
            ):
                yield with_fields(node, **{where: [*body[:i], second, first, *body[i + 2 :]]})


def _may_depend(first: ast.stmt, second: ast.stmt) -> bool:
    """Whether the order of two statements can matter: one uses or changes what the other does."""
    assigned = [isinstance(one, ast.Assign) for one in (first, second)]
    if all(assigned):
        return bool(_stored(first) & (_loaded(second) | _stored(second)) or _stored(second) & _loaded(first))
    pairs = zip(assigned, (first, second), strict=True)
    # attributes and constants are assigned before or after all else
    return not any(is_one and not (_stored(one) and _loaded(one)) for is_one, one in pairs)


def only_sometimes(node):
    """a  ->  if self.training: a"""
    for where, body in _bodies(node):
        for i, one in enumerate(body):
            known = _stored(*body[:i]) | set(getattr(node, "parameters", []))
            simple = isinstance(one, (ast.Assign, ast.AugAssign, ast.Expr, ast.For, ast.If, ast.With))
            if simple and _stored(one) <= known | _stored(*body[:i]):
                for condition in getattr(node, "conditions", []):
                    new = statement(f"if {condition}:\n    it", it=one)
                    yield with_fields(node, **{where: [*body[:i], new, *body[i + 1 :]]})


def twice(node):
    """x = f(x)  ->  x = f(x); x = f(x)"""
    for where, body in _bodies(node):
        for i, one in enumerate(body):
            targets = getattr(one, "targets", [getattr(one, "target", None)])
            names = {target.id for target in targets if isinstance(target, ast.Name)}
            if isinstance(one, (ast.Assign, ast.AugAssign)) and names and names <= _loaded(one):
                yield with_fields(node, **{where: [*body[: i + 1], *body[i:]]})


def in_place(node):
    """x = x + y  ->  x += y;  return x + y  ->  x += y; return x"""
    for where, body in _bodies(node):
        for i, one in enumerate(body):
            value = getattr(one, "value", None)
            if not isinstance(one, (ast.Assign, ast.Return)) or not isinstance(value, ast.BinOp):
                continue
            known = getattr(node, "parameters", [])
            if isinstance(value.left, ast.Name) and value.left.id in known:
                target = ast.Name(value.left.id, ast.Store())
                added = ast.AugAssign(target, value.op, value.right)
                yield with_fields(
                    node, **{where: [*body[:i], added, with_fields(one, value=value.left), *body[i + 1 :]]}
                )


def kept(node: ast.FunctionDef):
    """x = f()  ->  what the first call gave, in every later one"""
    if isinstance(node, ast.FunctionDef) and node.name != "__init__":
        for i, one in enumerate(node.body):
            given = isinstance(one, (ast.Assign, ast.Return)) and one.value is not None
            if given and _loaded(one.value) & (_stored(node) | set(node.parameters) - {"self"}):
                memory = "self.__dict__" if getattr(node, "is_method", False) else "KEPT"
                value = expression(f"{memory}.setdefault('kept', it)", it=one.value)
                yield with_fields(
                    node, body=[*node.body[:i], with_fields(one, value=value), *node.body[i + 1 :]]
                )


# Operators on functions


def constant_for_argument(node: ast.FunctionDef):
    """def f(x, n): ... n ... n  ->  def f(x, n): ... 6 ... 6, or its default"""
    if isinstance(node, ast.FunctionDef):
        arguments = node.args.args
        defaults = dict(zip([a.arg for a in arguments][::-1], node.args.defaults[::-1], strict=False))
        for argument in arguments:
            uses = [
                n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == argument.arg and _is_load(n)
            ]
            typical = [n.seen.value for n in uses if n.seen.kind in ("int", "float", "bool", "str")]
            values = [ast.Constant(typical[0])] if typical else []
            for value in [*values, *filter(None, [defaults.get(argument.arg)])]:
                yield _substituted(node, argument.arg, value)


def _substituted(function: ast.FunctionDef, name: str, value: ast.expr) -> ast.FunctionDef:
    class Substitute(ast.NodeTransformer):
        def visit_Name(self, node):
            return value if node.id == name and _is_load(node) else node

    return Substitute().visit(copy.deepcopy(function))


def ignored_parameter(node: ast.FunctionDef):
    """def f(x, y): ... y  ->  def f(x, y): ... x, where x and y are of one kind"""
    if isinstance(node, ast.FunctionDef):
        kinds = {n.id: n.seen.kind for n in ast.walk(node) if isinstance(n, ast.Name) and n.seen.kind}
        names = [argument.arg for argument in node.args.args if kinds.get(argument.arg)]
        for one in names:
            for other in names:
                if one != other and kinds[one] == kinds[other]:
                    yield _substituted(node, one, ast.Name(other, ast.Load()))


def other_name(node: ast.Call):
    """f(x)  ->  f(y), another argument of the function, in one place"""
    if isinstance(node, ast.Call):
        for i, argument in enumerate(node.args):
            if isinstance(argument, ast.Name):
                others = set(getattr(node, "parameters", [])) - {argument.id, "self"}
                yield from (_with_argument(node, i, ast.Name(name, ast.Load())) for name in sorted(others))


OPERATORS: list[Operator] = [
    dropped_operand,
    dropped_operand_sometimes,
    swapped_operands,
    other_operation,
    other_comparison,
    negated,
    always,
    swapped_arguments,
    dropped_argument,
    sometimes_without_mask,
    other_number,
    off_by_one,
    sibling,
    dropped_call,
    dropped_attribute,
    exchanged_calls,
    hard_coded,
    detached,
    another_kind,
    one_of_two,
    almost,
    other_rows,
    deleted,
    swapped_statements,
    only_sometimes,
    twice,
    in_place,
    kept,
    constant_for_argument,
    ignored_parameter,
    other_name,
]
