"""Code objects: where one stands, and another that stands in for it, whoever has its function."""

from types import CodeType, FunctionType
from typing import Any

VALUE = "<value>"  # the constant of a template that is replaced


def place_of(code: CodeType) -> tuple[str, str, str]:
    """Its file, its name, and its name with those around it, as plain texts.

    Those of an answer's code may be of a class of its own, whose methods nobody would watch.
    """
    file, name, qualified = map(str.__str__, (code.co_filename, code.co_name, code.co_qualname))
    return file, name, qualified


def standing_in(code: CodeType, template: FunctionType, value: Any) -> CodeType:
    """The template's code, with `value` as its constant VALUE: it runs where no name of ours is known.

    It has the place of the code, and as many variables of functions around it, so that a function can have
    it as its `__code__`.
    """
    file, name, qualified = place_of(code)
    other = template.__code__
    return other.replace(
        co_consts=tuple(value if one == VALUE else one for one in other.co_consts),
        co_freevars=code.co_freevars,
        co_filename=file,
        co_name=name,
        co_qualname=qualified,
        co_firstlineno=code.co_firstlineno,
    )
