"""Which names of a notebook may be no types, where something in it evaluates annotations."""

import ast
from collections.abc import Collection, Iterable, Iterator

# What evaluates annotations, or is derived from to have them evaluated.
EVALUATING = {
    *("get_type_hints", "singledispatch", "singledispatchmethod", "evaluate_forward_ref", "annotationlib"),
    *("get_annotations", "eval_str", "IterDataPipe", "MapDataPipe", "resolve_types"),
}
ANNOTATIONS = "@annotations"  # in what modules_of gives: no name of Python's
KINDS = ("TypeVar", "NewType", "ParamSpec", "namedtuple", "NamedTuple", "TypedDict")
DECORATORS = ("dataclass", "total_ordering", "runtime_checkable", "final", "unique")


def loose_names(nodes: Collection[ast.AST]) -> set[str] | None:
    """Names that may stand for a text, so that an annotation of that name may run it.

    With them ".name" for an attribute that is set somewhere, and "name." for an imported module.
    None where the notebook evaluates no annotations.
    """
    if not any(name in EVALUATING for node in nodes for name in _names(node)):
        return None
    typed = {id(target) for node in nodes for target in _types(node)}
    loose = {name for node in nodes if id(node) not in typed for name in _bound(node)}
    return loose | {f"{name}." for node in nodes for name in _imported(node)}


def is_plain(annotation: ast.expr, loose: Collection[str]) -> bool:
    """Whether it can be read: a type, or a text that is one. What is called in a text is read elsewhere."""
    match annotation:
        case ast.Constant(value=str(text)):
            try:
                inner = ast.parse(text.strip(), mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return True  # evaluated, it is an error: "batch seq"
            return isinstance(inner, ast.Tuple) or is_plain(inner, loose)
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name not in loose
        case ast.Attribute(value=value, attr=name):
            # Nobody sets torch.device by an argument of that name.
            is_set = f".{name}" in loose or (name in loose and not _is_of_a_module(value, loose))
            return not is_set and is_plain(value, loose)
        case ast.Subscript(value=ast.Name(id="Literal") | ast.Attribute(attr="Literal")):
            return True
        case ast.Subscript(
            value=ast.Name(id="Annotated") | ast.Attribute(attr="Annotated"),
            slice=ast.Tuple(elts=[first, *_]),
        ):
            return is_plain(first, loose)
        case ast.Subscript(value=value, slice=inner):
            return is_plain(value, loose) and is_plain(inner, loose)
        case ast.Tuple(elts=inner) | ast.List(elts=inner):
            return all(is_plain(one, loose) for one in inner)
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return is_plain(left, loose) and is_plain(right, loose)
    return False


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]


def _is_of_a_module(thing: ast.expr, loose: Collection[str]) -> bool:
    """Whether it is an imported module, or a part of one."""
    while isinstance(thing, ast.Attribute):
        thing = thing.value
    return isinstance(thing, ast.Name) and f"{thing.id}." in loose and thing.id not in loose


def _names(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
            yield name
        case ast.alias(name=name):
            yield from name.split(".")
        case ast.Constant(value=str(name)):
            yield name


def _types(node: ast.AST) -> Iterator[ast.AST]:
    """Names that it gives nothing but a type or a number."""
    match node:
        case ast.Assign(targets=targets, value=value) if _is_type(value):
            yield from targets
        case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value) if (
            value is None or _is_type(value)
        ):
            yield target


def _is_type(value: ast.expr) -> bool:
    match value:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in KINDS
        case ast.IfExp(body=one, orelse=other):
            return _is_type(one) and _is_type(other)
        case ast.List() | ast.Tuple():  # the list may get more
            return False
    return is_plain(value, ())


def _bound(node: ast.AST) -> Iterable[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            return [name]
        case ast.Attribute(attr=name, ctx=ast.Store()):
            return [name, f".{name}"]
        case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchAs(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return [name]
        case ast.FunctionDef(name=name):  # it may have attributes, or be another thing by a decorator
            return [name]
        case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=str(name)), *_]):
            return [name, f".{name}"]
        case ast.ClassDef(name=name) if not _is_ordinary(node):
            return [name]
    return []


def _is_ordinary(kind: ast.ClassDef) -> bool:
    """Whether the class, and what stands in brackets behind it, can only be a type."""
    decorators = (one.func if isinstance(one, ast.Call) else one for one in kind.decorator_list)
    known = all(ast.unparse(one).rpartition(".")[2] in DECORATORS for one in decorators)
    return (
        known
        and all(_is_known_keyword(word) for word in kind.keywords)
        and all(getattr(one, "name", "") != "__class_getitem__" for one in kind.body)
    )


def _is_known_keyword(word: ast.keyword) -> bool:
    """total=False of a TypedDict, metaclass=ABCMeta."""
    return isinstance(word.value, ast.Constant) or ast.unparse(word.value) in ("ABCMeta", "abc.ABCMeta")
